import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

const LOOK_MS = 200;
/** After so many looks that found nothing, it looks half as often: most of the time, agents think. */
const PATIENCE = 10;
const CHUNK = 256 * 1024;

/**
 * Reads a file and follows what is added, until it is over; an empty chunk means that there is nothing more at the
 * moment. Waits for a file that does not exist yet. After a deletion it goes on reading the open file; if the writer
 * restores the file, reading continues there at the same position. `isOver` is asked while nothing more comes: what is
 * there when it says so is still read.
 */
export async function* followFile(path: string, isOver: () => boolean): AsyncIterable<Uint8Array> {
  const buffer = Buffer.alloc(CHUNK);
  let file: number | undefined;
  let position = 0;
  /** Undefined: there is nothing more at the moment. */
  const next = (): Uint8Array | undefined => {
    file ??= opened(path);
    if (file === undefined) return undefined;
    const read = readSync(file, buffer, 0, CHUNK, position);
    position += read;
    if (read > 0) return new Uint8Array(buffer.subarray(0, read));
    if (!isReplaced(path, file)) return undefined;
    closeSync(file);
    file = undefined;
    return next();
  };
  try {
    let idle = 0;
    for (let isLast = false; ; isLast ||= isOver()) {
      for (let bytes = next(); bytes !== undefined; bytes = next()) {
        idle = 0;
        yield bytes;
      }
      if (isLast) return;
      yield new Uint8Array();
      idle += 1;
      await new Promise((resolve) => setTimeout(resolve, idle > PATIENCE ? 2 * LOOK_MS : LOOK_MS));
    }
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch {
    return undefined; // not there yet, or not any more
  }
}

/** Whether another file took its name; if there is none, reading continues. */
function isReplaced(path: string, file: number): boolean {
  try {
    const now = statSync(path, { throwIfNoEntry: false });
    const own = fstatSync(file);
    return now !== undefined && (now.ino !== own.ino || now.dev !== own.dev);
  } catch {
    return false; // the folder is gone: as if there were none
  }
}
