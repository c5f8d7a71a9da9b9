import { atEnd } from "./at-end.ts";
import { onDatabase, postgresPrograms, startPostgres } from "./postgres-server.ts";

export { onDatabase } from "./postgres-server.ts";

// A real PostgreSQL for a test file: a server of its own in a temporary folder, or the one of RALPHCTL_TEST_POSTGRES,
// whose role must be allowed to create databases.

const given = process.env["RALPHCTL_TEST_POSTGRES"];

/** A sentence for whoever reads why tests were skipped; undefined if there is a PostgreSQL. */
export const postgresMissing =
  given === undefined && postgresPrograms === undefined
    ? "there is no PostgreSQL here: install the package postgresql, or set RALPHCTL_TEST_POSTGRES"
    : undefined;

let server: Promise<string> | undefined;

/** The address of a new, empty database, which is gone when the test file is through. */
export async function newDatabase(): Promise<string> {
  const base = given ?? (await (server ??= startServer()));
  const name = `ralph_test_${process.pid}_${Math.random().toString(36).slice(2)}`;
  await onDatabase(base, `CREATE DATABASE ${name}`);
  if (given !== undefined) atEnd(() => onDatabase(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  const url = new URL(base);
  url.pathname = `/${name}`;
  return url.href;
}

/** Its databases belong to a role without privileges, as those of a fleet should (F-09). */
async function startServer(): Promise<string> {
  const { url, stop } = await startPostgres();
  atEnd(async () => {
    server = undefined;
    await stop();
  });
  await onDatabase(url, "CREATE ROLE fleet LOGIN CREATEDB CREATEROLE");
  const own = new URL(url);
  own.username = "fleet";
  return own.href;
}
