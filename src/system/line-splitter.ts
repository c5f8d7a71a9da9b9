const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** How much of a line above the limit is kept, in bytes. */
const HEAD = 1024;
/** Room for the unfinished line; what a longer one needed is given back after it. */
const ROOM = 64 * 1024;

/** A line above the limit. */
export interface LongLine {
  readonly bytes: number;
  /** How many bytes of the stream came before it. */
  readonly offset: number;
  /** Its beginning. */
  readonly head: string;
}

export interface LineSplitterOptions {
  /** The longest line that is handed on, in bytes without its line feed. */
  readonly limitBytes: number;
  readonly onLine: (line: string) => void;
  readonly onLongLine: (line: LongLine) => void;
}

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  readonly push: (chunk: Buffer) => void;
  /** The stream is over: what stands after the last line end is a line too. */
  readonly end: () => void;
}

/**
 * Splits bytes, not text: a character may arrive in two chunks, and a line feed is never part of a longer one. Of a line
 * above the limit only the beginning is ever held. What is not UTF-8 becomes U+FFFD.
 */
export function createLineSplitter({ limitBytes, onLine, onLongLine }: LineSplitterOptions): LineSplitter {
  const headBytes = Math.min(HEAD, limitBytes);
  /** The unfinished line, as far as it is kept; `length` is all of it. */
  let room: Buffer = Buffer.allocUnsafeSlow(ROOM);
  let length = 0;
  let offset = 0;
  const keep = (chunk: Buffer, start: number, end: number): void => {
    const needed = length + end - start;
    if (needed <= limitBytes) {
      if (needed > room.length) room = grown(room, length, Math.min(limitBytes, Math.max(needed, 2 * room.length)));
      chunk.copy(room, length, start, end);
    } else if (length <= limitBytes) {
      chunk.copy(room, length, start, start + Math.max(0, headBytes - length));
      room = grown(room, headBytes, ROOM);
    }
    length = needed;
  };
  const flush = (): void => {
    if (length > limitBytes) {
      // Its last character may be cut.
      const head = room.toString("utf8", 0, headBytes).replace(/\ufffd+$/, "");
      onLongLine({ bytes: length, offset, head });
    } else onLine(textOf(room, 0, length));
    if (room.length > ROOM) room = Buffer.allocUnsafeSlow(ROOM);
  };
  const next = (): void => {
    offset += length + 1;
    length = 0;
  };
  return {
    push: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        // Most lines lie in one chunk: they are not copied.
        if (length === 0 && end - start <= limitBytes) {
          length = end - start;
          onLine(textOf(chunk, start, end));
        } else {
          keep(chunk, start, end);
          flush();
        }
        next();
        start = end + 1;
      }
      if (start < chunk.length) keep(chunk, start, chunk.length);
    },
    end: () => {
      if (length > 0) flush();
      next();
    },
  };
}

function grown(room: Buffer, length: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  room.copy(larger, 0, 0, length);
  return larger;
}

const textOf = (bytes: Buffer, start: number, end: number): string =>
  bytes.toString("utf8", start, end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
