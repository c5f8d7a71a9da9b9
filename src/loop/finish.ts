import type { RunFinished } from "../domain/run/event.ts";
import { endingOf, type WorkLeft } from "../domain/run/policy.ts";
import type { Task } from "../domain/task.ts";
import type { End } from "./decide.ts";
import { finalCheck } from "./final-check.ts";
import type { Running } from "./running.ts";
import { isComplete, workLeft } from "./work-left.ts";

/** Nothing can be claimed: the work is complete, or what is left waits for something. An end, unless work came back. */
export async function nothingReady(running: Running): Promise<End | undefined> {
  const left = await workLeft(running);
  if (isComplete(left) && (await finalCheck(running)) === "reopened") return undefined;
  return { reason: reasonOf(left) };
}

function reasonOf({ ready, blocked, waiting, failed, settled }: WorkLeft): string {
  if (ready > 0) return "What is ready is held by another run";
  if (waiting > 0) return "A person is needed: tasks wait for an answer";
  if (blocked > 0) return "Tasks are left that nothing can make ready";
  if (failed > 0) return "All tasks are settled, and some failed";
  return settled === 0 ? "There is no task" : "All tasks are done";
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
  await running.indexing;
  const left = await workLeft(running);
  const unverified = running.settled.filter(({ proof }) => proof !== "gates").length;
  const ending = endingOf({
    interrupted: end.interrupted === true || parts.stop.aborted,
    brokeOff,
    left: running.mode === "plan" && end.limit !== undefined ? { ...left, ready: Math.max(left.ready, 1) } : left,
    isUnverified: unverified > 0 && !parts.rules.allowUnverified,
  });
  const finished: RunFinished = {
    type: "run.finished",
    ending: end.isPlanned === true && brokeOff === undefined && ending !== "interrupted" ? "complete" : ending,
    mode: running.mode,
    reason: end.reason,
    ...(end.limit !== undefined && ending === "limit" && { limit: end.limit }),
    left,
    ...(await named(running, left)),
    iterations: running.tally.started,
    verified: running.settled.length - unverified,
    unverified,
    commits: running.commits,
    costUsd: running.costUsd,
    tokens: running.tokens,
    durationMs: Date.now() - running.startedAtMs,
  };
  parts.emit(finished);
  return finished;
}

/** How many of each kind are named; the lists of the store have the rest. */
const MOST_NAMED = 20;

async function named(
  { parts, only }: Running,
  left: WorkLeft,
): Promise<Pick<RunFinished, "waiting" | "failed" | "blocked" | "dropped">> {
  const some = async (statuses: readonly Task["status"][], isWanted: (task: Task) => boolean): Promise<Task[]> => {
    const { tasks } = await parts.store.list({ scopes: [parts.scope], statuses }, { limit: 1000 });
    return tasks
      .filter((task) => !task.isParent && (only?.includes(task.id) ?? true) && isWanted(task))
      .slice(0, MOST_NAMED);
  };
  const waiting = left.waiting > 0 ? await some(["parked"], () => true) : [];
  const failed = left.failed > 0 ? await some(["failed"], ({ retry }) => !retry) : [];
  const blocked = left.blocked > 0 ? await some(["pending"], (task) => task.blocked) : [];
  const dropped = left.settled > 0 ? await some(["dropped"], () => true) : [];
  return {
    waiting: waiting.map(({ id, title, question }) => ({ id, title, question: question ?? "" })),
    failed: failed.map(({ id, title, reason }) => ({ id, title, reason: reason ?? "" })),
    blocked: blocked.map(({ id, title, needs }) => ({ id, title, by: needs })),
    dropped: dropped.length,
  };
}
