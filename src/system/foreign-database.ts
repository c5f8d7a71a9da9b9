import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { RalphError } from "../domain/error.ts";
import { formatSize } from "../domain/size.ts";
import type { SqliteRows } from "../domain/sqlite-rows.ts";
import { sizeOf } from "./folder.ts";
import { loadSqlite, type SqliteDatabase } from "./sqlite-driver.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

const LIMIT_BYTES = 256 * 1024 * 1024;
const MOST_ROWS = 100_000;

/**
 * The rows of tables in a SQLite file of another program; undefined if there is no such file. A copy is read, with its
 * log: to open a file that somebody else may be writing would leave files beside it.
 */
export async function foreignRows(path: string, tables: readonly string[]): Promise<SqliteRows | undefined> {
  const bytes = sizeOf(path);
  if (bytes === undefined) return undefined;
  if (bytes > LIMIT_BYTES) throw damaged(path, `it is larger than ${formatSize(LIMIT_BYTES)}`);
  const driver = await loadSqlite();
  return await inTemporaryFolder("foreign", async (folder) => {
    const copy = join(folder, "copy.db");
    copyFileSync(path, copy);
    if ((sizeOf(`${path}-wal`) ?? LIMIT_BYTES) < LIMIT_BYTES) copyFileSync(`${path}-wal`, `${copy}-wal`);
    let database: SqliteDatabase | undefined;
    try {
      database = driver.open(copy);
      return rowsIn(database, tables);
    } catch (cause) {
      if (cause instanceof RalphError) throw cause;
      throw damaged(path, cause instanceof Error ? cause.message : String(cause));
    } finally {
      database?.close();
    }
  });
}

/** Only tables: a view could compute forever. */
function rowsIn(database: SqliteDatabase, tables: readonly string[]): SqliteRows {
  database.exec("PRAGMA trusted_schema = OFF");
  const there = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const names = new Set(there.map(({ name }) => name));
  return Object.fromEntries(
    tables
      .filter((table) => names.has(table))
      .map((table) => {
        const rows = database.prepare(`SELECT * FROM "${table}" LIMIT ${MOST_ROWS + 1}`).all();
        if (rows.length <= MOST_ROWS) return [table, rows];
        throw new RalphError("data", `The table ${table} has more than ${MOST_ROWS} rows`, {
          hint: "Check that it is the right file",
        });
      }),
  );
}

const damaged = (path: string, why: string): RalphError =>
  new RalphError("data", `The database ${path} cannot be read: ${why}`, {
    hint: "Check that it is the right file; nothing was imported",
  });
