import { openPostgres, type PgPool } from "../../system/postgres.ts";
import { checkAddress, safeName, withoutPassword } from "./address.ts";
import { migrate, schemaSql } from "./migrate.ts";
import { migrations } from "./schema.ts";

/** The schema that this program makes and needs. */
export const fleetSchema = { version: migrations.length, sql: schemaSql };

/** Brings the schema of a database up to date; one that is already stays as it is. */
export async function setUpPostgres(url: string) {
  checkAddress(url);
  const name = safeName(url);
  const pool = await openPostgres(url, { connections: 1 });
  try {
    const before = await migrate(pool, name);
    const address = withoutPassword(url);
    const hadPassword = address !== new URL(url).href;
    return { name, address, hadPassword, isNew: before !== migrations.length, warnings: await unsafeSettings(pool) };
  } finally {
    await pool.end();
  }
}

/** What was settled must survive a crash of the server. That is its default, which somebody may have changed. */
async function unsafeSettings(pool: PgPool): Promise<string[]> {
  const sql = `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
    ORDER BY name`;
  const { rows } = await pool.query(sql);
  return rows.map(
    (row) => `The server has ${row["name"]} = off: if its machine crashes, settled tasks may be open again`,
  );
}
