import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onDatabase, postgresPrograms, startPostgres } from "../test/postgres-server.ts";
import { openPostgresStore, setUpPostgres } from "../src/store/index.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import { openPostgres } from "../src/system/postgres.ts";
import type { Print } from "./all.ts";
import { median, row } from "./measure.ts";

const TASKS = 600;
const WORKERS = 8;
const ROUNDS = 5;

/** Claim and settle by the stores and by bare statements, in turns, so that all see the same machine. */
export async function benchFleet(print: Print): Promise<void> {
  if (postgresPrograms === undefined) {
    print("skipped: there is no PostgreSQL here");
    return;
  }
  const server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), "ralph-bench-"));
  try {
    await setUpPostgres(server.url);
    const sides = {
      SQLite: (round: number) => byStore(openSqliteStore({ path: join(folder, `${round}.db`) }), 1),
      PostgreSQL: (round: number) =>
        byStore(openPostgresStore({ url: server.url, repository: `round ${round}`, isNew: true }), WORKERS),
      bare: () => byStatements(server.url),
    };
    const rates: Record<string, number[]> = { SQLite: [], PostgreSQL: [], bare: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, side] of Object.entries(sides)) rates[name]!.push(await side(round));
    }
    const bare = median(rates["bare"]!);
    for (const [name, all] of Object.entries(rates)) {
      const rate = median(all);
      print(row(`claim + settle, ${name}`, `${rate.toFixed(0)}/s`, `${(rate / bare).toFixed(2)} x bare SKIP LOCKED`));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  }
}

/** How many per second. */
async function rateOf(workers: number, work: (worker: number) => Promise<number>): Promise<number> {
  const start = performance.now();
  const done = await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return (done.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - start);
}

async function byStore(opening: Promise<Store>, workers: number): Promise<number> {
  await using store = await opening;
  await store.add(Array.from({ length: TASKS }, (_, n) => ({ scope: "workspace", title: `Task ${n}` })));
  return await rateOf(workers, async (pid) => {
    const owner = { host: "bench", pid, startTime: "1" };
    for (let count = 0; ; count++) {
      const claim = await store.claim({ owner, leaseMs: 60_000 });
      if (claim === undefined) return count;
      await store.settle(claim.lease, { outcome: "verified", to: "done", counted: true });
    }
  });
}

const NEXT = `WITH next AS (SELECT id FROM bare WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  UPDATE bare SET state = 1, fence = fence + 1 FROM next WHERE bare.id = next.id RETURNING bare.id, fence`;

async function byStatements(url: string): Promise<number> {
  await onDatabase(url, "DROP TABLE IF EXISTS bare");
  await onDatabase(
    url,
    "CREATE TABLE bare (id serial PRIMARY KEY, state integer NOT NULL DEFAULT 0, fence integer DEFAULT 0)",
  );
  await onDatabase(url, "CREATE INDEX ON bare (id) WHERE state = 0");
  await onDatabase(url, `INSERT INTO bare (state) SELECT 0 FROM generate_series(1, ${TASKS})`);
  const pool = await openPostgres(url, { connections: WORKERS });
  try {
    return await rateOf(WORKERS, async () => {
      for (let count = 0; ; count++) {
        const claimed = (await pool.query(NEXT)).rows[0];
        if (claimed === undefined) return count;
        const settle = "UPDATE bare SET state = 2 WHERE id = $1 AND fence = $2";
        await pool.query(settle, [claimed["id"]!, claimed["fence"]!]);
      }
    });
  } finally {
    await pool.end();
  }
}
