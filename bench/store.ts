import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrations } from "../src/store/migrations/migrations.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { NewTask } from "../src/domain/task-input.ts";
import type { Store } from "../src/store/store.ts";
import { processIdentity } from "../src/system/process/process-identity.ts";
import type { SqliteDatabase } from "../src/system/sqlite-driver.ts";
import { openRaw } from "../test/raw-database.ts";

type Print = (line: string) => void;

const owner = processIdentity();

/** Numbers of one run on one machine: read them as ratios. */
export async function benchStore(
  print: Print,
  sizes: readonly number[] = [1000, 10_000, 100_000, 1_000_000],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-bench-"));
  try {
    await benchClaims(print, folder, sizes);
    await benchSettle(print, folder);
    await benchAdd(print, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ready and claim: the middle must not grow with the number of tasks. */
async function benchClaims(print: Print, folder: string, sizes: readonly number[]): Promise<void> {
  const rows: { name: string; p50: number; p99: number }[] = [];
  for (const isGated of [false, true]) {
    for (const size of sizes) {
      const path = join(folder, `claims-${size}-${isGated}.db`);
      const store = await openSqliteStore({ path });
      await fill(store, size, isGated);
      const heap = process.memoryUsage().rss;
      const times = await measureThrice(store, 400);
      const name = `${size.toLocaleString("en")} tasks${isGated ? " behind one gate" : ""}`;
      rows.push({ name, ...times });
      const opened = await timed(async () => (await openSqliteStore({ path })).close());
      const counted = await timed(() => store.counts());
      print(
        `store: ready + claim, ${name}: p50 ${ms(times.p50)}, p99 ${ms(times.p99)}` +
          ` (open ${ms(opened)}, counts ${ms(counted)}, resident ${Math.round(heap / 1e6)} MB)`,
      );
      await store.close();
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    }
  }
  const middles = rows.map((row) => row.p50);
  print(`store: slowest p50 / fastest p50: ${(Math.max(...middles) / Math.min(...middles)).toFixed(2)} (at most 3)`);
  print(`store: worst p99: ${ms(Math.max(...rows.map((row) => row.p99)))} (at most 1 ms)`);
}

async function fill(store: Store, size: number, isGated: boolean): Promise<void> {
  if (isGated) await store.add([{ id: "gate", scope: "workspace", title: "gate", status: "parked" }]);
  const chunk = 10_000;
  for (let from = 0; from < size; from += chunk) {
    const count = Math.min(chunk, size - from);
    await store.add(Array.from({ length: count }, (_, n) => plain(from + n, isGated ? ["gate"] : [])));
  }
  // What can be claimed behind the gate stands at the very end.
  if (isGated) await store.add(Array.from({ length: 1500 }, (_, n) => plain(size + n, [])));
}

const plain = (n: number, needs: readonly string[]): NewTask => ({
  id: `n${n}`,
  scope: "workspace",
  title: `Task number ${n}`,
  description: "Something to do, in a sentence or two, as people write it.",
  priority: needs.length === 0 ? (n % 3) + 2 : 0,
  needs,
});

/** The middle of three rounds: one round's worst hundredth is four claims, and the machine has work of its own. */
async function measureThrice(store: Store, count: number): Promise<{ p50: number; p99: number }> {
  const rounds = [await measure(store, count), await measure(store, count), await measure(store, count)];
  return { p50: middle(rounds.map((round) => round.p50)), p99: middle(rounds.map((round) => round.p99)) };
}

async function measure(store: Store, count: number): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let n = 0; n < count + 20; n++) {
    const from = performance.now();
    await store.ready({ scopes: ["workspace"], limit: 1 });
    const claim = await store.claim({ scopes: ["workspace"], owner, leaseMs: 60_000 });
    if (n >= 20) times.push(performance.now() - from);
    if (claim) await store.settle(claim.lease, { outcome: "verified", to: "done", counted: true });
  }
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(count * 0.5)]!, p99: times[Math.floor(count * 0.99)]! };
}

/** Claim and settle against the same two statements alone, with the same promise about the disk. */
async function benchSettle(print: Print, folder: string): Promise<void> {
  // Short turns, one after the other: whatever else the machine does hits both alike.
  const count = 250;
  const turns = 15;
  const store = await openSqliteStore({ path: join(folder, "settle.db") });
  await store.add(Array.from({ length: count * turns }, (_, n) => plain(n, [])));
  const db = await bareTable(join(folder, "bare-settle.db"), count * turns);
  const ours: number[] = [];
  const bare: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    bare.push(bareSettle(db, count));
    ours.push(await timed(() => settleMany(store, count)));
  }
  db.close();
  await store.close();
  const [mine, theirs] = [middle(ours), middle(bare)];
  const rate = (time: number): string => `${Math.round((count / time) * 1000).toLocaleString("en")}/s`;
  print(
    `store: claim + settle ${rate(mine)}, bare statements ${rate(theirs)}: ${(mine / theirs).toFixed(2)} times (at most 2)`,
  );
}

async function settleMany(store: Store, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const claim = (await store.claim({ scopes: ["workspace"], owner, leaseMs: 60_000 }))!;
    await store.settle(claim.lease, { outcome: "verified", to: "done", counted: true });
  }
}

/** The real table with its indexes: what is compared is the statements, not the schema. */
async function bareTable(path: string, count: number): Promise<SqliteDatabase> {
  const store = await openSqliteStore({ path });
  await store.add(Array.from({ length: count }, (_, n) => plain(n, [])));
  await store.close();
  const db = await openRaw(path);
  db.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  return db;
}

function bareSettle(db: SqliteDatabase, count: number): number {
  const claim = db.prepare(
    `UPDATE task SET own = 'in_progress', status = 'in_progress', fence = fence + 1, lease_host = ?, lease_pid = ?,
       lease_until = ? WHERE seq = (SELECT seq FROM task INDEXED BY task_scope_queue
       WHERE scope = 'workspace' AND queue IS NOT NULL ORDER BY queue, priority, seq LIMIT 1) RETURNING *`,
  );
  const settle = db.prepare(
    "UPDATE task SET own = 'done', status = 'done', lease_host = NULL, lease_pid = NULL, lease_until = NULL WHERE seq = ?",
  );
  const from = performance.now();
  for (let n = 0; n < count; n++) {
    const row = claim.get("here", 1, Date.now())!;
    db.exec("PRAGMA synchronous = FULL");
    settle.run(row["seq"]!);
    db.exec("PRAGMA synchronous = NORMAL");
  }
  return performance.now() - from;
}

/** A list of tasks, most with a need, against bare inserts of the same rows into the same tables. */
async function benchAdd(print: Print, folder: string): Promise<void> {
  const count = 100_000;
  const tasks = Array.from({ length: count }, (_, n) => plain(n, n % 4 === 0 ? [] : [`n${n - 1}`]));
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < 3; round++) {
    bare.push(await bareAdd(join(folder, `bare-add-${round}.db`), tasks));
    const store = await openSqliteStore({ path: join(folder, `add-${round}.db`) });
    ours.push(await timed(() => store.add(tasks)));
    await store.close();
  }
  const [mine, theirs] = [Math.min(...ours), Math.min(...bare)];
  print(
    `store: add of ${count.toLocaleString("en")} tasks ${ms(mine)}, bare inserts ${ms(theirs)}: ${(theirs / mine).toFixed(2)} of their speed (at least 0.5)`,
  );
}

async function bareAdd(path: string, tasks: readonly NewTask[]): Promise<number> {
  const db = await openRaw(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  for (const step of migrations) db.exec(step);
  const insert = db.prepare(
    `INSERT INTO task (seq, id, scope, priority, status, own, open_blockers, created_at, updated_at, title, description)
     VALUES (?, ?, ?, ?, 'pending', 'pending', ?, ?, ?, ?, ?)`,
  );
  const edge = db.prepare("INSERT INTO dependency (blocked, blocker) VALUES (?, ?)");
  const now = Date.now();
  const from = performance.now();
  db.exec("BEGIN IMMEDIATE");
  tasks.forEach(({ id, scope, priority, title, description, needs }, n) => {
    insert.run(n + 1, id!, scope, priority!, needs!.length, now, now, title, description!);
    if (needs!.length > 0) edge.run(n + 1, n);
  });
  db.exec("COMMIT");
  const time = performance.now() - from;
  db.close();
  return time;
}

const middle = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1]!;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const ms = (time: number): string => `${time < 10 ? time.toFixed(2) : Math.round(time).toLocaleString("en")} ms`;
