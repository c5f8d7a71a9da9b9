import { randomBytes } from "node:crypto";
import type { SqliteDatabase } from "../../system/sqlite-driver.ts";
import { type Connection, run } from "./connection.ts";

/** Which store a file is of: all copies of one share it, and what was begun anew has another. */
export const storeName = (db: SqliteDatabase): string | undefined =>
  db.prepare("SELECT value FROM meta WHERE key = 'store'").get()?.["value"] as string | undefined;

/** Within a transaction. Given before the first copy is made, and then for good. */
export function nameStore(c: Connection): void {
  if (storeName(c.db) !== undefined) return;
  run(c, "INSERT INTO meta (key, value) VALUES ('store', ?)", JSON.stringify(randomBytes(8).toString("hex")));
}
