import type { RunFinished } from "../domain/run/event.ts";
import { LaneTaken } from "../lane/lane.ts";
import type { Claim } from "../store/store.ts";
import { after } from "./after.ts";
import { judgeAllowed } from "./allowed.ts";
import { offerAsDone } from "./already-done.ts";
import { attempt } from "./attempt.ts";
import { begin, joinRun, takeFirstBaseline } from "./begin.ts";
import { decide, type End, STOPPED } from "./decide.ts";
import { isAncestor } from "../system/git/ref.ts";
import { finish, nothingReady } from "./finish.ts";
import { withEnd } from "./finish-broken.ts";
import { followPerson } from "./follow-person.ts";
import { judgeTask } from "./judge-attempt.ts";
import { claimHere } from "./elsewhere.ts";
import { runHooks, withHooks } from "./hooks.ts";
import { followRemote } from "./follow-remote.ts";
import { LandingBlocked } from "./lander.ts";
import { dropUnowned, shelveSettled } from "./left-by-others.ts";
import { finishVerdicts } from "./recover.ts";
import { isUsedUp, reserve } from "./share.ts";
import { awaitOthers, countShared, gatherSettled, mayClaim, othersWork } from "./shared-run.ts";
import { withLease } from "./lease.ts";
import { laneIn, startLane, startRun } from "./open-lane.ts";
import { readOwnPlans } from "./plan-texts.ts";
import { afterPlan, judgePlan, settlePlan } from "./plan.ts";
import { worksAlone } from "./prove-claim.ts";
import type { Assignment, RunDeps } from "./run-deps.ts";
import { type LaneState, proving } from "./run-state.ts";
import { settle } from "./settle.ts";
import { afterSprint } from "./sprint.ts";
import { settleTogether } from "./together.ts";
import { watchRequests } from "./watch-requests.ts";
import { alone, awaitBackground, type LanePlaces, standBy, workInLanes } from "./work-in-lanes.ts";
import { isComplete, workLeft } from "./work-left.ts";

/** Repeats decide, claim, attempt, judge, settle and after in each lane, until something ends the run. */
export async function runLoop(deps: RunDeps, assignment: Assignment, places: LanePlaces): Promise<RunFinished> {
  const run = startRun(deps, assignment, places.count);
  const lane = startLane(run, places.first.lane, places.first);
  return await withEnd(lane, async () => {
    const endWatch = watchRequests(deps);
    try {
      await lane.seat.sit(async () => await begin(lane, assignment, places));
      await workInLanes(lane, places, { before: async () => await takeFirstBaseline(lane), iterate });
      await awaitBackground(lane);
      if (deps.fleet !== undefined) await lane.seat.sit(async () => await awaitFleet(lane));
    } finally {
      endWatch();
    }
    return await lane.seat.sit(async () => await finish(lane, run.end!));
  });
}

/** The other machines end, and what they landed is here. */
async function awaitFleet(lane: LaneState): Promise<void> {
  await awaitOthers(lane);
  await dropUnowned(lane);
  await shelveSettled(lane);
  await followRemote(lane);
  await gatherSettled(lane);
  await countShared(lane.run);
}

/** F-03: works on a run that another process follows, until it ends or something ends the work here. */
export async function runWorker(deps: RunDeps, assignment: Assignment, places: LanePlaces): Promise<End> {
  const run = startRun(deps, assignment, places.count);
  const lane = startLane(run, places.first.lane, places.first);
  return await withHooks(lane, async () => {
    await lane.seat.sit(async () => await joinRun(lane, places));
    await workInLanes(lane, places, { before: async () => await takeFirstBaseline(lane), iterate });
    await awaitBackground(lane);
    await lane.seat.sit(async () => await shelveSettled(lane));
    return run.end!;
  });
}

/** `step`: one iteration. Its outcome alone decides how the run ends, even if other tasks are left. */
export async function runStep(deps: RunDeps, assignment: Assignment, places: LanePlaces): Promise<RunFinished> {
  const rules = { ...deps.rules, iterations: 1 };
  const run = startRun({ ...deps, rules }, { ...assignment, buildsAfterPlan: false });
  const lane = startLane(run, places.first.lane, places.first);
  return await withEnd(lane, async () =>
    lane.seat.sit(async () => {
      await begin(lane, assignment, places);
      await takeFirstBaseline(lane);
      const early = await decide(lane);
      return await finish(lane, early ?? (await unlessTaken(async () => await iterateOnce(lane))));
    }),
  );
}

/** Runs one iteration. Returns an end if it was the last one. */
const iterate = async (lane: LaneState): Promise<End | undefined> =>
  await unlessTaken(async () => await iterateNext(lane));

/** T-41: a person who takes the tree away from a session ends the run. */
async function unlessTaken<Result>(action: () => Promise<Result>): Promise<Result | End> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof LandingBlocked) return error.end;
    if (!(error instanceof LaneTaken)) throw error;
    return { brokeOff: "person", reason: error.message, ...(error.hint !== undefined && { help: [error.hint] }) };
  }
}

async function iterateNext(lane: LaneState): Promise<End | undefined> {
  const { run, deps } = lane;
  const blocked = await takePersons(lane);
  if (blocked !== undefined) return blocked;
  if (deps.fleet !== undefined && run.mode === "build" && !(await mayClaim(lane))) return await nothingHere(lane);
  const number = await takeNumber(lane);
  if (number === undefined) return await standBy(lane);
  if (run.mode === "plan") return await plan(lane);
  const claim = await claimHere(lane);
  if (claim === undefined) {
    await giveNumberBack(lane, number);
    return await nothingHere(lane);
  }
  lane.isAtWork = true;
  try {
    if (await isHeldBack(lane, claim)) {
      await giveNumberBack(lane, number);
      return await standBy(lane);
    }
    if (!(await offerAsDone(lane, claim))) return await workOn(lane, claim);
    await giveNumberBack(lane, number);
    return undefined;
  } finally {
    lane.isAtWork = false;
    run.busy.delete(lane);
    run.bell.ring();
  }
}

/** No task can be claimed here. */
async function nothingHere(lane: LaneState): Promise<End | undefined> {
  if (await mayGoOn(lane)) return await standBy(lane);
  if (lane.deps.fleet === undefined) return await nothingReady(lane);
  const others = await othersWork(lane);
  if (others === true) return await standBy(lane);
  if (others !== false) return others;
  await takePersons(lane);
  await gatherSettled(lane);
  return await nothingReady(lane);
}

/** F-05: sessions on other machines may use up all that is left. */
async function isHeldBack(lane: LaneState, { lease }: Claim): Promise<boolean> {
  if (lane.deps.fleet === undefined) return false;
  lane.lease = lease;
  if (!isUsedUp(await reserve(lane.run, lane))) return false;
  lane.lease = undefined;
  await lane.deps.store.release(lease, "Nothing of the budget is free");
  return true;
}

/** Tasks may become ready when another lane has settled its own. */
async function mayGoOn(lane: LaneState): Promise<boolean> {
  const { run } = lane;
  const others = [...run.busy].filter((other) => other !== lane);
  if (others.some((other) => other.run === run)) return true;
  return others.length > 0 && !isComplete(await workLeft(run));
}

/** L-08: iterations have their numbers from the claim on. Undefined: a fleet begins none more. */
async function takeNumber(lane: LaneState): Promise<number | undefined> {
  const { run, deps } = lane;
  const number = deps.fleet === undefined ? run.begun + 1 : await deps.fleet.shared.takeIteration(deps.runId);
  if (number === undefined) return undefined;
  run.begun = Math.max(run.begun, number);
  lane.iteration = number;
  return number;
}

/** No session has it; but another lane may have the next one already. */
async function giveNumberBack({ run, deps }: LaneState, number: number): Promise<void> {
  await deps.fleet?.shared.giveIterationBack(deps.runId, number);
  if (run.begun === number) run.begun -= 1;
}

async function takePersons(lane: LaneState): Promise<End | undefined> {
  const { landing } = lane.run;
  if (lane.deps.fleet !== undefined) {
    await proving(lane, async () => await followRemote(lane));
    await proving(lane, async () => await finishVerdicts({ deps: lane.deps, depsOf: async () => lane.deps }));
  }
  const blocked = await proving(lane, async () => await followPerson(lane));
  if (blocked === undefined && lane.run.landing !== landing) {
    const isRewound = !(await isAncestor(lane.deps.home, landing, lane.run.landing));
    for (const scope of lane.run.scopes) await readOwnPlans(laneIn(lane, scope), { isRewound });
  }
  return blocked ?? (lane.deps.stop.aborted ? STOPPED : undefined);
}

async function iterateOnce(lane: LaneState): Promise<End> {
  const blocked = await takePersons(lane);
  if (blocked !== undefined) return blocked;
  await takeNumber(lane);
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
  const isAlone = await worksAlone(lane, claim.task.id);
  return await withLease(lane, claim, async (lost) => {
    const work = async (): Promise<End | undefined> => await workWithLease(lane, claim, lost);
    return isAlone ? await alone(lane, claim.task, work) : await work();
  });
}

async function workWithLease(lane: LaneState, claim: Claim, lost: AbortSignal): Promise<End | undefined> {
  const allowed = await judgeAllowed(lane, claim, lost);
  const judged = allowed ?? (await judgeTask(lane, await attempt(lane, claim, lost)));
  const settled = await settle(lane, judged);
  const end = await after(lane, judged, settled);
  const others = await proving(lane, async () => await settleTogether(lane, judged, settled));
  for (const event of others) await runHooks(lane, event);
  return end ?? (await afterSprint(lane, judged, settled));
}

/** P-04: planning has no assigned task. The plan is the work, and a plan that parses is the proof. */
async function plan(lane: LaneState): Promise<End | undefined> {
  const judged = await judgePlan(lane, await attempt(lane, undefined, undefined));
  const settled = await settlePlan(lane, judged);
  return (await after(lane, judged, settled)) ?? (await afterPlan(lane, settled));
}
