import { dirname, join } from "node:path";
import { ensureFolderOf, fileKey } from "../../system/store-file.ts";
import type { SqliteDatabase, SqliteDriver } from "../../system/sqlite-driver.ts";
import { isBusy, translated, TurnError } from "./sqlite-error.ts";

/** The files of one store: its database, and where its copy lies or will. */
export interface StoreFiles {
  readonly path: string;
  readonly copy?: string | undefined;
}

/**
 * Takes the right to put another file in the place of a store's, and returns what gives it back. It is SQLite's own
 * lock on a file that holds nothing: the system frees it when its holder dies, so it is never stale and never stolen.
 * Who cannot have it now gets an error that is busy, and asks again. The file stays: removing one that others wait for
 * would give the right to two.
 */
export function takeLock(driver: SqliteDriver, { path, copy }: StoreFiles): () => void {
  // Beside the copy it outlives `.ralph/`, which may be deleted while it is held.
  if (copy !== undefined) {
    const file = join(dirname(copy), "lock");
    try {
      ensureFolderOf(file);
      return lockFile(driver, file);
    } catch (error) {
      if (isBusy(error)) throw error; // else nobody can have it there
    }
  }
  return lockFile(driver, `${path}.lock`);
}

function lockFile(driver: SqliteDriver, file: string): () => void {
  const before = fileKey(file);
  const db = open(driver, file);
  try {
    db.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    // Whether the file that was opened is the one that others will open is only known when it was there before.
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
