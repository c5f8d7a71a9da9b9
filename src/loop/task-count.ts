import type { Store } from "../store/store.ts";

export interface TaskCount {
  /** Parents included. */
  readonly all: number;
  /** The work that is left: leaves that are neither done, dropped, nor failed for good. */
  readonly open: number;
}

/** How many tasks a scope has. */
export async function countTasks(store: Store, scope: string): Promise<TaskCount> {
  const [counts] = await store.counts([scope]);
  if (counts === undefined) return { all: 0, open: 0 };
  const { pending, in_progress, parked } = counts.leaves;
  return {
    all: Object.values(counts.all).reduce((sum, count) => sum + count, 0),
    open: pending + in_progress + parked + counts.retry,
  };
}
