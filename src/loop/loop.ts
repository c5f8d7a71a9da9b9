import type { RunFinished } from "../domain/run/event.ts";
import { type Lane, LaneTaken } from "../lane/lane.ts";
import type { Claim } from "../store/store.ts";
import { after } from "./after.ts";
import { judgeAllowed } from "./allowed.ts";
import { offerAsDone } from "./already-done.ts";
import { attempt } from "./attempt.ts";
import { begin } from "./begin.ts";
import { decide, type End, STOPPED } from "./decide.ts";
import { finish, nothingReady } from "./finish.ts";
import { followPerson } from "./follow-person.ts";
import { runHooks, withHooks } from "./hooks.ts";
import { judgeTask } from "./judge-attempt.ts";
import { claimHere } from "./elsewhere.ts";
import { withLease } from "./lease.ts";
import { readOwnPlans } from "./plan-texts.ts";
import { afterPlan, judgePlan, settlePlan } from "./plan.ts";
import type { Assignment, RunDeps } from "./run-deps.ts";
import { type LaneState, proving, startLane } from "./run-state.ts";
import { settle } from "./settle.ts";
import { afterSprint } from "./sprint.ts";
import { settleTogether } from "./together.ts";
import { workLeft } from "./work-left.ts";

/** Repeats decide, claim, attempt, judge, settle and after, until the work is proven done or something ends the run. */
export async function runLoop(deps: RunDeps, assignment: Assignment, place: Lane): Promise<RunFinished> {
  const lane = startLane(deps, place, assignment);
  return await withHooks(lane, async () => {
    let end = await begin(lane, assignment);
    while (end === undefined) end = (await decide(lane)) ?? (await iterate(lane));
    return await finish(lane, end);
  });
}

/** `step`: one iteration. Its outcome alone decides how the run ends, even if other tasks are left. */
export async function runStep(deps: RunDeps, assignment: Assignment, place: Lane): Promise<RunFinished> {
  const rules = { ...deps.rules, iterations: 1 };
  const lane = startLane({ ...deps, rules }, place, { ...assignment, buildsAfterPlan: false });
  return await withHooks(lane, async () => {
    const early = (await begin(lane, assignment)) ?? (await decide(lane));
    return await finish(lane, early ?? (await unlessTaken(async () => await iterateOnce(lane))));
  });
}

/** Runs one iteration. Returns an end if it was the last one. */
const iterate = async (lane: LaneState): Promise<End | undefined> =>
  await unlessTaken(async () => await iterateNext(lane));

/** T-41: a person who takes the tree away from a session ends the run. */
async function unlessTaken<Result>(action: () => Promise<Result>): Promise<Result | End> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof LaneTaken)) throw error;
    return { brokeOff: "person", reason: error.message, ...(error.hint !== undefined && { help: [error.hint] }) };
  }
}

async function iterateNext(lane: LaneState): Promise<End | undefined> {
  const blocked = await takePersons(lane);
  if (blocked !== undefined) return blocked;
  if (lane.run.mode === "plan") return await plan(lane);
  const claim = await claimHere(lane);
  if (claim === undefined) return await nothingReady(lane);
  return (await offerAsDone(lane, claim)) ? undefined : await workOn(lane, claim);
}

async function takePersons(lane: LaneState): Promise<End | undefined> {
  const { landing } = lane.run;
  const blocked = await proving(lane, async () => await followPerson(lane));
  if (blocked === undefined && lane.run.landing !== landing) await readOwnPlans(lane);
  return blocked ?? (lane.deps.stop.aborted ? STOPPED : undefined);
}

async function iterateOnce(lane: LaneState): Promise<End> {
  const blocked = await takePersons(lane);
  if (blocked !== undefined) return blocked;
  if (lane.run.mode === "plan") {
    return (await plan(lane)) ?? { brokeOff: "failure", reason: "The plan is not written yet" };
  }
  const claim = await claimHere(lane);
  if (claim === undefined) return (await nothingReady(lane)) ?? { reason: "More work became ready" };
  lane.run.only = [claim.task.id];
  if (await offerAsDone(lane, claim)) {
    const isDone = (await lane.deps.store.get(claim.task.id))?.status === "done";
    return { reason: isDone ? "The step has ended" : `${claim.task.id} may be done already` };
  }
  const end = await workOn(lane, claim);
  if (end !== undefined) return end;
  const { ready } = await workLeft(lane.run);
  return ready > 0
    ? { brokeOff: "failure", reason: `${claim.task.id} is not proven, and still open` }
    : { reason: "The step has ended" };
}

async function workOn(lane: LaneState, claim: Claim): Promise<End | undefined> {
  return await withLease(lane, claim, async (lost) => {
    const allowed = await judgeAllowed(lane, claim, lost);
    const judged = allowed ?? (await judgeTask(lane, await attempt(lane, claim, lost)));
    const settled = await settle(lane, judged);
    const end = await after(lane, judged, settled);
    const others = await proving(lane, async () => await settleTogether(lane, judged, settled));
    for (const event of others) await runHooks(lane, event);
    return end ?? (await afterSprint(lane, judged, settled));
  });
}

/** P-04: planning has no assigned task. The plan is the work, and a plan that parses is the proof. */
async function plan(lane: LaneState): Promise<End | undefined> {
  const judged = await judgePlan(lane, await attempt(lane, undefined, undefined));
  const settled = await settlePlan(lane, judged);
  return (await after(lane, judged, settled)) ?? (await afterPlan(lane, settled));
}
