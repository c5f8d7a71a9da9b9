import { RalphError } from "../../domain/error.ts";
import type { SqliteDatabase } from "../../system/sqlite-driver.ts";
import { migrations } from "../migrations/migrations.ts";
import { type Connection, patiently, read } from "./connection.ts";
import { backup } from "./backup.ts";

// "ralp" in ASCII: tells our databases from others before any table is read.
const APPLICATION_ID = 0x72616c70;

/** Brings the schema up to date. Several processes may call it at once; one of them does the work. */
export async function migrate(c: Connection, known: readonly string[] = migrations): Promise<void> {
  await patiently(c, () => {
    const mode = c.db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
    c.db.exec("PRAGMA synchronous = NORMAL");
    if (mode !== "wal")
      throw new RalphError("io", `The file system under \`${c.path}\` does not allow a WAL database`, {
        hint: "Put the workspace on a local disk",
      });
  });
  const before = await read(c, () => versionOf(c));
  if (before === known.length) return;
  refuseNewer(c, before, known.length);
  if (before > 0) await backup(c, `${c.path}.v${before}.backup`);
  await patiently(c, () => {
    c.db.exec("BEGIN IMMEDIATE");
    try {
      const version = versionOf(c);
      refuseNewer(c, version, known.length);
      for (const step of known.slice(version)) c.db.exec(step);
      c.db.exec(`PRAGMA user_version = ${known.length}; PRAGMA application_id = ${APPLICATION_ID}; COMMIT`);
    } catch (error) {
      c.db.exec("ROLLBACK");
      throw error;
    }
  });
}

/** The newest schema in an empty database that no other process can see. */
export function createSchema(db: SqliteDatabase): void {
  for (const step of migrations) db.exec(step);
}

function versionOf(c: Connection): number {
  const version = pragma(c.db, "user_version");
  const id = pragma(c.db, "application_id");
  const isOurs = id === APPLICATION_ID || (id === 0 && version === 0 && isEmpty(c.db));
  if (!isOurs) {
    throw new RalphError("io", `\`${c.path}\` is a database of another program`, { hint: "Move it away" });
  }
  return version;
}

function refuseNewer(c: Connection, version: number, known: number): void {
  if (version <= known) return;
  throw new RalphError(
    "io",
    `\`${c.path}\` was written by a newer ralphctl (schema ${version}, this one knows ${known})`,
    {
      hint: "Update it: npm install -g ralphctl@latest",
    },
  );
}

/** Whether nothing was ever written to it. */
export const isBlank = (db: SqliteDatabase): boolean =>
  pragma(db, "user_version") === 0 && pragma(db, "application_id") === 0 && isEmpty(db);

const isEmpty = (db: SqliteDatabase): boolean =>
  db.prepare("SELECT count(*) AS n FROM sqlite_master").get()?.["n"] === 0;

const pragma = (db: SqliteDatabase, name: string): number => db.prepare(`PRAGMA ${name}`).get()?.[name] as number;
