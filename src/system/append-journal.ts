import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { writeAtomicUnsynced } from "./folder.ts";
import { orWriteError } from "./io-error.ts";

/** Beyond this size the file is rewritten with the latest entry only. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Appends an entry, one line: after any kill the file has it, or the one before. Appending is a hundred times faster
 * than replacing the file. Not synced to disk.
 */
export function appendEntry(path: string, text: string): void {
  const { size } = orWriteError(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    // The line end before it: half of a line may have been left there.
    appendFileSync(path, `\n${text}\n`);
    return statSync(path);
  });
  if (size > MAX_FILE_BYTES) writeAtomicUnsynced(path, `${text}\n`);
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
