const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  readonly push: (chunk: Buffer) => void;
  /** The stream is over: what stands after the last line end is a line too. */
  readonly end: () => void;
}

/**
 * Splits bytes, not text: a character may arrive in two chunks, and a line feed is never part of a longer one. A line
 * above the limit is cut, its rest never held in memory. What is not UTF-8 becomes U+FFFD.
 */
export function createLineSplitter(limitBytes: number, onLine: (line: string) => void): LineSplitter {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    const room = limitBytes - length;
    if (room <= 0 || part.length === 0) return;
    // A copy of what is kept: a slice would hold on to its whole chunk.
    parts.push(part.length > room ? Buffer.from(part.subarray(0, room)) : part);
    length += Math.min(part.length, room);
  };
  const flush = (): void => {
    const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [];
    length = 0;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    onLine(line.toString("utf8", 0, end));
  };
  return {
    push: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        keep(chunk.subarray(start, end));
        flush();
        start = end + 1;
      }
      keep(chunk.subarray(start));
    },
    end: () => {
      if (length > 0) flush();
    },
  };
}
