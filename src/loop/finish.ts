import type { RunFinished } from "../domain/run/event.ts";
import { endingOf, type WorkLeft } from "../domain/run/policy.ts";
import { scopeName } from "../domain/scope-words.ts";
import { isSettled, type Task, type TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import type { End } from "./decide.ts";
import { finalCheck } from "./final-check.ts";
import { awaitHooks, runHooks } from "./hooks.ts";
import { elapsedMs, type Running } from "./running.ts";
import { followAfter } from "./stock.ts";
import { unprovenTasks } from "./unproven.ts";
import { countCommits } from "../system/git-commit.ts";
import { tellUsersIndex } from "./users-index.ts";
import { hasReady, isComplete, workLeft } from "./work-left.ts";
import { leaveWork } from "./work-tree.ts";

/** Nothing can be claimed: the work is complete, or what is left waits for something. An end, unless work came back. */
export async function nothingReady(running: Running): Promise<End | undefined> {
  if (await hasMoreInPlan(running)) return undefined;
  const left = await workLeft(running);
  if (isComplete(left) && (await finalCheck(running)) === "reopened") return undefined;
  if (running.parts.stop.aborted) return { interrupted: true, reason: "It was told to stop" };
  const held = left.blocked > 0 && left.waiting === 0 ? await heldElsewhere(running) : undefined;
  if (held !== undefined) return { reason: `Another run works on ${held}, and nothing else is ready` };
  return { reason: reasonOf(left, isComplete(left) ? await countDropped(running) : 0) };
}

/** W-07: a run in another working tree has a task of ours; what is left may wait for it. */
async function heldElsewhere({ parts }: Running): Promise<TaskId | undefined> {
  const { tasks } = await parts.store.list({ scopes: [parts.scope], statuses: ["in_progress"] }, { limit: 1000 });
  return tasks.find(({ isParent }) => !isParent)?.id;
}

/**
 * P-50: what a person wrote into the plan while the last gates ran is work of this run. Their marks wait for the next
 * one: a gate could have made them, and gates are often the agent's work.
 */
async function hasMoreInPlan(running: Running): Promise<boolean> {
  if (running.parts.stop.aborted) return false;
  const followed = await followAfter(running, undefined);
  return followed.added.length + followed.revived.length > 0 && (await hasReady(running));
}

function reasonOf({ ready, blocked, waiting, failed, settled }: WorkLeft, dropped: number): string {
  if (ready > 0) return "What is ready is held by another run";
  if (waiting > 0) return "Tasks wait for an answer";
  if (blocked > 0) return "Tasks are left that nothing can make ready";
  if (failed > 0) return "All tasks are settled, and some failed";
  if (settled === 0) return "There is no task";
  return dropped === 0 ? "All tasks are done" : "All tasks are done or dropped";
}

/** The end of a run: what is left is counted, and said honestly. */
export async function finish(running: Running, end: End): Promise<RunFinished> {
  const { parts } = running;
  const brokeOff = end.brokeOff;
  // A limit may be reached by the very iteration that completed the work: what is complete is checked all the same.
  const isOrderly = end.interrupted !== true && brokeOff === undefined && !parts.stop.aborted;
  if (end.limit !== undefined && isOrderly && running.mode === "build" && isComplete(await workLeft(running))) {
    await finalCheck(running);
  }
  if (await tellUsersIndex(running)) leaveWork(running.work);
  await running.beside;
  const left = await workLeft(running);
  const unverified = running.settled.filter(({ proof }) => proof !== "gates").length;
  const ending = endingOf({
    interrupted: end.interrupted === true || parts.stop.aborted,
    brokeOff,
    left: running.mode === "plan" && end.limit !== undefined ? { ...left, ready: Math.max(left.ready, 1) } : left,
    isUnverified: !parts.rules.allowUnverified && (await unprovenTasks(running)).length > 0,
  });
  const names = await named(running, left);
  const finished: RunFinished = {
    type: "run.finished",
    ending: end.isPlanned === true && brokeOff === undefined && ending !== "interrupted" ? "complete" : ending,
    mode: running.mode,
    reason: finalReason(running, end, { ending, left, ...names }),
    ...(end.help !== undefined && { help: end.help }),
    ...(end.limit !== undefined && ending === "limit" && { limit: end.limit }),
    left,
    ...names,
    iterations: running.tally.started,
    verified: running.settled.length - unverified,
    unverified,
    // The agent's own are kept, and are the user's to look at as well.
    commits: await countCommits(running.work.repository, running.startHead),
    ...takenSoFar(running),
  };
  const last = await hooksAtEnd(running, finished);
  parts.emit(last);
  return last;
}

function finalReason(
  { mode }: Running,
  { limit, reason }: End,
  about: Pick<RunFinished, "ending" | "left" | "outside" | "dropped">,
): string {
  const { ending, left, outside, dropped } = about;
  const isAllDone = mode === "build" && isComplete(left) && left.settled > 0;
  if (ending === "interrupted") return isAllDone ? "All tasks were done when it was told to stop" : reason;
  // The limit is not what ended it when it was reached by the iteration that completed the work.
  if (limit !== undefined && ending !== "limit") return reasonOf(left, dropped);
  return ending === "blocked" && left.waiting === 0 ? (reasonOutside(outside) ?? reason) : reason;
}

/** The last hooks. What they take and do is in what is said of the run: that is its last word. */
async function hooksAtEnd(running: Running, finished: RunFinished): Promise<RunFinished> {
  if (running.parts.hooks.hooks.length === 0) return finished;
  await awaitHooks(running);
  await runHooks(running, { ...finished, ...takenSoFar(running) });
  await awaitHooks(running);
  const commits = await countCommits(running.work.repository, running.startHead);
  return { ...finished, commits, ...takenSoFar(running) };
}

const takenSoFar = (running: Running) => ({
  costUsd: running.costUsd,
  ...(running.isCostPartial && { isCostPartial: true as const }),
  ...(running.isCostEstimated && { isCostEstimated: true as const }),
  tokens: running.tokens,
  durationMs: elapsedMs(running),
});

/** How many of each kind are named; the lists of the store have the rest. */
const MOST_NAMED = 20;

async function named(
  running: Running,
  left: WorkLeft,
): Promise<Pick<RunFinished, "waiting" | "failed" | "blocked" | "outside" | "dropped" | "droppedTasks">> {
  const { parts, only } = running;
  const some = async (status: Task["status"], isWanted: (task: Task) => boolean): Promise<Task[]> => {
    const { tasks } = await parts.store.list({ scopes: [parts.scope], statuses: [status] }, { limit: 1000 });
    const isOurs = ({ isParent, id }: Task): boolean => !isParent && (only?.includes(id) ?? true);
    return tasks.filter((task) => isOurs(task) && isWanted(task)).slice(0, MOST_NAMED);
  };
  const waiting = left.waiting > 0 ? await some("parked", () => true) : [];
  const failed = left.failed > 0 ? await some("failed", ({ retry }) => !retry) : [];
  const blocked = left.blocked > 0 ? await some("pending", (task) => task.blocked) : [];
  const dropped = left.settled > 0 ? await countDropped(running) : 0;
  const droppedTasks = dropped > 0 ? await some("dropped", () => true) : [];
  const held = await Promise.all(blocked.map(async (task) => ({ task, by: await blockersOf(parts.store, task) })));
  const outside = distinct(held.flatMap(({ by }) => by)).filter(({ scope }) => scope !== parts.scope);
  return {
    waiting: waiting.map(({ id, title, question }) => ({ id, title, question: question ?? "" })),
    failed: failed.map(({ id, title, reason }) => ({ id, title, reason: reason ?? "" })),
    blocked: held.map(({ task, by }) => ({ id: task.id, title: task.title, by: by.map(({ id }) => id) })),
    ...(outside.length > 0 && { outside: outside.map(({ id, title, scope }) => ({ id, title, scope })) }),
    dropped,
    droppedTasks: droppedTasks.map(({ id, title, reason }) => ({ id, title, reason: reason ?? "" })),
  };
}

/** What a task waits for: its own needs and those of the tasks above it, as far as they are open. */
async function blockersOf(store: Store, { needs, parent }: Task): Promise<Task[]> {
  const tasks = await Promise.all(needs.map((id) => store.get(id)));
  const open = tasks.filter((task) => task !== undefined && !isSettled(task.status)).map((task) => task!);
  const above = parent === undefined ? undefined : await store.get(parent);
  return above === undefined ? open : [...open, ...(await blockersOf(store, above))];
}

const distinct = (tasks: readonly Task[]): Task[] => [...new Map(tasks.map((task) => [task.id, task])).values()];

/** A run of this scope cannot help it: what is named belongs to others. */
function reasonOutside(outside: RunFinished["outside"] = []): string | undefined {
  if (outside.length === 0) return undefined;
  const shown = outside.slice(0, 3).map(({ id, scope }) => `${id} of ${scopeName(scope)}`);
  const more = outside.length > shown.length ? ` and ${outside.length - shown.length} more` : "";
  return `Tasks are left that wait for ${shown.join(", ")}${more}`;
}

async function countDropped({ parts, only }: Running): Promise<number> {
  if (only === undefined) return (await parts.store.counts([parts.scope]))[0]?.leaves.dropped ?? 0;
  const tasks = await Promise.all(only.map((id) => parts.store.get(id)));
  return tasks.filter((task) => task?.status === "dropped").length;
}
