import { randomBytes } from "node:crypto";
import { RalphError } from "../../domain/error.ts";
import { copyInto, ensureFolderOf, fileExists, moveIntoPlace, removeFile } from "../../system/store-file.ts";
import type { SqliteDatabase, SqliteDriver } from "../../system/sqlite-driver.ts";
import { type Connection, openDatabase, patiently, run, write } from "./connection.ts";
import { takeLock } from "./lock.ts";
import { isDamage, translated } from "./sqlite-error.ts";

/** A whole, consistent copy, which has its name only when it is complete. */
export async function backup(c: Connection, path: string): Promise<void> {
  const part = `${path}.${c.handle()}.part`;
  ensureFolderOf(path);
  try {
    await patiently(c, () => writeCopy(c, part));
    moveIntoPlace(part, path);
  } finally {
    removeFile(part);
  }
}

/**
 * The copy that the store is put back from. One of another store, with tasks, is not overwritten: whatever has become
 * of that store, this may be all that is left of it.
 */
export async function keepCopy(c: Connection, path: string): Promise<void> {
  const part = `${path}.${c.handle()}.part`;
  ensureFolderOf(path);
  await write(c, () => nameStore(c));
  try {
    await patiently(c, () => writeCopy(c, part));
    const unlock = await patiently(c, () => takeLock(c.driver, { path: c.path, copy: path }));
    try {
      if (isOfAnother(c, path)) moveIntoPlace(path, `${path}.${c.handle()}.kept`);
      moveIntoPlace(part, path);
    } finally {
      unlock();
    }
  } finally {
    removeFile(part);
  }
}

/** Which store a file is of: all copies of one share it, and what was begun anew has another. */
export const storeName = (db: SqliteDatabase): string | undefined =>
  db.prepare("SELECT value FROM meta WHERE key = 'store'").get()?.["value"] as string | undefined;

/** Within a transaction. Given before the first copy is made, and then for good. */
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

/** Written from what the open handle sees, whatever has become of its file. */
export function writeCopy(c: Connection, path: string): void {
  removeFile(path);
  c.db.prepare("VACUUM INTO ?").run(path);
}

/**
 * Puts a copy in the place of a store that nobody has open, by one who has the lock. The copy is checked first and
 * stays. Nothing is taken away before the whole new file lies beside its place.
 */
export function restoreCopy(driver: SqliteDriver, { from, to }: { from: string; to: string }): void {
  if (!fileExists(from)) throw new RalphError("io", `There is no copy at \`${from}\``);
  const part = `${to}.${randomBytes(6).toString("hex")}.part`;
  try {
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

/** What lies beside a database would be taken for its own by the one that gets its name. */
export function removeWal(path: string): void {
  for (const suffix of ["-wal", "-shm"]) removeFile(`${path}${suffix}`);
}
