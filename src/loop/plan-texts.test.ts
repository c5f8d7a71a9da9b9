import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { startTestRun } from "../../test/running.ts";
import { git, write } from "../../test/temporary-folder.ts";
import { readOwnPlans } from "./plan-texts.ts";
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
