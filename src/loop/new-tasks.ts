import type { Store } from "../store/store.ts";
import { idsIn, type TaskId } from "../domain/task.ts";

export interface NewTasks {
  readonly run: string;
  /** Tasks that a session has just added, through any channel. */
  readonly ids: readonly TaskId[];
  /** `limits.newTasks`: the most that the sessions of one run may add. */
  readonly limit: number;
}

/** How many tasks the sessions of a run have added so far. */
export const countNewTasks = async (store: Store, run: string): Promise<number> =>
  (await newTaskIds(store, run)).length;

export const newTaskIds = async (store: Store, run: string): Promise<TaskId[]> =>
  idsIn(await store.getMeta(keyOf(run)));

/**
 * Counts tasks that a session has added, each once, and parks those beyond the limit with a question (W-01). Returns the
 * ids of the parked tasks.
 */
export async function parkBeyondLimit(store: Store, { run, ids, limit }: NewTasks): Promise<TaskId[]> {
  if (ids.length === 0) return [];
  const counted = idsIn(await store.updateMeta(keyOf(run), (before) => [...new Set([...idsIn(before), ...ids])]));
  const beyond = new Set(counted.slice(Math.max(limit, 0)));
  const parked: TaskId[] = [];
  for (const id of ids) {
    const task = beyond.has(id) ? await store.get(id) : undefined;
    // The state of a parent follows from its parts, which are parked themselves.
    if (task === undefined || task.isParent || task.status !== "pending") continue;
    await store.change(id, { kind: "park", question: questionAbout(limit) }, "loop");
    parked.push(id);
  }
  return parked;
}

const questionAbout = (limit: number): string =>
  `Added by a session beyond the limit of ${limit} new ${limit === 1 ? "task" : "tasks"}. Keep it?`;

const keyOf = (run: string): string => `new-tasks/${run}`;
