import { expect, test } from "vitest";
import { repositoryAt } from "../../test/git-place.ts";
import { addTask, startTestRun, untouchedFiles } from "../../test/running.ts";
import {
  commitAll,
  copyFolder,
  git,
  temporaryFolder,
  temporaryRepository,
  write,
} from "../../test/temporary-folder.ts";
import type { Gate } from "../domain/gate.ts";
import { finalCheck } from "./final-check.ts";
import { nothingReady } from "./finish.ts";

const own: Gate = { id: "own", kind: "task", run: "grep -q good a.txt", timeoutMs: 30_000, retries: 0 };

/** Its last commit is not on record as a task's. */
async function brokenRun() {
  const folder = temporaryRepository({ "begin.txt": "" });
  const start = git(folder, "rev-parse", "HEAD").trim();
  write(folder, { "a.txt": "good\n" });
  commitAll(folder, "First");
  const tree = git(folder, "rev-parse", "HEAD^{tree}").trim();
  write(folder, { "a.txt": "bad\n" });
  commitAll(folder, "Mine\n\nRalph-Task: t-1");
  const clone = temporaryFolder();
  copyFolder(folder, clone);
  const enter = async ({ head }: { readonly head: string }) => {
    git(clone, "checkout", "--quiet", "--force", head);
    return { root: clone, env: {}, setup: undefined, prepared: "", files: untouchedFiles };
  };
  const { lane, events } = await startTestRun(await repositoryAt(folder), { room: { enter } });
  Object.assign(lane.run, { startHead: start });
  const added = await addTask(lane, { title: "First", gates: [{ id: "own", run: own.run, retries: 0 }] });
  const task = await lane.deps.store.change(added.id, { kind: "complete" }, "person");
  lane.run.settled.push({ task, strength: "proven", tree, gates: [own] });
  return { lane, events, task, head: git(folder, "rev-parse", "--short=10", "HEAD").trim() };
}

test("T-31 a person's commit that breaks a task's gate ends the run with the task to add, and reopens nothing", async () => {
  const { lane, events, task, head } = await brokenRun();
  expect(await finalCheck(lane)).toEqual({
    brokeOff: "person",
    reason: `Gate own of ${task.id} (First) fails since ${head} (Mine) by Test`,
    help: [
      `ralphctl task add 'Mend the gate own of ${task.id}, which ${head} broke' --gate '${task.id}.own=grep -q good a.txt'`,
    ],
  });
  expect((await lane.deps.store.get(task.id))?.status).toBe("done");
  expect(events.filter(({ type }) => type === "tasks.changed")).toEqual([]);
});

test("P-21 P-50 a task that is added while the final check runs belongs to the run", async () => {
  const folder = temporaryRepository({ "a.txt": "good\n" });
  let isLate = false;
  const enter = async () => {
    if (isLate) await addTask(lane, { title: "Late" });
    return { root: folder, env: {}, setup: undefined, prepared: "", files: untouchedFiles };
  };
  const { lane } = await startTestRun(await repositoryAt(folder), { room: { enter } });
  const added = await addTask(lane, { title: "First", gates: [{ id: "own", run: own.run, retries: 0 }] });
  const task = await lane.deps.store.change(added.id, { kind: "complete" }, "person");
  lane.run.settled.push({ task, strength: "proven", tree: "another", gates: [own] });
  expect(await nothingReady(lane)).toEqual({ reason: "All tasks are done" });
  isLate = true;
  expect([await nothingReady(lane), (await lane.deps.store.ready({ limit: 9 })).map(({ title }) => title)]).toEqual([
    undefined,
    ["Late"],
  ]);
});

test("L-08 W-07 a task that another lane took meanwhile is no other run's, and ends nothing", async () => {
  const folder = temporaryRepository({ "a.txt": "good\n" });
  const { lane } = await startTestRun(await repositoryAt(folder));
  const { id } = await addTask(lane, { title: "Late" });
  await lane.deps.store.claim({ owner: lane.deps.owner, leaseMs: 60_000 });
  lane.run.busy.add({ ...lane });
  expect(await nothingReady(lane)).toBe(undefined);
  lane.run.busy.clear();
  expect(await nothingReady(lane)).toEqual({ reason: `Another run works on ${id}, and nothing else is ready` });
});
