import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqliteStore } from "./sqlite.ts";
import { newTask } from "./store.contract.ts";
import { byLane } from "../../test/lane.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-processes-"));
const worker = join(folder, "worker.mjs");
const children: ChildProcess[] = [];

beforeAll(async () => {
  symlinkSync(resolve("node_modules"), join(folder, "node_modules")); // the bundle must find the SQLite package
  await build({
    entryPoints: ["test/store-worker.ts"],
    outfile: worker,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["@photostructure/sqlite"],
    logLevel: "error",
  });
});

afterAll(() => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const start = (args: readonly string[]): { child: ChildProcess; ended: Promise<string> } => {
  const child = spawn(process.execPath, [worker, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  let errors = "";
  child.stderr.on("data", (text) => (errors += String(text)));
  const ended = new Promise<string>((done) =>
    child.on("close", (code, signal) => done(`${signal ?? code} ${errors}`.trim())),
  );
  return { child, ended };
};

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

test(
  "W-07 dag-R7 8 processes, two killed and one frozen, do all dependent tasks once each and in order",
  { timeout: 120_000 },
  async () => {
    const path = join(folder, "work.db");
    const log = join(folder, "work.log");
    const store = await openSqliteStore({ path });
    const count = byLane(300, 2000);
    // Each needs two earlier ones, and every tenth is beneath a parent.
    const tasks = Array.from({ length: count }, (_, n) =>
      newTask(`n${n}`, {
        needs: n < 8 ? [] : [`n${n - 8}`, `n${Math.floor(n / 2)}`],
        ...(n % 10 === 0 && { parent: `p${n % 3}` }),
      }),
    );
    await store.add([newTask("p0"), newTask("p1"), newTask("p2"), ...tasks]);

    const workers = Array.from({ length: 8 }, () => start(["work", path, log, "1500"]));
    const doneSoFar = async (): Promise<number> => (await store.counts())[0]?.leaves.done ?? 0;
    const reach = async (target: number): Promise<void> => {
      for (let tries = 0; (await doneSoFar()) < target && tries < 1500; tries++) await pause(10);
      expect(await doneSoFar()).toBeGreaterThanOrEqual(target);
    };
    await reach(count * 0.05);
    workers[0]!.child.kill("SIGKILL");
    // Frozen in the middle of a write it would hold everybody up, as a frozen machine does: another moment is meant.
    const isFrozenAlone = async (): Promise<boolean> => {
      workers[1]!.child.kill("SIGSTOP");
      const before = await doneSoFar().catch(() => Number.MAX_SAFE_INTEGER);
      for (let tries = 0; tries < 100; tries++) {
        if ((await doneSoFar().catch(() => 0)) > before) return true;
        await pause(10);
      }
      workers[1]!.child.kill("SIGCONT");
      return false;
    };
    while (!(await isFrozenAlone())) await pause(7);
    await reach(count * 0.15);
    workers[2]!.child.kill("SIGKILL");
    await reach(count * 0.3);
    await pause(1600); // longer than a lease: what the frozen one holds passes to others
    workers[1]!.child.kill("SIGCONT");
    const ends = await Promise.all(workers.map(({ ended }) => ended));

    expect(ends).toEqual(["SIGKILL", "0", "SIGKILL", "0", "0", "0", "0", "0"]);
    expect(await store.counts()).toMatchObject([{ leaves: { done: count, pending: 0, in_progress: 0 }, ready: 0 }]);
    const lines = readFileSync(log, "utf8").trim().split("\n");
    const done = lines.filter((line) => line.startsWith("done ")).map((line) => line.slice(5));
    expect(new Set(done).size).toBe(done.length);
    // A killed one may have settled and not lived to say so.
    expect(done.length).toBeGreaterThanOrEqual(count - 2);
    const ended = new Map<string, number>();
    const started = new Map<string, number>();
    for (const { id } of tasks) {
      const verified = (await store.attempts(id!)).filter((attempt) => attempt.outcome === "verified");
      expect(verified).toHaveLength(1);
      ended.set(id!, verified[0]!.endedAt!);
      started.set(id!, verified[0]!.startedAt);
    }
    const early = tasks.filter((task) => task.needs!.some((need) => ended.get(need)! > started.get(task.id!)!));
    expect(early).toEqual([]);
    expect((await store.check()).filter(({ kind }) => kind !== "stuck")).toEqual([]);
    await store.close();
  },
);

test(
  "dag-R1 a settle that is killed at any of its writes has happened whole or not at all",
  { timeout: 120_000 },
  async () => {
    const seen: string[] = [];
    for (let at = 0; ; at++) {
      const path = join(folder, `kill-${at}.db`);
      const log = join(folder, `kill-${at}.log`);
      const before = await openSqliteStore({ path });
      await before.add([
        newTask("p"),
        newTask("a", { parent: "p" }),
        newTask("b", { needs: ["a"] }),
        newTask("c", { needs: ["p"] }),
      ]);
      await before.close();
      const { signal } = spawnSync(process.execPath, [worker, "settle", path, log, String(at)], { timeout: 30_000 });
      const store = await openSqliteStore({ path });
      const statements = readFileSync(log, "utf8").trim().split("\n");
      const isDone = statements.includes("COMMITTED");
      const view = {
        statuses: (await store.list()).tasks.map(({ id, status }) => `${id} ${status}`),
        ready: (await store.ready()).map(({ id }) => id),
        outcomes: (await store.attempts("a")).map(({ outcome }) => outcome),
        log: (await store.log("a")).length,
      };
      const whole = {
        statuses: ["p done", "a done", "b pending", "c pending"],
        ready: ["b", "c"],
        outcomes: ["verified"],
        log: 1,
      };
      const none = {
        statuses: ["p in_progress", "a in_progress", "b pending", "c pending"],
        ready: [],
        outcomes: [undefined],
        log: 0,
      };
      expect({ at, ...view }).toEqual({ at, ...(isDone ? whole : none) });
      expect((await store.check()).map(({ kind }) => kind)).toEqual(isDone ? [] : ["lease"]);
      await store.close();
      if (signal === null) break;
      expect(signal).toBe("SIGKILL");
      seen.push(statements.at(-1)!);
    }
    expect(seen[0]).toBe("BEGIN, DURABLE");
    expect(seen.slice(-2)).toEqual(["COMMIT", "COMMITTED"]);
    expect(seen.length).toBeGreaterThan(6);
  },
);

test("W-06 a process that is killed in a preview leaves nothing of it, and no lock", async () => {
  const path = join(folder, "preview.db");
  const log = join(folder, "preview.log");
  const store = await openSqliteStore({ path });
  await store.add([newTask("a")]);
  const other = start(["preview", path, log]);
  for (let tries = 0; !existsSync(log) && tries < 3000; tries++) await pause(10);
  other.child.kill("SIGKILL");
  expect(await other.ended).toBe("SIGKILL");
  expect((await store.list()).tasks.map(({ id }) => id)).toEqual(["a"]);
  await store.add([newTask("b")]);
  expect(await store.check()).toEqual([]);
  await store.close();
}, 60_000);

test("W-03 the right to replace the files has one holder, and passes on when that one is killed", async () => {
  const path = join(folder, "locked.db");
  const log = join(folder, "locked.log");
  const holder = start(["lock", path, log, "1"]);
  for (let tries = 0; !existsSync(log) && tries < 500; tries++) await pause(10);
  const others = Array.from({ length: 4 }, () => start(["lock", path, log, "10"]));
  await pause(300);
  expect(readFileSync(log, "utf8")).toBe(`+${holder.child.pid}\n`);
  holder.child.kill("SIGKILL");
  expect(await Promise.all(others.map(({ ended }) => ended))).toEqual(["0", "0", "0", "0"]);
  const turns = readFileSync(log, "utf8").trim().split("\n").slice(1);
  expect(turns).toHaveLength(80);
  for (let at = 0; at < turns.length; at += 2) expect(turns[at + 1]).toBe(turns[at]!.replace("+", "-"));
}, 60_000);
