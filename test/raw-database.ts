import { WRITER } from "../src/store/migrations/0003-writers.ts";
import { loadSqlite, type SqliteDatabase } from "../src/system/sqlite-driver.ts";

/** The database of a store, for tests that write to it past the store. */
export async function openRaw(path: string): Promise<SqliteDatabase> {
  const db = (await loadSqlite()).open(path);
  db.function(WRITER, () => null);
  return db;
}
