import { dirname, join } from "node:path";
import { ensureFolderOf, fileExists, fileKey, removeFile } from "../../system/store-file.ts";
import type { SqliteDatabase, SqliteDriver } from "../../system/sqlite-driver.ts";
import { isBusy, translated, TurnError } from "./sqlite-error.ts";

/**
 * Takes the right to replace the file of a store; returns a function that gives it back. It is SQLite's lock on an empty
 * file, which the system releases when its holder dies, so it is never stale. Throws a busy error while another process
 * has it. The file stays: if it were removed while others wait, two could have the lock. `copy`: the place of its copy.
 */
export function takeLock(
  driver: SqliteDriver,
  { path, copy }: { readonly path: string; readonly copy?: string | undefined },
): () => void {
  // Next to the copy it survives if `.ralph/` is deleted meanwhile.
  if (copy !== undefined) {
    const file = join(dirname(copy), "lock");
    try {
      ensureFolderOf(file);
      return lockFile(driver, file);
    } catch (error) {
      if (isBusy(error)) throw error; // otherwise no process can lock there
    }
  }
  return lockFile(driver, `${path}.lock`);
}

/**
 * The file that will replace a store, made by the process that has the lock. While it is there, nobody may write: the WAL
 * is removed before the file gets its name, and a process that opens the old file then has another WAL, whose lock is
 * free. Its commit would be lost, and SQLite would apply it to the new file.
 */
export const replacementOf = (path: string): string => `${path}.next`;

/** With the journal that a killed process may have left: SQLite would roll it back into the next file of this name. */
export function removeDatabase(path: string): void {
  for (const suffix of ["-journal", "-wal", "-shm", ""]) removeFile(`${path}${suffix}`);
}

/** Whether a path names this file, and will go on doing so. Asked under the write lock. */
export const isNameOf = (path: string, file: string | undefined): boolean =>
  fileKey(path) === file && !fileExists(replacementOf(path));

/** Removes the replacement that a killed process left. Throws a busy error while a living one replaces the file. */
export function forgetReplacement(
  { driver, path }: { readonly driver: SqliteDriver; readonly path: string },
  copy: string | undefined,
): void {
  if (!fileExists(replacementOf(path))) return;
  const unlock = takeLock(driver, { path, copy });
  try {
    removeDatabase(replacementOf(path));
  } finally {
    unlock();
  }
}

function lockFile(driver: SqliteDriver, file: string): () => void {
  const before = fileKey(file);
  const db = open(driver, file);
  try {
    db.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    // If it did not exist before, others may have created and opened another one.
    if (before === undefined || fileKey(file) !== before) throw new TurnError(`\`${file}\` has just been made`);
  } catch (error) {
    db.close();
    throw error;
  }
  return () => db.close();
}

function open(driver: SqliteDriver, file: string): SqliteDatabase {
  try {
    return driver.open(file);
  } catch (error) {
    throw translated(error, file);
  }
}
