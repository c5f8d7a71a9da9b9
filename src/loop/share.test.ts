import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { startTestRun } from "../../test/running.ts";
import { startLane, startRun } from "./open-lane.ts";
import { budgetFree, reserve } from "./share.ts";

const ASSIGNMENT = {
  mode: "build",
  only: undefined,
  size: 4,
  buildsAfterPlan: false,
  notices: [],
  info: [],
  notIncluded: [],
} as const;

test("L-08 lanes, reviewers and hooks together never have more of the budget than there is, and each task has a part", async () => {
  const { lane: begun } = await startTestRun(await newRepository({}), { rules: { costUsd: 8, tokens: 800 } });
  const run = startRun(begun.deps, { ...ASSIGNMENT, head: begun.run.landing }, 4);
  const lanes = [1, 2, 3, 4].map((number) => startLane(run, { ...begun.place, number }));
  // All have claimed before the first one reserves.
  for (const lane of lanes) run.busy.add(lane);
  const parts = [];
  for (const lane of lanes) parts.push(await reserve(run, lane));
  expect(parts).toEqual(lanes.map(() => ({ costUsd: 2, tokens: 200, isPart: true })));
  expect(budgetFree(run)).toEqual({ costUsd: 0, tokens: 0 });
  // A review has what its session left, and a hook what nobody has.
  expect(await reserve(run, lanes[0]!, { costUsd: 0.5, tokens: 50 })).toEqual({
    costUsd: 1.5,
    tokens: 150,
    isPart: true,
  });
  expect(await reserve(run, { hook: "look" })).toEqual({ costUsd: 0, tokens: 0, isPart: true });
  run.busy.clear();
  run.reserved.clear();
  expect(await reserve(run, lanes[0]!)).toEqual({ costUsd: 8, tokens: 800 });
});
