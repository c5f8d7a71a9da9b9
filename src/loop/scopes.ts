import { changeEnd } from "../domain/run/ready-changes.ts";
import type { End } from "./decide.ts";
import { outcomeOf } from "./finish.ts";
import { laneIn, startScope } from "./open-lane.ts";
import { readOwnPlans } from "./plan-texts.ts";
import { busyIn, hasScopes, type LaneState, rest, type RunState, tell, warn } from "./run-state.ts";
import { isComplete, isOver, workLeft } from "./work-left.ts";

// A run may work on several changes at once (`--continue-ready` with lanes). Each lane takes its next task
// from one of them, and changes that become ready later are taken in.

/** Takes all changes in that are ready when the run begins. */
export async function takeScopes(lane: LaneState): Promise<void> {
  while (await takeScope(lane));
}

/** Takes the next change in. False if none is ready. */
async function takeScope(lane: LaneState): Promise<boolean> {
  const { run } = lane;
  const next = await run.deps.nextScope?.();
  if (next === undefined) return false;
  if ("problem" in next) {
    warn(lane, `${next.scope.replace("/", " ")} is left out: ${next.problem}`);
    run.refused.push(changeEnd(next.scope, { ending: "failure", reason: next.problem }));
    return true;
  }
  const scope = startScope(run, next);
  await readOwnPlans(laneIn(lane, scope));
  for (const text of next.notices) warn(lane, text);
  if (run.begun > 0) tell(lane, `${next.deps.scope.replace("/", " ")} is ready now`);
  return true;
}

/** The lane in the scope that it works on next. Undefined if nothing more can be done for any. */
export async function nextLane(lane: LaneState): Promise<LaneState | undefined> {
  const { run } = lane;
  if (!hasScopes(run)) return lane;
  await closeScopes(lane);
  let scope = await withTask(run);
  // A change that cannot be used must not hide the next one.
  while (scope === undefined && (await takeScope(lane))) scope = await withTask(run);
  const next = scope ?? (await atItsEnd(run));
  if (next === undefined) return undefined;
  // What a session left may still be read, by the same git index.
  const others = [...lane.states.values()].filter((state) => state.run !== next);
  await Promise.all(others.map(async ({ background }) => await background));
  return laneIn(lane, next);
}

/**
 * A scope with a ready task: the one on which the fewest lanes work, since tasks of one change are more likely to conflict.
 * One that had none left goes on, if another change has unblocked or broken its tasks.
 */
async function withTask({ scopes }: RunState): Promise<RunState | undefined> {
  for (const scope of scopes.toSorted((one, other) => busyIn(one).length - busyIn(other).length)) {
    if (isOver(scope) || isFull(scope) || !(await hasTask(scope))) continue;
    scope.ended = undefined;
    scope.outcome = undefined;
    return scope;
  }
  return undefined;
}

/** L-08: whether sessions under way may use up the iterations of the scope. */
export const isFull = (scope: RunState): boolean => {
  const busy = busyIn(scope).length;
  return busy > 0 && scope.iterations > 0 && scope.counted + busy >= scope.iterations;
};

/** Whether a task is ready whose prerequisites have landed here. */
async function hasTask({ deps, only, elsewhere }: RunState): Promise<boolean> {
  const ready = await deps.store.ready({ scopes: [deps.scope], limit: only === undefined ? elsewhere.size + 1 : 1000 });
  return ready.some(({ id }) => !elsewhere.has(id) && (only?.includes(id) ?? true));
}

/** A scope that is complete, or another one for which nothing more is done at the moment. */
async function atItsEnd({ scopes }: RunState): Promise<RunState | undefined> {
  const idle = scopes.filter((scope) => scope.ended === undefined && busyIn(scope).length === 0);
  for (const scope of idle) if (isComplete(await workLeft(scope))) return scope;
  return idle[0];
}

/** The reason to end holds for the scope of the lane, or for all. */
export function endScope({ run }: LaneState, end: End): void {
  const isOfBranch = end.refusal !== undefined;
  const isOfAgents = end.brokeOff === "login" || end.brokeOff === "model" || end.brokeOff === "errors";
  const isForAll = end.interrupted === true || isOfAgents || isOfBranch;
  const isLimitOfAll = end.limit !== undefined && end.limit !== "iterations";
  if (!hasScopes(run) || isForAll || isLimitOfAll) run.end ??= end;
  else run.ended = end;
}

/** Reports scopes that have come to their end, once no lane works on them. */
async function closeScopes(lane: LaneState): Promise<void> {
  for (const scope of lane.run.scopes) {
    const { ended } = scope;
    if (ended === undefined || scope.outcome !== undefined || busyIn(scope).length > 0) continue;
    const here = laneIn(lane, scope);
    // Its gates may run once more, and no other lane may report it meanwhile.
    scope.busy.add(here);
    try {
      scope.outcome = await outcomeOf(here, ended);
    } finally {
      rest(here);
    }
    const { left } = scope.outcome;
    here.deps.emit({ type: "change.finished", ...changeEnd(scope.deps.scope, scope.outcome), left });
  }
}
