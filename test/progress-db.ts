import { join } from "node:path";
import { loadSqlite } from "../src/system/sqlite-driver.ts";
import { write } from "./temporary-folder.ts";

/** A database as the Rust ralph writes it, in WAL mode, with these rows: id, title, status, parent; and edges. */
export async function writeProgressDb(
  root: string,
  tasks: readonly (readonly [id: string, title: string, status: string, parent?: string])[],
  edges: readonly (readonly [blocker: string, blocked: string])[] = [],
): Promise<void> {
  write(root, { ".ralph/specs/.gitkeep": "" });
  const driver = await loadSqlite();
  const db = driver.open(join(root, ".ralph/progress.db"));
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE tasks (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT NOT NULL, description TEXT,
      status TEXT NOT NULL, priority INTEGER DEFAULT 0, created_at TEXT, updated_at TEXT, claimed_by TEXT);
    CREATE TABLE dependencies (blocker_id TEXT, blocked_id TEXT);`);
  // A prepared statement would keep the file open until its garbage is collected.
  const sql = (values: readonly (string | undefined)[]): string =>
    values.map((value) => (value === undefined ? "NULL" : `'${value.replaceAll("'", "''")}'`)).join(", ");
  for (const [id, title, status, parent] of tasks) {
    db.exec(
      `INSERT INTO tasks (id, title, status, parent_id, description) VALUES (${sql([id, title, status, parent, ""])})`,
    );
  }
  for (const edge of edges) db.exec(`INSERT INTO dependencies VALUES (${sql(edge)})`);
  db.close();
}
