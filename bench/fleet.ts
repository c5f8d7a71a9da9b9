import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onDatabase, postgresPrograms, startPostgres } from "../test/postgres-server.ts";
import { openPostgresFleet, openPostgresStore, setUpPostgres } from "../src/store/index.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import { openPostgres } from "../src/system/postgres.ts";
import type { Print } from "./all.ts";
import { median, row } from "./measure.ts";

const TASKS = 2000;
const WORKERS = 8;
const ROUNDS = 5;
const WAKES = 300;

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
    const names = Object.keys(sides) as (keyof typeof sides)[];
    const all = Object.fromEntries(names.map((name) => [name, [] as Pace[]]));
    serverFolder = decodeURIComponent(new URL(server.url).searchParams.get("host")!);
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of names) all[name]!.push(await sides[name](round));
    }
    const of = (name: string, what: keyof Pace): number => median(all[name]!.map((pace) => pace[what]));
    for (const name of names) {
      const times = `${(of(name, "rate") / of("bare", "rate")).toFixed(2)} x bare SKIP LOCKED`;
      print(row(`claim + settle, ${name}`, `${of(name, "rate").toFixed(0)}/s`, times));
      const [here, there] = [of(name, "client"), of(name, "server")];
      const share = ((of("bare", "client") + of("bare", "server")) / (here + there)).toFixed(2);
      print(
        row("  its processor time", `${here.toFixed(2)} + ${there.toFixed(2)} ms`, `client + server, ${share} x bare`),
      );
    }
    await benchWakes(server.url, print);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  }
}

/** How many per second, and the milliseconds of processor time that each took here and in the server. */
interface Pace {
  readonly rate: number;
  readonly client: number;
  readonly server: number;
}

async function paceOf(workers: number, work: (worker: number) => Promise<number>): Promise<Pace> {
  const [start, before, serverBefore] = [performance.now(), process.cpuUsage(), serverMs()];
  const each = await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  const [took, { user, system }] = [performance.now() - start, process.cpuUsage(before)];
  const done = each.reduce((sum, count) => sum + count, 0);
  return {
    rate: (done * 1000) / took,
    client: (user + system) / 1000 / done,
    server: (serverMs() - serverBefore) / done,
  };
}

let serverFolder = "";
/** The unit of /proc, on every Linux that we know. */
const TICK_MS = 10;

/** The processor time of the server's processes, also of those that have ended. */
function serverMs(): number {
  const server = readFileSync(join(serverFolder, "data", "postmaster.pid"), "utf8").split("\n")[0]!;
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const ticks = processes.map((pid) => {
    const fields = statOf(pid);
    if (pid === server) return Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
    return fields[1] === server ? Number(fields[11]) + Number(fields[12]) : 0;
  });
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}

/** What follows the name of a process; nothing if it has just ended. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** From a settlement on one machine until another, which hears of it, has claimed the task that needed it. */
async function benchWakes(url: string, print: Print): Promise<void> {
  const open = () => openPostgresFleet({ url, repository: "wakes", isNew: true });
  const [one, other] = [await open(), await open()];
  let look: (() => Promise<void>) | undefined;
  let looks = Promise.resolve();
  const end = await other.listen((what) => {
    if (what === "tasks") looks = looks.then(async () => await look?.());
  });
  const times: number[] = [];
  const [first, second] = [
    { host: "one", pid: 1, startTime: "1" },
    { host: "other", pid: 2, startTime: "1" },
  ];
  for (let wake = 0; wake < WAKES; wake++) {
    const [id] = await one.store.add([{ scope: "workspace", title: "First" }]);
    await one.store.add([{ scope: "workspace", title: "Then", needs: [id!] }]);
    const claim = (await one.store.claim({ owner: first, leaseMs: 60_000 }))!;
    let start = 0;
    const claimed = new Promise<void>((resolve) => {
      look = async () => {
        const then = await other.store.claim({ owner: second, leaseMs: 60_000 });
        if (then === undefined) return;
        times.push(performance.now() - start);
        look = undefined;
        await other.store.settle(then.lease, DONE);
        resolve();
      };
    });
    start = performance.now();
    await one.store.settle(claim.lease, DONE);
    await claimed;
  }
  const at = (percent: number): string =>
    `${times.toSorted((a, b) => a - b)[Math.floor((times.length * percent) / 100)]!.toFixed(1)} ms`;
  print(row("a settlement until another machine claims what needed it", `${at(50)} p50`, `${at(99)} p99`));
  await end();
  await looks;
  await one.close();
  await other.close();
}

const DONE = { outcome: "verified", to: "done", counted: true } as const;

async function byStore(opening: Promise<Store>, workers: number): Promise<Pace> {
  await using store = await opening;
  await store.add(Array.from({ length: TASKS }, (_, n) => ({ scope: "workspace", title: `Task ${n}` })));
  return await paceOf(workers, async (pid) => {
    const owner = { host: "bench", pid, startTime: "1" };
    for (let count = 0; ; count++) {
      const claim = await store.claim({ owner, leaseMs: 60_000 });
      if (claim === undefined) return count;
      await store.settle(claim.lease, DONE);
    }
  });
}

const NEXT = `WITH next AS (SELECT id FROM bare WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  UPDATE bare SET state = 1, fence = fence + 1 FROM next WHERE bare.id = next.id RETURNING bare.id, fence`;

async function byStatements(url: string): Promise<Pace> {
  await onDatabase(url, "DROP TABLE IF EXISTS bare");
  await onDatabase(
    url,
    "CREATE TABLE bare (id serial PRIMARY KEY, state integer NOT NULL DEFAULT 0, fence integer DEFAULT 0)",
  );
  await onDatabase(url, "CREATE INDEX ON bare (id) WHERE state = 0");
  await onDatabase(url, `INSERT INTO bare (state) SELECT 0 FROM generate_series(1, ${TASKS})`);
  const pool = await openPostgres(url, { connections: WORKERS });
  try {
    return await paceOf(WORKERS, async () => {
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
