import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { commitAll, git, write } from "../../test/temporary-folder.ts";
import type { Task } from "../domain/task.ts";
import { findTakenBack, rememberWork } from "./taken-back.ts";

test("T-20 only landed work of another task that is done is taken back, in files that the task may not change", async () => {
  const repository = await newRepository({ "a.txt": "1\n" });
  const { lane } = await startTestRun(repository);
  const { store, owner, scope } = lane.deps;
  const tree = (): string => git(repository.folder, "rev-parse", "HEAD^{tree}");
  const [before, base] = [lane.run.landing, tree()];
  write(repository.folder, { "a.txt": "2\n" });
  commitAll(repository.folder, "Work");
  const landed = git(repository.folder, "rev-parse", "HEAD");

  const one = await addTask(lane, { title: "One" });
  const two = await addTask(lane, { title: "Two" });
  await rememberWork(lane, one, { head: before, tree: tree() });
  const claim = await store.claim({ scopes: [scope], owner, leaseMs: 1000 });
  await store.settle(claim!.lease, { outcome: "verified", to: "done", counted: false });
  const found = async (task: Task): Promise<string[]> => await findTakenBack(lane, task, { head: landed, tree: base });
  const word = `it takes back the work of ${one.id} "One": a.txt`;
  expect([await found(two), await found(one), await found({ ...two, mayChange: ["a.txt"] })]).toEqual([[word], [], []]);

  await store.change(one.id, { kind: "reset" }, "person");
  expect(await found(two)).toEqual([]);
});
