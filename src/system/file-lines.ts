import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const LINE_FEED = 0x0a;
/** Most lines are shorter; for others it is doubled until they fit. */
const FIRST_LOOK = 4 * 1024;
const MAX_LENGTH = 1024 * 1024;

/** The first line of a file, without its end; undefined when there is none that is whole, or it cannot be read. */
export const firstLineOf = (path: string): string | undefined =>
  withFile(path, (file, size) => {
    for (let length = FIRST_LOOK; ; length *= 2) {
      const bytes = bytesAt(file, 0, Math.min(size, length));
      const end = bytes.indexOf(LINE_FEED);
      if (end >= 0) return bytes.toString("utf8", 0, end);
      if (length >= size || length > MAX_LENGTH) return undefined;
    }
  });

/** The last line that is whole: what stands after the last line end may be half of one. */
export const lastLineOf = (path: string): string | undefined =>
  withFile(path, (file, size) => {
    for (let length = FIRST_LOOK; ; length *= 2) {
      const from = Math.max(0, size - length);
      const bytes = bytesAt(file, from, size - from);
      const end = bytes.lastIndexOf(LINE_FEED);
      const start = end <= 0 ? -1 : bytes.lastIndexOf(LINE_FEED, end - 1);
      if (end >= 0 && (start >= 0 || from === 0)) return bytes.toString("utf8", start + 1, end);
      if (from === 0 || length > MAX_LENGTH) return undefined;
    }
  });

/** How much of a line is shown to decide whether it is wanted. */
const HEAD = 256;
const PIECE = 256 * 1024;

/**
 * The whole lines of a file that are wanted. Those of more than a megabyte are left out. Nothing where it cannot be read.
 * `isWanted` is asked with the beginning of each line: what is not wanted is not even decoded.
 */
export function eachLine(
  path: string,
  { isWanted, onLine }: { isWanted: (head: string) => boolean; onLine: (line: string) => void },
): void {
  withFile(path, (file) => {
    const nextPiece = (): Buffer => bytesAt(file, null, PIECE);
    let rest: Buffer = Buffer.alloc(0);
    let isTooLong = false;
    for (let piece = nextPiece(); piece.length > 0; piece = nextPiece()) {
      const bytes: Buffer = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      let start = 0;
      for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
        const isShown = !isTooLong && isWanted(bytes.toString("latin1", start, Math.min(end, start + HEAD)));
        if (isShown) onLine(bytes.toString("utf8", start, end));
        isTooLong = false;
        start = end + 1;
      }
      isTooLong ||= bytes.length - start > MAX_LENGTH;
      rest = isTooLong ? Buffer.alloc(0) : bytes.subarray(start);
    }
  });
}

/** Undefined if it cannot be read: callers skip that file. */
function withFile<Result>(path: string, look: (file: number, size: number) => Result): Result | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    return look(file, fstatSync(file).size);
  } catch {
    return undefined; // a folder, or a file that was cut meanwhile
  } finally {
    closeSync(file);
  }
}

/** At `null` it goes on where the last such read ended. */
function bytesAt(file: number, position: number | null, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, position));
}
