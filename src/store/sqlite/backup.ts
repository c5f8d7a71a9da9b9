import { randomBytes } from "node:crypto";
import { RalphError } from "../../domain/error.ts";
import { copyInto, ensureFolderOf, fileExists, moveIntoPlace, removeFile } from "../../system/store-file.ts";
import type { SqliteDatabase, SqliteDriver } from "../../system/sqlite-driver.ts";
import { type Connection, openDatabase, patiently, run, write } from "./connection.ts";
import { removeDatabase, replacementOf, takeLock } from "./lock.ts";
import { isDamage, translated } from "./sqlite-error.ts";

/** Writes a consistent copy, complete before `publish` gives it its name. */
export async function backup(
  c: Connection,
  path: string,
  publish: (part: string) => void | Promise<void> = (part) => moveIntoPlace(part, path),
): Promise<void> {
  const part = `${path}.${c.handle()}.part`;
  ensureFolderOf(path);
  try {
    await patiently(c, () => writeCopy(c, part));
    await publish(part);
  } finally {
    removeFile(part);
  }
}

/**
 * Writes the copy from which the store can be restored. It does not overwrite the copy of another store that has tasks:
 * it may be all that is left of them.
 */
export async function keepCopy(c: Connection, path: string): Promise<void> {
  await write(c, () => nameStore(c));
  await backup(c, path, async (part) => {
    const unlock = await patiently(c, () => takeLock(c.driver, { path: c.path, copy: path }));
    try {
      if (isOfAnother(c, path)) moveIntoPlace(path, `${path}.${c.handle()}.kept`);
      moveIntoPlace(part, path);
    } finally {
      unlock();
    }
  });
}

/** The name of a store, which all its copies share. */
export const storeName = (db: SqliteDatabase): string | undefined =>
  db.prepare("SELECT value FROM meta WHERE key = 'store'").get()?.["value"] as string | undefined;

/** Within a transaction. Names a store before its first copy is made. */
function nameStore(c: Connection): void {
  if (storeName(c.db) !== undefined) return;
  run(c, "INSERT INTO meta (key, value) VALUES ('store', ?)", JSON.stringify(randomBytes(8).toString("hex")));
}

function isOfAnother(c: Connection, path: string): boolean {
  if (!fileExists(path)) return false;
  try {
    const db = openDatabase({ driver: c.driver, path });
    try {
      const hasTasks = db.prepare("SELECT 1 AS yes FROM task LIMIT 1").get() !== undefined;
      return hasTasks && storeName(db) !== storeName(c.db);
    } finally {
      db.close();
    }
  } catch {
    return true; // it cannot be read: not ours to throw away
  }
}

/** Writes what the open connection sees, even if its file is gone. */
export function writeCopy(c: Connection, path: string): void {
  removeDatabase(path);
  c.db.prepare("VACUUM INTO ?").run(path);
}

/**
 * Replaces a store that nobody has open with a copy; the caller has the lock. Checks the copy first, and removes nothing
 * before the complete new file lies next to it.
 */
export function restoreCopy(driver: SqliteDriver, { from, to }: { from: string; to: string }): void {
  const part = replacementOf(to);
  try {
    removeDatabase(part);
    copyInto(from, part);
    refuseDamaged(driver, part, from);
    moveIntoPlace(part, to, () => removeWal(to));
  } finally {
    removeFile(part);
  }
}

function refuseDamaged(driver: SqliteDriver, path: string, name: string): void {
  try {
    const db = openDatabase({ driver, path });
    const found = db.prepare("PRAGMA quick_check(1)").get();
    db.close();
    if (found?.["quick_check"] === "ok") return;
  } catch (error) {
    if (!isDamage(error)) throw translated(error, path);
  } finally {
    removeWal(path);
  }
  throw new RalphError("io", `The copy at \`${name}\` is damaged`, {
    hint: "Move it away to start without its tasks",
  });
}

/** The next database of this name would take these files for its own. */
export function removeWal(path: string): void {
  for (const suffix of ["-wal", "-shm"]) removeFile(`${path}${suffix}`);
}
