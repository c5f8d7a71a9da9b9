import { RalphError } from "../../domain/error.ts";
import type { PgClient, PgPool, PgSession } from "../../system/postgres.ts";
import { codeOf, isRetryable, translated } from "./postgres-error.ts";
import { migrations, SCHEMA } from "./schema.ts";

/** The row whose lock decides who brings the schema up to date. */
const VERSION = `CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
CREATE TABLE IF NOT EXISTS ${SCHEMA}.version (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), number integer NOT NULL);
INSERT INTO ${SCHEMA}.version (number) VALUES (0) ON CONFLICT DO NOTHING;`;

/** F-09: everything that is done to a database, as one transaction for somebody who may. */
export const schemaSql = (): string =>
  [
    "BEGIN;",
    VERSION,
    ...migrations.map((sql) => sql.trim()),
    `UPDATE ${SCHEMA}.version SET number = ${migrations.length};`,
    "COMMIT;",
    "",
  ].join("\n\n");

/** Where the schema of a database stands: `none`, or its number; -1 if it is there without one. */
export async function schemaVersion(db: PgSession): Promise<number | "none"> {
  const { rows } = await db.query(
    `SELECT (to_regnamespace('${SCHEMA}') IS NOT NULL)::integer AS schema, (to_regclass('${SCHEMA}.version') IS NOT NULL)::integer AS version,
       (to_regclass('${SCHEMA}.task') IS NOT NULL)::integer AS task`,
  );
  if (rows[0]?.["schema"] === 0) return "none";
  if (rows[0]?.["version"] === 0) return rows[0]["task"] === 0 ? "none" : -1;
  const version = ((await db.query(`SELECT number FROM ${SCHEMA}.version`)).rows[0]?.["number"] ?? -1) as number;
  const hasTasks = rows[0]?.["task"] === 1;
  return version > 0 === hasTasks ? version || "none" : -1;
}

const TRIES = 20;

/** Brings the schema up to date. Several may call it at once; one of them does the work. Returns what was there before. */
export async function migrate(pool: PgPool, name: string, known = migrations): Promise<number | "none"> {
  for (let tries = 1; ; tries++) {
    const client = await connected(pool, name);
    try {
      return await migrateWith(client, name, known);
    } catch (error) {
      await client.query("ROLLBACK").catch(() => undefined);
      // Two that create a schema or a table of one name at once: one of them is told that it is there.
      const isRace = isRetryable(error) || ["23505", "42P06", "42P07"].includes(codeOf(error));
      if (!isRace || tries === TRIES) throw translated(error, name);
    } finally {
      client.release();
    }
  }
}

async function connected(pool: PgPool, name: string): Promise<PgClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw translated(error, name);
  }
}

async function migrateWith(client: PgClient, name: string, known: readonly string[]): Promise<number | "none"> {
  const before = await schemaVersion(client);
  if (before === known.length) return before;
  refuseOther(before, name, known.length);
  await client.query(`BEGIN; ${VERSION}`);
  const { rows } = await client.query(`SELECT number FROM ${SCHEMA}.version FOR UPDATE`);
  const version = rows[0]!["number"] as number;
  refuseOther(version, name, known.length);
  for (const step of known.slice(version)) await client.query(step);
  await client.query(`UPDATE ${SCHEMA}.version SET number = ${known.length}`);
  await client.query("COMMIT");
  return before;
}

function refuseOther(version: number | "none", name: string, known: number): void {
  if (version === -1) {
    throw new RalphError("io", `The schema ${SCHEMA} in PostgreSQL at ${name} is only half there`, {
      hint: `Drop it and create it again: DROP SCHEMA ${SCHEMA} CASCADE, then ralphctl fleet init`,
    });
  }
  if (version !== "none" && version > known) {
    throw new RalphError(
      "io",
      `PostgreSQL at ${name} was set up by a newer ralphctl (schema ${version}, this one knows ${known})`,
      {
        hint: "Update it: npm install -g ralphctl@latest",
      },
    );
  }
}

/** F-09: refuses to work with a schema that is not exactly the one that this program knows. */
export async function requireSchema(pool: PgPool, name: string, known = migrations.length): Promise<void> {
  const version = await schemaVersion(pool);
  if (version === known) return;
  refuseOther(version, name, known);
  const what =
    version === "none"
      ? "has no tasks of a fleet yet"
      : `has an older schema (${version}, this ralphctl needs ${known})`;
  throw new RalphError("config", `PostgreSQL at ${name} ${what}`, { hint: "Run once: ralphctl fleet init" });
}
