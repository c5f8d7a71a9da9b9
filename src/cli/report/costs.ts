import { addCost } from "../../domain/usage.ts";
import { iterationsOf, type Timeline } from "../../domain/run/timeline.ts";
import type { TaskResult } from "../../domain/run/summary.ts";
import type { TaskName } from "../../domain/run/event.ts";

/** What the run took for one task. */
export interface TaskCost {
  readonly task: TaskName;
  /** Undefined: it is open. */
  readonly state: TaskResult | undefined;
  readonly iterations: number;
  readonly durationMs: number;
  readonly tokens: number;
  /** Undefined when no session reported any. */
  readonly costUsd: number | undefined;
}

/** Each task that was worked on, in the order in which it was begun. */
export function taskCosts(timeline: Timeline): TaskCost[] {
  const costs = new Map<string, TaskCost>();
  // Not by its iterations: the last check may have reopened what one of them had verified (P-21).
  const states = timeline.summary.tasks;
  for (const { started, finished } of iterationsOf(timeline)) {
    const { task } = started;
    if (task === undefined) continue;
    const before = costs.get(task.id);
    costs.set(task.id, {
      task,
      state: states.get(task.id),
      iterations: (before?.iterations ?? 0) + 1,
      durationMs: (before?.durationMs ?? 0) + (finished?.durationMs ?? 0),
      tokens: (before?.tokens ?? 0) + (finished?.tokens ?? 0),
      costUsd: addCost(before?.costUsd, finished?.costUsd),
    });
  }
  return [...costs.values()];
}

/** All that the run cost, for each task that it verified; undefined where either is not known. */
export function costPerVerified(timeline: Timeline): number | undefined {
  const { costUsd } = timeline.summary;
  const verified = taskCosts(timeline).filter(({ state }) => state === "verified").length;
  return costUsd === undefined || verified === 0 ? undefined : costUsd / verified;
}
