import type { RunStarted, TaskName } from "../../domain/run/event.ts";
import { scopesOfRun } from "../../domain/run/ready-changes.ts";
import type { Task } from "../../domain/task.ts";
import type { ScopeCounts } from "../../store/store.ts";
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
export async function otherTasks(cwd: string, started: Pick<RunStarted, "scope" | "changes">): Promise<OtherTasks> {
  const scopes = scopesOfRun(started);
  const { store } = await openStoreToRead(cwd);
  try {
    const counts = await store.counts(scopes);
    const sum = (of: (each: ScopeCounts) => number): number => counts.reduce((total, each) => total + of(each), 0);
    const parked = (await store.list({ scopes, statuses: ["parked"] }, { limit: LOOKED_AT })).tasks;
    return {
      next: (await store.ready({ scopes, limit: MOST_NAMED })).map(nameOf),
      ready: sum(({ ready, retry }) => ready + retry),
      waiting: parked
        .filter(({ isParent }) => !isParent)
        .slice(0, MOST_NAMED)
        .map(nameOf),
      asking: sum(({ leaves }) => leaves.parked),
    };
  } finally {
    await store.close();
  }
}

const nameOf = ({ id, title }: Task): TaskName => ({ id, title });
