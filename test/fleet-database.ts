import { migrate } from "../src/store/postgres/migrate.ts";
import { openPostgres } from "../src/system/postgres.ts";
import { newDatabase } from "./postgres.ts";

/** The address of a database with the schema of a fleet and nothing in it. */
export async function fleetDatabase(): Promise<string> {
  const url = await newDatabase();
  const pool = await openPostgres(url, { connections: 1 });
  try {
    await migrate(pool, "test");
  } finally {
    await pool.end();
  }
  return url;
}
