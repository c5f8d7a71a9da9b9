import { chainsFrom, longestChain } from "../domain/graph/longest-chain.ts";
import { addLeft, type WorkLeft } from "../domain/run/policy.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import type { RunDeps } from "./run-deps.ts";
import type { RunState } from "./run-state.ts";

const NOTHING: WorkLeft = { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 0 };

/** What a look at the work of a run needs. */
interface About {
  readonly deps: Pick<RunDeps, "store" | "scope">;
  readonly only: readonly TaskId[] | undefined;
}

/** Counts the remaining work of the run. `except`: the current task, which would otherwise count as blocked. */
export async function workLeft(run: About, except?: TaskId): Promise<WorkLeft> {
  const { deps, only } = run;
  if (only !== undefined) {
    const tasks = await Promise.all(only.map((id) => deps.store.get(id)));
    return tasks.filter((task) => task !== undefined && task.id !== except).reduce(count, NOTHING);
  }
  const [counts] = await deps.store.counts([deps.scope]);
  if (counts === undefined) return NOTHING;
  const { leaves, ready, blocked, retry } = counts;
  const others = leaves.in_progress - (except === undefined ? 0 : 1);
  return {
    ready: ready + retry,
    // Other runs, in other working trees, hold these.
    blocked: blocked + Math.max(0, others),
    waiting: leaves.parked,
    failed: leaves.failed - retry,
    settled: leaves.done + leaves.dropped,
  };
}

/** The same for all scopes of the run. */
export async function workLeftInAll(run: RunState, except?: TaskId): Promise<WorkLeft> {
  const all = await Promise.all(
    run.scopes.map(async (scope) => await workLeft(scope, scope === run ? except : undefined)),
  );
  return all.reduce(addLeft, NOTHING);
}

function count(left: WorkLeft, task: Task | undefined): WorkLeft {
  if (task === undefined) return left;
  const { status } = task;
  const where: keyof WorkLeft =
    task.ready || task.retry
      ? "ready"
      : status === "pending" || status === "in_progress"
        ? "blocked"
        : status === "parked"
          ? "waiting"
          : status === "failed"
            ? "failed"
            : "settled";
  return { ...left, [where]: left[where] + 1 };
}

/** A look at more tasks before each session would take too long. */
const MOST_LINKED = 1000;

/** L-43: for the estimate of the end. */
export async function chainLeft(run: RunState): Promise<{ readonly chain?: number }> {
  const all = await Promise.all(run.scopes.map(openTasks));
  const tasks = all.filter((each) => each !== undefined);
  return tasks.length < all.length ? {} : { chain: longestChain(tasks.flat()) };
}

/** L-09: by task, how many have to be done one after the other from it on. Empty if there are very many. */
export const chainsLeft = async (run: About): Promise<ReadonlyMap<TaskId, number>> =>
  chainsFrom((await openTasks(run)) ?? []);

async function openTasks({ deps, only }: About): Promise<Task[] | undefined> {
  const tasks: Task[] = [];
  for await (const task of deps.store.each({ scopes: [deps.scope], statuses: ["pending", "in_progress"] })) {
    if (tasks.length === MOST_LINKED) return undefined;
    if (only === undefined || only.includes(task.id)) tasks.push(task);
  }
  return tasks;
}

/** Every task is done or dropped. */
export const isComplete = ({ ready, blocked, waiting, failed }: WorkLeft): boolean =>
  ready + blocked + waiting + failed === 0;

/** Whether a task could be claimed now. */
export const hasReady = async (run: RunState): Promise<boolean> => (await countReady(run, 1)) > 0;

/** How many tasks could be claimed now, up to `limit`. */
export async function countReady({ deps, only }: RunState, limit: number): Promise<number> {
  if (only === undefined) return (await deps.store.ready({ scopes: [deps.scope], limit })).length;
  const tasks = await Promise.all(only.map((id) => deps.store.get(id)));
  return tasks.filter((task) => task !== undefined && (task.ready || task.retry)).length;
}

/** The same for all scopes of the run that go on. */
export async function countReadyInAll({ scopes }: RunState, limit: number): Promise<number> {
  const counts = await Promise.all(scopes.filter((scope) => !isOver(scope)).map((scope) => countReady(scope, limit)));
  return counts.reduce((sum, each) => sum + each, 0);
}

/** Whether a scope has come to its end, whatever may become ready in it. */
export const isOver = ({ ended }: Pick<RunState, "ended">): boolean =>
  ended?.limit !== undefined || ended?.brokeOff !== undefined;

export interface TaskCount {
  /** Parents included. */
  readonly all: number;
  /** The work that is left: leaves that are neither done, dropped, nor failed for good. */
  readonly open: number;
}

export async function countTasks(store: Store, scope: string): Promise<TaskCount> {
  const [counts] = await store.counts([scope]);
  if (counts === undefined) return { all: 0, open: 0 };
  const { pending, in_progress, parked } = counts.leaves;
  return {
    all: Object.values(counts.all).reduce((sum, count) => sum + count, 0),
    open: pending + in_progress + parked + counts.retry,
  };
}
