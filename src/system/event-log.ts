import { closeSync, fstatSync, lstatSync, openSync, readSync, renameSync, writeFileSync } from "node:fs";
import type { RalphError } from "../domain/error.ts";
import { orWriteError } from "./io-error.ts";
import { inMadeFolder } from "./made-folder.ts";

/** A file of lines that survives deletion and replacement. */
export interface EventLog {
  /** Adds a line, given without its end. It is in the file soon. */
  readonly write: (line: string) => void;
  /** Puts all lines into the file now. */
  readonly flush: () => void;
  /**
   * Looks whether the file still has its name. If it was deleted or replaced, all that was written so far is put back
   * from the open file, and writing goes on there. Costs one look at the disk: once per iteration is enough.
   */
  readonly check: () => void;
  /** Looks once more, and writes what is left. Must be the last call. */
  readonly close: () => void;
}

const BUFFER_BYTES = 64 * 1024;
const LINE_END = 0x0a;

/** Opens a log to add to; its folder is made if need be. What fails is told by the next call. */
export function openEventLog(path: string): EventLog {
  let file = orWriteError(path, () => openForAppending(path));
  // Lines are put into place as bytes: to join a gigabyte of them as text would leave several behind.
  const buffer = Buffer.alloc(BUFFER_BYTES);
  let filled = 0;
  let timer: NodeJS.Immediate | undefined;
  let failure: unknown;

  const flush = (): void => {
    if (timer !== undefined) clearImmediate(timer);
    timer = undefined;
    const bytes = buffer.subarray(0, filled);
    filled = 0;
    if (bytes.length > 0) orWriteError(path, () => writeFileSync(file, bytes));
  };
  /** An exception in a timer could not be caught. */
  const flushLater = (): void => {
    timer = undefined;
    try {
      flush();
    } catch (error) {
      failure = error;
    }
  };
  const throwEarlier = (): void => {
    if (failure !== undefined) throw failure as RalphError;
  };
  const check = (): void => {
    throwEarlier();
    if (isAt(path, file)) return;
    const restored = orWriteError(path, () => inMadeFolder(path, () => restore(path, file), 0o700));
    closeSync(file);
    file = restored;
  };
  return {
    write: (line) => {
      throwEarlier();
      const bytes = Buffer.byteLength(line) + 1;
      if (filled + bytes > BUFFER_BYTES) flush();
      if (bytes > BUFFER_BYTES) {
        orWriteError(path, () => writeFileSync(file, `${line}\n`));
        return;
      }
      buffer.write(line, filled);
      filled += bytes;
      buffer[filled - 1] = LINE_END;
      timer ??= setImmediate(flushLater);
    },
    flush,
    check,
    close: () => {
      try {
        check();
        flush();
      } finally {
        // The number of a closed file may soon be another's: nothing is written later.
        if (timer !== undefined) clearImmediate(timer);
        closeSync(file);
      }
    },
  };
}

/** Also to be read: what was written is put back from it. */
const openForAppending = (path: string): number => inMadeFolder(path, () => openSync(path, "a+", 0o600), 0o700);

/** Does not follow links: a link in its place is not our file. */
function isAt(path: string, file: number): boolean {
  const own = fstatSync(file);
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.dev === own.dev && found.ino === own.ino;
  } catch {
    return false; // a folder on the way is a file now, or closed: making it again will say so
  }
}

/** A copy of the open file under its old name. It gets the name when it is whole. */
function restore(path: string, file: number): number {
  const draft = `${path}.new`;
  // Emptied first: an earlier attempt may have been cut short.
  closeSync(openSync(draft, "w", 0o600));
  const copy = openSync(draft, "a+", 0o600);
  try {
    const buffer = Buffer.alloc(BUFFER_BYTES);
    for (let position = 0; ;) {
      const read = readSync(file, buffer, 0, buffer.length, position);
      if (read === 0) break;
      writeFileSync(copy, buffer.subarray(0, read));
      position += read;
    }
    renameSync(draft, path);
    return copy;
  } catch (error) {
    closeSync(copy);
    throw error;
  }
}
