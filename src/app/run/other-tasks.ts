import type { RunStarted, TaskName } from "../../domain/run/event.ts";
import type { Task } from "../../domain/task.ts";
import { openStoreToRead } from "../task-store.ts";

/** Tasks of a scope that no event names yet. */
export interface OtherTasks {
  /** The first ready ones, in order, and how many there are. */
  readonly next: readonly TaskName[];
  readonly ready: number;
  /** The first ones that wait for an answer, and how many there are. */
  readonly waiting: readonly TaskName[];
  readonly asking: number;
}

const MOST_NAMED = 20;
/** Parents have states too. */
const LOOKED_AT = 100;

/** Read-only. `cwd`: in the workspace of the run. */
export async function otherTasks(cwd: string, { scope }: Pick<RunStarted, "scope">): Promise<OtherTasks> {
  const scopes = [scope];
  const { store } = await openStoreToRead(cwd);
  try {
    const [counts] = await store.counts(scopes);
    const parked = (await store.list({ scopes, statuses: ["parked"] }, { limit: LOOKED_AT })).tasks;
    return {
      next: (await store.ready({ scopes, limit: MOST_NAMED })).map(nameOf),
      ready: (counts?.ready ?? 0) + (counts?.retry ?? 0),
      waiting: parked
        .filter(({ isParent }) => !isParent)
        .slice(0, MOST_NAMED)
        .map(nameOf),
      asking: counts?.leaves.parked ?? 0,
    };
  } finally {
    await store.close();
  }
}

const nameOf = ({ id, title }: Task): TaskName => ({ id, title });
