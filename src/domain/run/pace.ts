import type { TaskId } from "../task.ts";
import { addCost, isPartial } from "../usage.ts";
import type { IterationFinished } from "./event.ts";

/** What finished tasks of a run took. */
export interface Pace {
  /** The last tasks that were finished, oldest first. */
  readonly finished: readonly Took[];
  /** By task, what its iterations took so far. */
  readonly open: ReadonlyMap<TaskId, Took>;
}

export interface Took {
  /** How long lanes were busy with it. */
  readonly ms: number;
  readonly costUsd: number | undefined;
  readonly isCostPartial?: true;
}

export const noPace: Pace = { finished: [], open: new Map() };

/** Enough to know how much they differ. */
const MOST_TASKS = 200;

/** The pace after one more iteration, which kept its lane busy for `ms`. A task is finished when it is done or failed. */
export function withIteration(pace: Pace, iteration: IterationFinished, ms: number): Pace {
  const { task, status, retry, costUsd } = iteration;
  if (task === undefined) return pace;
  const before = pace.open.get(task.id);
  const isCostPartial = before?.isCostPartial === true || isPartial(iteration);
  const took: Took = {
    ms: ms + (before?.ms ?? 0),
    costUsd: addCost(before?.costUsd, costUsd),
    ...(isCostPartial && { isCostPartial }),
  };
  const open = new Map(pace.open);
  if (status !== "done" && (status !== "failed" || retry)) return { ...pace, open: open.set(task.id, took) };
  open.delete(task.id);
  return { finished: [...pace.finished, took].slice(-MOST_TASKS), open };
}
