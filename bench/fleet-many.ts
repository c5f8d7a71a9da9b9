import { onDatabase, postgresPrograms, startPostgres } from "../test/postgres-server.ts";
import { openPostgresFleet, setUpPostgres } from "../src/store/index.ts";
import type { Fleet } from "../src/store/store.ts";
import type { Print } from "./all.ts";
import { median, row } from "./measure.ts";

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** Very many workers and tasks. Agents take no time, so that the database is all there is. */
export async function benchFleetMany(print: Print): Promise<void> {
  const tasks = number("RALPHCTL_BENCH_TASKS", 1_000_000);
  const workers = number("RALPHCTL_BENCH_WORKERS", 1000);
  const seconds = number("RALPHCTL_BENCH_SECONDS", 60);
  await withServer(print, async (url) => {
    // As many as a server has processors for: a pooler stands between it and a thousand machines.
    const fleet = await open(url, 16);
    const filled = performance.now();
    await fill(url, tasks);
    print(row(`${tasks} tasks, a tenth of them need another`, `${((performance.now() - filled) / 1000).toFixed(0)} s`));
    const [claims, settles]: [number[], number[]] = [[], []];
    const end = performance.now() + seconds * 1000;
    const work = async (pid: number): Promise<void> => {
      const owner = { host: `host${pid}`, pid, startTime: "1" };
      while (performance.now() < end) {
        const begun = performance.now();
        const claim = await fleet.store.claim({ owner, leaseMs: 60_000 });
        if (claim === undefined) return;
        const between = performance.now();
        await fleet.store.settle(claim.lease, DONE);
        claims.push(between - begun);
        settles.push(performance.now() - between);
      }
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: workers }, (_, pid) => work(pid + 1)));
    const rate = (claims.length * 1000) / (performance.now() - start);
    print(row(`${workers} workers, claim + settle`, `${rate.toFixed(0)}/s`, `${claims.length} in ${seconds} s`));
    print(
      row("a claim, with its wait for a connection", `${ms(median(claims))} p50`, `${ms(percentile(claims, 99))} p99`),
    );
    print(row("a settlement", `${ms(median(settles))} p50`, `${ms(percentile(settles, 99))} p99`));
    await fleet.close();
  });
}

const DONE = { outcome: "verified", to: "done", counted: true } as const;

const open = (url: string, connections: number): Promise<Fleet> =>
  openPostgresFleet({ url, repository: "bench", isNew: true, connections });

/** By statements: what adds tasks checks each of them, which is another benchmark. */
async function fill(url: string, tasks: number): Promise<void> {
  await onDatabase(
    url,
    `INSERT INTO ralphctl.task (repository, seq, id, scope, priority, own, created_at, updated_at, revision, title, description)
     SELECT 1, n, 't-' || n, 'workspace', 2, 'pending', 1, 1, 1, 'Task ' || n, 'What to do, in a sentence or two.'
     FROM generate_series(1, ${tasks}) AS n`,
  );
  await onDatabase(
    url,
    `INSERT INTO ralphctl.dependency (repository, blocked, blocker) SELECT 1, n, n - 1 FROM generate_series(10, ${tasks}, 10) AS n`,
  );
  await onDatabase(url, `UPDATE ralphctl.repository SET last_seq = ${tasks}`);
  await onDatabase(url, "ANALYZE ralphctl.task");
}

async function withServer(print: Print, work: (url: string) => Promise<void>): Promise<void> {
  if (postgresPrograms === undefined) {
    print("skipped: there is no PostgreSQL here");
    return;
  }
  const server = await startPostgres();
  try {
    await setUpPostgres(server.url);
    await work(server.url);
  } finally {
    await server.stop();
  }
}

const percentile = (times: readonly number[], percent: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length * percent) / 100)]!;

const ms = (time: number): string => `${time.toFixed(1)} ms`;
