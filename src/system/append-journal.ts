import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { writeAtomicUnsynced } from "./folder.ts";
import { ioError } from "./io-error.ts";

/** Beyond this size the file is rewritten with the latest entry only. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Appends an entry, one line: after any kill the file has it, or the one before. Appending is a hundred times faster
 * than replacing the file. Not synced to disk.
 */
export function appendEntry(path: string, text: string): void {
  // The line end before it: half of a line may have been left there.
  if (appendLine(path, `\n${text}\n`) > MAX_FILE_BYTES) writeAtomicUnsynced(path, `${text}\n`);
}

/** Returns how long the file is now. */
function appendLine(path: string, line: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, "a");
    try {
      const bytes = Buffer.from(line);
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      return fstatSync(file).size;
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw ioError(`write ${path}`, cause);
  }
}

/** The entries of a file, the latest first; none if it does not exist or cannot be read. */
export function journalEntries(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean).reverse();
  } catch {
    return [];
  }
}

/** When the latest was written; undefined when there is none. */
export const journalWrittenAtMs = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.mtimeMs;
