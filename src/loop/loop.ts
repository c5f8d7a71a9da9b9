import type { RunFinished } from "../domain/run/event.ts";
import type { Claim } from "../store/store.ts";
import { after } from "./after.ts";
import { attempt } from "./attempt.ts";
import { begin } from "./begin.ts";
import { decide, type End } from "./decide.ts";
import { finish, nothingReady } from "./finish.ts";
import { withHooks } from "./hooks.ts";
import { judgeTask } from "./judge-attempt.ts";
import { claimTask, withLease } from "./lease.ts";
import { afterPlan, judgePlan, settlePlan } from "./plan.ts";
import type { Assignment, RunDeps } from "./run-deps.ts";
import { type LaneState, startLane } from "./run-state.ts";
import { settle } from "./settle.ts";
import { shelveOtherWork } from "./shelve.ts";
import { afterSprint } from "./sprint.ts";
import { workLeft } from "./work-left.ts";
import type { WorkTree } from "./work-tree.ts";

/** Repeats decide, claim, attempt, judge, settle and after, until the work is proven done or something ends the run. */
export async function runLoop(deps: RunDeps, assignment: Assignment, work: WorkTree): Promise<RunFinished> {
  const lane = startLane(deps, work, assignment);
  return await withHooks(lane, async () => {
    let end = await begin(lane, assignment);
    while (end === undefined) end = (await decide(lane)) ?? (await iterate(lane));
    return await finish(lane, end);
  });
}

/** `step`: one iteration. Its outcome alone decides how the run ends, even if other tasks are left. */
export async function runStep(deps: RunDeps, assignment: Assignment, work: WorkTree): Promise<RunFinished> {
  const rules = { ...deps.rules, iterations: 1 };
  const lane = startLane({ ...deps, rules }, work, { ...assignment, buildsAfterPlan: false });
  return await withHooks(lane, async () => {
    const early = (await begin(lane, assignment)) ?? (await decide(lane));
    return await finish(lane, early ?? (await iterateOnce(lane)));
  });
}

/** Runs one iteration. Returns an end if it was the last one. */
async function iterate(lane: LaneState): Promise<End | undefined> {
  if (lane.run.mode === "plan") return await plan(lane);
  const claim = await claimTask(lane);
  return claim === undefined ? await nothingReady(lane) : await workOn(lane, claim);
}

async function iterateOnce(lane: LaneState): Promise<End> {
  if (lane.run.mode === "plan") {
    return (await plan(lane)) ?? { brokeOff: "failure", reason: "The plan is not written yet" };
  }
  const claim = await claimTask(lane);
  if (claim === undefined) return (await nothingReady(lane)) ?? { reason: "More work became ready" };
  lane.run.only = [claim.task.id];
  const end = await workOn(lane, claim);
  if (end !== undefined) return end;
  const { ready } = await workLeft(lane.run);
  return ready > 0
    ? { brokeOff: "failure", reason: `${claim.task.id} is not proven, and still open` }
    : { reason: "The step has ended" };
}

async function workOn(lane: LaneState, claim: Claim): Promise<End | undefined> {
  return await withLease(lane, claim, async (lost) => {
    const refused = await shelveOtherWork(lane, claim.task.id);
    if (refused !== undefined) {
      await lane.deps.store.release(claim.lease, refused);
      return { brokeOff: "person", reason: refused };
    }
    const judged = await judgeTask(lane, await attempt(lane, claim, lost));
    const settled = await settle(lane, judged);
    return (await after(lane, judged, settled)) ?? (await afterSprint(lane, judged, settled));
  });
}

/** P-04: planning has no assigned task. The plan is the work, and a plan that parses is the proof. */
async function plan(lane: LaneState): Promise<End | undefined> {
  const refused = await shelveOtherWork(lane, undefined);
  if (refused !== undefined) return { brokeOff: "person", reason: refused };
  const judged = await judgePlan(lane, await attempt(lane, undefined, undefined));
  const settled = await settlePlan(lane, judged);
  return (await after(lane, judged, settled)) ?? (await afterPlan(lane, settled));
}
