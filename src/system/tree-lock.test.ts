import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { buildWorker, startProcess, type Started } from "../../test/control-process.ts";
import { git, temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";
import { repositoryAt } from "../../test/git-place.ts";
import { gitFolder } from "./git/folder.ts";
import { processIdentity } from "./process/process-identity.ts";
import { lockTree, readTreeLock } from "./tree-lock.ts";

const worker = await buildWorker();
const loop = (folder: string, run: string): Started => startProcess(process.execPath, [worker, "loop", folder, run]);
const use = { run: "r-1", scope: "project/auth" };
const fileIn = (folder: string): string => join(folder, "ralph", "run.json");
const dead = { host: hostname(), pid: 1, startTime: "never", run: "r-dead", scope: "s", since: "then", left: [] };
const withLock = (said: unknown): string => temporaryFolder({ "ralph/run.json": JSON.stringify(said) });

afterEach(() => vi.useRealTimers());

test("W-07 a tree is held until it is released, and its file says by whom", async () => {
  const folder = temporaryFolder();
  expect(readTreeLock(folder)).toBe(undefined);
  const lock = await lockTree(folder, use);
  expect(lock.left).toEqual([]);
  const { since, ...rest } = readTreeLock(folder)!;
  expect(rest).toEqual({ ...use, owner: processIdentity(), left: [], isAlive: true, isLeaving: false });
  expect(Math.abs(Date.now() - Date.parse(since))).toBeLessThan(30_000);
  expect(readdirSync(join(folder, "ralph")).sort()).toEqual(["run.json", "run.json.turn"]);
  lock.release();
  expect(readTreeLock(folder)).toBe(undefined);
});

test("W-07 X-75 a second loop is refused, and told by whom", async () => {
  const folder = temporaryFolder();
  const first = loop(folder, "r-first");
  await first.says("locked []");
  const { since } = readTreeLock(folder)!;
  await expect(lockTree(folder, use)).rejects.toMatchObject({
    kind: "busy",
    message: `This working tree is in use by run r-first of workspace (process ${first.pid}, since ${since})`,
    hint: "Run ralphctl stop, or ralphctl stop --after, or work in another git worktree",
  });
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(130);
  (await lockTree(folder, use)).release();
});

test("W-07 a second loop waits for one that has said its end", async () => {
  const folder = temporaryFolder();
  const first = await lockTree(folder, use);
  first.leave();
  expect(readTreeLock(folder)).toMatchObject({ run: "r-1", isAlive: true, isLeaving: true });
  const second = lockTree(folder, { ...use, run: "r-2" });
  first.release();
  const { left, release } = await second;
  expect([left, readTreeLock(folder)]).toEqual([[], expect.objectContaining({ run: "r-2", isLeaving: false })]);
  first.leave();
  first.release();
  expect(readTreeLock(folder)).toMatchObject({ run: "r-2" });
  release();
});

test("W-07 X-130 a person may stop a loop that waits for one which has said its end", async () => {
  const folder = temporaryFolder();
  const first = await lockTree(folder, use);
  first.leave();
  const interrupts = new AbortController();
  const second = lockTree(folder, { ...use, run: "r-2" }, interrupts.signal);
  interrupts.abort();
  await expect(second).rejects.toMatchObject({
    kind: "interrupted",
    message: "Stopped by you while run r-1 was tidying up",
  });
  expect(readTreeLock(folder)).toMatchObject({ run: "r-1" });
  first.release();
});

test("W-07 X-74 a run that can't write down that it leaves still gives the tree back", async () => {
  const folder = temporaryFolder();
  const first = await lockTree(folder, use);
  mkdirSync(`${fileIn(folder)}.new`); // as if the disk were full
  first.leave();
  expect(readTreeLock(folder)).toMatchObject({ run: "r-1", isLeaving: false });
  first.release();
  expect(readTreeLock(folder)).toBe(undefined);
});

test("W-07 P-41 a killed loop's tree is free, and every run that was left behind is named until one ends well", async () => {
  const folder = temporaryFolder();
  for (const [run, left] of [
    ["r-a", "[]"],
    ["r-b", '["r-a"]'],
  ] as const) {
    const started = loop(folder, run);
    await started.says(`locked ${left}`);
    started.child.kill("SIGKILL");
    await started.ended;
    expect(readTreeLock(folder)).toMatchObject({ run, isAlive: false });
  }
  const second = await lockTree(folder, use);
  expect(second.left).toEqual(["r-a", "r-b"]);
  second.restore();
  expect(readTreeLock(folder)).toMatchObject({ run: "r-b", isAlive: false });
  const third = await lockTree(folder, use);
  expect([third.left, third.crashedBeforeMs]).toEqual([["r-a", "r-b"], second.crashedBeforeMs]);
  third.release();
  const fourth = await lockTree(folder, use);
  expect(fourth.left).toEqual([]);
  fourth.release();
});

test("W-07 of several that want a dead loop's tree at the same moment, exactly one gets it", async () => {
  const rounds = 60;
  const folders = Array.from({ length: rounds }, () => withLock(dead));
  const log = join(temporaryFolder({ log: "" }), "log");
  const contenders = Array.from({ length: 4 }, () =>
    startProcess(process.execPath, [worker, "contend", log, ...folders]),
  );
  for (const each of contenders) await each.says("ready");
  const start = String(Date.now() + 100);
  for (const each of contenders) each.child.stdin.write(start);
  for (const each of contenders) await each.says("through");
  for (const each of contenders) each.child.stdin.end();
  expect(await Promise.all(contenders.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  const won = readFileSync(log, "utf8").trim().split("\n");
  expect(won.sort()).toEqual(Array.from({ length: rounds }, (_, index) => `${index} r-dead`).sort());
});

test.each(["", "{", "null", "[]", '{"pid":1}', JSON.stringify({ ...dead, run: "../x" }), "\0\0\0\0"])(
  "W-07 a damaged file holds nothing: %j",
  async (text) => {
    const folder = temporaryFolder({ "ralph/run.json": text });
    expect(readTreeLock(folder)).toBe(undefined);
    const lock = await lockTree(folder, use);
    expect(lock.left).toEqual([]);
    lock.release();
  },
);

test("W-07 P-41 who was killed before its file had its name held nothing", async () => {
  const folder = temporaryFolder({ "ralph/run.json.new": '{"host":' });
  expect(readTreeLock(folder)).toBe(undefined);
  const lock = await lockTree(folder, use);
  expect({ left: lock.left, run: readTreeLock(folder)?.run }).toEqual({ left: [], run: "r-1" });
  lock.release();
});

test("W-07 what is not ours any more is not removed", async () => {
  const folder = temporaryFolder();
  const lock = await lockTree(folder, use);
  write(folder, { "ralph/run.json": JSON.stringify(dead) });
  lock.release();
  expect(readTreeLock(folder)?.run).toBe("r-dead");
});

test("W-07 a loop on another host holds its tree while it touches the file", async () => {
  const folder = withLock({ ...dead, host: "elsewhere" });
  await expect(lockTree(folder, use)).rejects.toMatchObject({
    kind: "busy",
    message: "This working tree is in use by run r-dead of s (process 1 on elsewhere, since then)",
  });
  const longAgo = Date.now() / 1000 - 601;
  utimesSync(fileIn(folder), longAgo, longAgo);
  const lock = await lockTree(folder, use);
  expect(lock.left).toEqual(["r-dead"]);
  lock.release();
});

test("W-07 the file is touched every ten seconds, until the tree is given back", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const folder = temporaryFolder();
  const lock = await lockTree(folder, use);
  const age = (): number => Math.round((Date.now() - statSync(fileIn(folder)).mtimeMs) / 60_000);
  const longAgo = Date.now() / 1000 - 3600;
  utimesSync(fileIn(folder), longAgo, longAgo);
  vi.advanceTimersByTime(9_000);
  expect(age()).toBe(60);
  vi.advanceTimersByTime(1000);
  expect(age()).toBe(0);
  lock.release();
  expect(vi.getTimerCount()).toBe(0);
});

test("W-07 two working trees of one repository are held apart", async () => {
  const main = temporaryRepository({ "a.txt": "a" });
  const other = join(temporaryFolder(), "other tree");
  git(main, "worktree", "add", "--quiet", "--detach", other);
  const own = [main, other].map((folder) => gitFolder(folder)!.own);
  expect(own).toEqual([(await repositoryAt(main)).gitFolder, (await repositoryAt(other)).gitFolder]);
  const locks = await Promise.all(own.map((folder) => lockTree(folder, use)));
  expect(own.map((folder) => existsSync(fileIn(folder)))).toEqual([true, true]);
  for (const lock of locks) lock.release();
});

test("W-05 a link that leads out of the git folder is refused", async () => {
  const folder = temporaryFolder();
  const outside = temporaryFolder();
  symlinkSync(outside, join(folder, "ralph"));
  await expect(lockTree(folder, use)).rejects.toMatchObject({ kind: "data" });
  expect(readdirSync(outside)).toEqual([]);
});

test("X-74 a folder in the place of the file is an error that says so", async () => {
  const folder = temporaryFolder();
  mkdirSync(fileIn(folder), { recursive: true });
  await expect(lockTree(folder, use)).rejects.toMatchObject({
    kind: "io",
    message: `Cannot read ${fileIn(folder)}: EISDIR`,
  });
});
