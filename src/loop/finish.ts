import { namesInLine } from "../domain/verdict-report.ts";
import type { RunFinished, UnfinishedWork } from "../domain/run/event.ts";
import { endingOf, type WorkLeft } from "../domain/run/policy.ts";
import { joinOutcomes, MOST_NAMED, type ScopeOutcome } from "../domain/run/ready-changes.ts";
import { describeScope } from "../domain/scope-name.ts";
import { isSettled, type Task, type TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import { type End, endNow, STOPPED } from "./decide.ts";
import { finalCheck } from "./final-check.ts";
import { awaitHooks, runHooks } from "./hooks.ts";
import { follow } from "./land.ts";
import { laneIn } from "./open-lane.ts";
import { elapsedMs, hasScopes, type LaneState } from "./run-state.ts";
import { followAfter } from "./session-effects.ts";
import { approveLooks, type Standings, standings } from "./standing.ts";
import { LAND, refused } from "../system/git/follow-refusal.ts";
import { countCommits } from "../system/git/commit.ts";
import { listWork, pathsOfWork, readWork } from "../system/git/work-ref.ts";
import { hasReady, isComplete, workLeft } from "./work-left.ts";

/** No task can be claimed: the work is complete, or all remaining tasks wait. Undefined if work became ready. */
export async function nothingReady(lane: LaneState): Promise<End | undefined> {
  if (await hasMoreInPlan(lane)) return undefined;
  const left = await workLeft(lane.run);
  const { landing } = lane.run;
  const checked = isComplete(left) ? await finalCheck(lane) : "green";
  if (checked === "reopened") return undefined;
  if (lane.deps.stop.aborted) return STOPPED;
  if (checked !== "green") return checked;
  // Somebody may have added a task while the gates ran, and another lane may work on it, or have landed it.
  const isStale = landing !== lane.run.landing || (isComplete(left) && !isComplete(await workLeft(lane.run)));
  if (isStale || hasOtherLane(lane)) return undefined;
  const other = left.blocked > 0 && left.waiting === 0 ? await taskOfOtherRun(lane) : undefined;
  if (other !== undefined) return { reason: `Another run works on ${other}, and nothing else is ready` };
  const { elsewhere } = lane.run;
  if (left.ready > 0 && elsewhere.size > 0) {
    return {
      brokeOff: "person",
      reason: `These tasks need work that landed on another branch: ${[...elsewhere].join(", ")}`,
    };
  }
  const dropped = isComplete(left) ? await countDropped(lane) : 0;
  return { reason: reasonOf(left, { dropped, isPart: lane.run.only !== undefined }) };
}

/** A task may have become ready while this lane looked, and another lane of the run may have it: nobody else does. */
const hasOtherLane = (lane: LaneState): boolean =>
  [...lane.run.busy].some((other) => other !== lane && other.run === lane.run);

/** W-07: a run in another working tree may hold a task of this scope, and the remaining tasks may wait for it. */
async function taskOfOtherRun({ deps }: LaneState): Promise<TaskId | undefined> {
  const { tasks } = await deps.store.list({ scopes: [deps.scope], statuses: ["in_progress"] }, { limit: 1000 });
  return tasks.find(({ isParent }) => !isParent)?.id;
}

/**
 * P-50: tasks that a person added to the plan while the last gates ran belong to this run. Marks wait for the next run:
 * a gate could have made them, and agents often write gates.
 */
async function hasMoreInPlan(lane: LaneState): Promise<boolean> {
  if (lane.deps.stop.aborted) return false;
  const followed = await followAfter(lane, undefined);
  return followed.added.length + followed.revived.length > 0 && (await hasReady(lane.run));
}

/** Why no task can be claimed. */
export function reasonOf(
  { ready, blocked, waiting, failed, settled }: WorkLeft,
  {
    dropped = 0,
    isPart = false,
  }: { readonly dropped?: number; /** Not of all tasks. */ readonly isPart?: boolean } = {},
): string {
  if (ready > 0) return "Another run holds the tasks that are ready";
  if (waiting > 0) return "Tasks wait for an answer";
  if (blocked > 0) return "The tasks left are blocked, and nothing can unblock them";
  if (failed > 0) return "All tasks are settled, and some failed";
  if (settled === 0) return "There is no task";
  if (isPart) return dropped === 0 ? "The work of this run is done" : "The work of this run is done or dropped";
  return dropped === 0 ? "All tasks are done" : "All tasks are done or dropped";
}

/** The end of a run, when no lane works any more. */
export async function finish(lane: LaneState, end: End): Promise<RunFinished> {
  const { deps, run } = lane;
  const reached = endNow(run, end);
  const outcome = hasScopes(run) ? await outcomeOfAll(lane, reached) : await outcomeOf(lane, reached);
  // Whatever was in the way may be gone by now.
  if (run.notFollowing !== undefined) await follow(lane);
  const commits = await countCommits(deps.home, { from: run.startHead, to: run.landing });
  const refusal = reached.refusal ?? (deps.rules.commits || commits === 0 ? run.notFollowing : LEFT_BEHIND);
  const finished: RunFinished = {
    type: "run.finished",
    mode: run.mode,
    ...outcome,
    ...(reached.error !== undefined && { ending: "failure", error: reached.error, reason: reached.reason }),
    iterations: run.tally.started,
    ...(deps.room.isLane === true && { isOnLane: true as const }),
    commits,
    ...(refusal !== undefined && { notFollowing: `${refusal.why}. ${refusal.remedy}`, followBy: refusal.steps }),
    ...takenSoFar(lane),
  };
  const last = await hooksAtEnd(lane, finished);
  deps.emit(last);
  return last;
}

/** Changes that nothing ended before the run are where the run has left them. */
async function outcomeOfAll(lane: LaneState, reached: End): Promise<ScopeOutcome & Pick<RunFinished, "changes">> {
  const { scopes, refused } = lane.run;
  const outcomes: [string, ScopeOutcome][] = [];
  for (const scope of scopes) {
    const end = scope.ended ?? reached;
    outcomes.push([scope.deps.scope, scope.outcome ?? (await outcomeOf(laneIn(lane, scope), end))]);
  }
  return joinOutcomes(outcomes, refused);
}

/** How the work of the lane's scope stands. */
export async function outcomeOf(lane: LaneState, reached: End): Promise<ScopeOutcome> {
  const { deps } = lane;
  // The iteration that reached a limit may also have completed the work, which then still needs its final check.
  const isOrderly = reached.interrupted !== true && reached.brokeOff === undefined && !deps.stop.aborted;
  const isLast = reached.limit !== undefined && isOrderly && lane.run.mode === "build";
  const checked = isLast && isComplete(await workLeft(lane.run)) ? await finalCheck(lane) : "green";
  const end = typeof checked === "string" ? reached : checked;
  const { brokeOff } = end;
  await lane.background;
  await lane.place.release().catch((error: unknown) => {
    // It may be what broke the run off.
    if (end.error === undefined) throw error;
  });
  const left = await workLeft(lane.run);
  const unverified = lane.run.settled.filter(({ strength }) => strength === "look").length;
  const standings = async () =>
    left.settled > 0 && lane.run.mode === "build" ? await standingsAtEnd(lane) : undefined;
  const standing = isComplete(left) ? await standings() : undefined;
  // Work of this run is named also if other tasks are left.
  const open = unverified > 0 && end.error === undefined ? (standing ?? (await standings()))?.open : standing?.open;
  const look = (open ?? []).filter((task) => standing !== undefined || task.standing === "look").slice(0, MOST_NAMED);
  const ending = endingOf({
    // An error stops all lanes.
    interrupted: end.error === undefined && (end.interrupted === true || deps.stop.aborted),
    brokeOff,
    // Without a plan there may be no task, but the limit is what ended the run.
    left: lane.run.mode === "plan" && end.limit !== undefined ? { ...left, ready: Math.max(left.ready, 1) } : left,
    isUnverified: (standing?.open.length ?? 0) > 0,
  });
  const names = await named(lane, left);
  const unfinished = await unfinishedWork(lane);
  return {
    ending: end.isPlanned === true && brokeOff === undefined && ending !== "interrupted" ? "complete" : ending,
    reason: finalReason(lane, end, { ending, left, ...names }),
    ...(end.help !== undefined && { help: end.help }),
    ...(end.limit !== undefined && ending === "limit" && { limit: end.limit }),
    left,
    ...names,
    verified: lane.run.settled.length - unverified,
    proven: lane.run.settled.filter(({ strength }) => strength === "proven").length,
    unverified,
    ...(standing !== undefined && { done: standing.counts }),
    ...(look.length > 0 && { look }),
    ...(await othersReady(lane)),
    ...claimedTogether(lane),
    ...(unfinished.length > 0 && { unfinished }),
  };
}

/** With `--no-commit`, only `ralphctl land` moves the branch. */
const LEFT_BEHIND = refused("--no-commit (git.commit: false) leaves it where it is", "Run ralphctl land", [LAND]);

/** An interrupted run asks for nothing more, so it approves nothing either. */
async function standingsAtEnd({ deps, run }: LaneState): Promise<Standings> {
  if (!deps.stop.aborted) await approveLooks(run);
  return await standings(run);
}

/** A run about some tasks may be complete while others of its scope are ready. */
async function othersReady({ deps, run: { only, mode } }: LaneState): Promise<Pick<RunFinished, "othersReady">> {
  if (only === undefined || mode === "plan") return {};
  const own = await workLeft({ deps, only });
  const all = await workLeft({ deps, only: undefined });
  return all.ready > own.ready ? { othersReady: all.ready - own.ready } : {};
}

/** T-23: tasks that had no session of their own. */
function claimedTogether({ run }: LaneState): Pick<RunFinished, "together"> {
  const together = run.settled.flatMap(({ task: { id, title }, with: other, strength }) =>
    other === undefined ? [] : [{ id, title, with: other, strength }],
  );
  return together.length === 0 ? {} : { together: together.slice(0, MOST_NAMED) };
}

function finalReason(
  { run: { mode, only } }: LaneState,
  { limit, reason }: End,
  about: Pick<RunFinished, "ending" | "left" | "outside" | "dropped">,
): string {
  const { ending, left, outside, dropped } = about;
  const isAllDone = mode === "build" && isComplete(left) && left.settled > 0;
  if (ending === "interrupted") return isAllDone ? "All tasks were done when you stopped the run" : reason;
  // If the same iteration completed the work and reached the limit, the limit is not the reason.
  if (limit !== undefined && ending !== "limit") return reasonOf(left, { dropped, isPart: only !== undefined });
  return ending === "blocked" && left.waiting === 0 ? (reasonOutside(outside) ?? reason) : reason;
}

/** Runs the last hooks, and adds their costs to the final event. */
async function hooksAtEnd(lane: LaneState, finished: RunFinished): Promise<RunFinished> {
  if (lane.deps.hooks.hooks.length === 0) return finished;
  await awaitHooks(lane);
  await runHooks(lane, { ...finished, ...takenSoFar(lane) });
  await awaitHooks(lane);
  return { ...finished, ...takenSoFar(lane) };
}

const takenSoFar = ({ run }: LaneState) => ({
  costUsd: run.taken.costUsd,
  ...(run.taken.isCostPartial && { isCostPartial: true as const }),
  ...(run.taken.isCostEstimated && { isCostEstimated: true as const }),
  tokens: run.taken.tokens,
  durationMs: elapsedMs(run),
});

async function named(
  lane: LaneState,
  left: WorkLeft,
): Promise<Pick<RunFinished, "waiting" | "failed" | "blocked" | "outside" | "dropped" | "droppedTasks">> {
  const { deps, run } = lane;
  const some = async (status: Task["status"], isWanted: (task: Task) => boolean): Promise<Task[]> => {
    const { tasks } = await deps.store.list({ scopes: [deps.scope], statuses: [status] }, { limit: 1000 });
    const isOurs = ({ isParent, id }: Task): boolean => !isParent && (run.only?.includes(id) ?? true);
    return tasks.filter((task) => isOurs(task) && isWanted(task)).slice(0, MOST_NAMED);
  };
  const waiting = left.waiting > 0 ? await some("parked", () => true) : [];
  const failed = left.failed > 0 ? await some("failed", ({ retry }) => !retry) : [];
  const blocked = left.blocked > 0 ? await some("pending", (task) => task.blocked) : [];
  const dropped = left.settled > 0 ? await countDropped(lane) : 0;
  const droppedTasks = dropped > 0 ? await some("dropped", () => true) : [];
  const held = await Promise.all(blocked.map(async (task) => ({ task, by: await blockersOf(deps.store, task) })));
  const outside = distinct(held.flatMap(({ by }) => by)).filter(({ scope }) => scope !== deps.scope);
  return {
    waiting: waiting.map(({ id, title, question }) => ({ id, title, question: question ?? "" })),
    failed: failed.map(({ id, title, reason }) => ({ id, title, reason: reason ?? "" })),
    blocked: held.map(({ task, by }) => ({ id: task.id, title: task.title, by: by.map(({ id }) => id) })),
    ...(outside.length > 0 && { outside: outside.map(({ id, title, scope }) => ({ id, title, scope })) }),
    dropped,
    droppedTasks: droppedTasks.map(({ id, title, reason }) => ({ id, title, reason: reason ?? "" })),
  };
}

/** L-42: work that sessions left for the next attempt. */
async function unfinishedWork({ deps, run }: LaneState): Promise<UnfinishedWork[]> {
  const found: UnfinishedWork[] = [];
  for (const { task: id, ref } of await listWork(deps.home)) {
    const task = await deps.store.get(id);
    const isOurs = task?.scope === deps.scope && (run.only?.includes(task.id) ?? true);
    if (task === undefined || !isOurs || isSettled(task.status)) continue;
    const work = await readWork(deps.home, id);
    if (work !== undefined) found.push({ task: task.id, ref, files: (await pathsOfWork(deps.home, work)).length });
  }
  return found.slice(-MOST_NAMED);
}

/** The open blockers of a task and of the tasks above it. */
async function blockersOf(store: Store, { needs, parent }: Task): Promise<Task[]> {
  const tasks = await Promise.all(needs.map((id) => store.get(id)));
  const open = tasks.filter((task) => task !== undefined).filter(({ status }) => !isSettled(status));
  const above = parent === undefined ? undefined : await store.get(parent);
  return above === undefined ? open : [...open, ...(await blockersOf(store, above))];
}

const distinct = (tasks: readonly Task[]): Task[] => [...new Map(tasks.map((task) => [task.id, task])).values()];

/** A run of this scope cannot unblock these tasks: their blockers belong to other scopes. */
function reasonOutside(outside: RunFinished["outside"] = []): string | undefined {
  if (outside.length === 0) return undefined;
  const names = outside.map(({ id, scope }) => `${id} of ${describeScope(scope)}`);
  return `The tasks left wait for ${namesInLine(names, 3)}`;
}

async function countDropped({ deps, run: { only } }: LaneState): Promise<number> {
  if (only === undefined) return (await deps.store.counts([deps.scope]))[0]?.leaves.dropped ?? 0;
  const tasks = await Promise.all(only.map((id) => deps.store.get(id)));
  return tasks.filter((task) => task?.status === "dropped").length;
}
