import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { git, write } from "../../test/temporary-folder.ts";
import { markBefore, readOwnPlans, rememberCreated } from "./plan-texts.ts";
import type { PlanListener, Plans } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";

const ownPaths = ({ run }: LaneState): string[] => [...run.ownPlans.keys()];

test("L-03 T-41 lines that the person took off the branch again are theirs, although they had landed", async () => {
  const repository = await newRepository({ "PLAN.md": "- [ ] One\n" });
  const { folder } = repository;
  const before = git(folder, "rev-parse", "HEAD");
  const text = "- [ ] One\n- [ ] Mine\n";
  write(folder, { "PLAN.md": text });
  git(folder, "commit", "--quiet", "--all", "--message", "Mine");
  const { lane: begun } = await startTestRun(repository);
  const plans = { ...begun.deps.plans, texts: async () => new Map([["PLAN.md", text]]) };
  const lane = { ...begun, deps: { ...begun.deps, plans } };
  await readOwnPlans(lane);
  expect(ownPaths(lane)).toEqual(["PLAN.md"]);
  lane.run.landing = before;
  await readOwnPlans(lane, { isRewound: true });
  expect(ownPaths(lane)).toEqual([]);
  await readOwnPlans(lane);
  expect(ownPaths(lane)).toEqual([]);
});

test("L-03 L-22 a plan file of ours that gets the mark of a killed run's work stays ours", async () => {
  const repository = await newRepository({ "PLAN.md": "- [ ] One\n" });
  const { lane: begun } = await startTestRun(repository);
  const [from, to] = ["- [ ] One\n- [ ] An agent's\n", "- [x] One\n- [ ] An agent's\n"];
  let text = from;
  let onWrite: PlanListener | undefined;
  const plans: Plans = {
    ...begun.deps.plans,
    texts: async () => new Map([["PLAN.md", text]]),
    whileWriting: async (listener, action) => {
      onWrite = listener;
      return await action();
    },
    mark: async () => {
      (await onWrite!({ path: "PLAN.md", from: text, to }))();
      text = to;
      return { hasChanged: true, problems: [] };
    },
  };
  const lane = { ...begun, deps: { ...begun.deps, plans } };
  const task = await addTask(lane);
  // Nobody but the person has written it so far.
  await readOwnPlans(lane);
  await markBefore(lane.deps, task);
  await readOwnPlans(lane);
  const theirs = ownPaths(lane);
  text = from;
  await rememberCreated(lane.deps, "PLAN.md", from);
  await markBefore(lane.deps, task);
  await readOwnPlans(lane);
  expect([theirs, ownPaths(lane)]).toEqual([[], ["PLAN.md"]]);
});
