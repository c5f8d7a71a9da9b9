import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { writeAtomicUnsynced } from "./folder.ts";
import { ioError } from "./io-error.ts";

/** When the texts of a file are this long together, the latest begins it anew. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Writes down the latest of many texts, each a line: after any kill the file has it, or the one before. They are added,
 * because to put a new file in the place of an old one takes a hundred times as long; and not waited for until the disk
 * has them.
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

/** The texts of a file, the latest first; none when there is no such file, or it cannot be read. */
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
