import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { readWork } from "../system/git/work-ref.ts";
import type { Attempted } from "./attempt.ts";
import { claimTask } from "./lease.ts";
import { laneIn, laneInScopeOf, startScope } from "./open-lane.ts";
import { proving } from "./run-state.ts";
import { noEffects } from "./session-effects.ts";
import { quietly } from "./varied.ts";
import { keepOwnWork } from "./verify.ts";

test("L-40 a stop waits for the end of a proof, also of one within another, and for parts that had their copy before", async () => {
  const { lane, events, stop } = await startTestRun(await newRepository({}));
  const copy = quietly(lane.deps);
  const isStopped = (): boolean[] => [lane.deps.stop.aborted, copy.stop.aborted];
  stop();
  const seen = await proving(lane, async () => [await proving(lane, async () => isStopped()), isStopped()]);
  expect([...seen, isStopped()]).toEqual([
    [false, false],
    [false, false],
    [true, true],
  ]);
  copy.emit();
  expect(events).toEqual([]);
});

test("L-07 a run that has lost its task does not replace the work of the one that has it", async () => {
  const repository = await newRepository({ "a.txt": "a\n" });
  const { lane } = await startTestRun(repository);
  const task = await addTask(lane);
  const claim = (await claimTask(lane, { only: [task.id], iteration: 1 }))!;
  const change = { path: "a.txt", kind: "deleted", before: undefined, after: undefined } as const;
  const attempt = { claim, effects: { ...noEffects(lane.base), changes: [change] } } as unknown as Attempted;
  const lost = { ...attempt, claim: { ...claim, lease: { ...claim.lease, fence: claim.lease.fence - 1 } } };
  await keepOwnWork(lane, lost);
  const before = await readWork(repository, task.id);
  await keepOwnWork(lane, attempt);
  expect([before, await readWork(repository, task.id)]).toMatchObject([undefined, { base: lane.base.head }]);
});

test("L-08 changes of one run share all but their own work, and a lane has a state in each", async () => {
  const { lane } = await startTestRun(await newRepository({ "a.txt": "a\n" }));
  const { run } = lane;
  const { plans, prompt, rules } = run.deps;
  const other = startScope(run, {
    deps: { scope: "change/b", plans, prompt, rules },
    only: undefined,
    size: 2,
    notices: [],
  });
  other.landing = "b".repeat(40);
  other.counted = 3;
  other.end ??= { reason: "Over" };
  expect([run.landing, run.counted, run.end, run.scopes]).toEqual([other.landing, 0, other.end, [run, other]]);
  const there = laneIn(lane, other);
  expect([there.place, there.seat, there.deps.scope]).toEqual([lane.place, lane.seat, "change/b"]);
  expect([laneInScopeOf(lane, { scope: "change/b" }), laneInScopeOf(there, { scope: "workspace" })]).toEqual([
    there,
    lane,
  ]);
});
