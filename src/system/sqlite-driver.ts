import { RalphError } from "../domain/error.ts";

/** The part of `node:sqlite` that we use; `@photostructure/sqlite` has the same shape. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  /** Makes a function known to the statements of this connection. */
  function(name: string, body: () => SqliteValue): void;
  close(): void;
}

export interface SqliteStatement {
  run(...values: readonly SqliteValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqliteValue[]): SqliteRow | undefined;
  all(...values: readonly SqliteValue[]): SqliteRow[];
}

export type SqliteValue = string | number | null;
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

export interface SqliteDriver {
  readonly name: string;
  open(path: string): SqliteDatabase;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
}

/** Node's own where its SQLite is new enough, else the package with the same API. */
export async function loadSqlite(): Promise<SqliteDriver> {
  const own = isNewEnough(process.versions["sqlite"]) ? builtIn() : undefined;
  if (own !== undefined) return driver("node:sqlite", own);
  try {
    return driver("@photostructure/sqlite", await import("@photostructure/sqlite"));
  } catch (cause) {
    throw new RalphError("unavailable", "There is no SQLite that can be trusted with several processes", {
      hint: "Install it again with optional packages (npm install -g ralphctl --include=optional), or use Node 24.15 or later",
      cause,
    });
  }
}

/** SQLite up to 3.51.2 can corrupt a WAL file that several processes use. */
export function isNewEnough(version: string | undefined): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? "0").split(".").map(Number);
  return major !== 3 ? major > 3 : minor !== 51 ? minor > 51 : patch >= 3;
}

function driver(name: string, module: SqliteModule): SqliteDriver {
  return { name, open: (path) => new module.DatabaseSync(path) };
}

/** Loading it warns that it is experimental, in the middle of our user's output: that one warning is held back. */
function builtIn(): SqliteModule | undefined {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite" as "node:fs") as unknown as SqliteModule | undefined;
  } finally {
    process.emitWarning = warn;
  }
}

/** Which SQLite there is, and where it comes from. */
export async function sqliteVersion(): Promise<{ readonly name: string; readonly version: string }> {
  const driver = await loadSqlite();
  const db = driver.open(":memory:");
  try {
    return { name: driver.name, version: String(db.prepare("SELECT sqlite_version() AS version").get()?.["version"]) };
  } finally {
    db.close();
  }
}
