import { randomBytes } from "node:crypto";
import { RalphError } from "../../domain/error.ts";
import { copyInto, ensureFolderOf, fileExists, moveIntoPlace, removeFile } from "../../system/store-file.ts";
import type { SqliteDriver } from "../../system/sqlite-driver.ts";
import { type Connection, openDatabase, patiently } from "./connection.ts";
import { isDamage, translated } from "./sqlite-error.ts";

/** A whole, consistent copy, which has its name only when it is complete. */
export async function backup(c: Connection, path: string): Promise<void> {
  const part = `${path}.${c.handle}.part`;
  ensureFolderOf(path);
  await patiently(c, () => writeCopy(c, part));
  moveIntoPlace(part, path);
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
    for (const suffix of ["-wal", "-shm"]) removeFile(`${to}${suffix}`);
    moveIntoPlace(part, to);
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
    for (const suffix of ["-wal", "-shm"]) removeFile(`${path}${suffix}`);
  }
  throw new RalphError("io", `The copy at \`${name}\` is damaged`, {
    hint: "Move it away to start without its tasks",
  });
}
