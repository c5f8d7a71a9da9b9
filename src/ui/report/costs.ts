import type { TaskName } from "../../domain/run/event.ts";
import type { TaskResult } from "../../domain/run/summary.ts";
import { iterationsOf, type Timeline } from "../../domain/run/timeline.ts";
import { addCost, isPartial } from "../../domain/usage.ts";

/** The cost of one task in a run. */
interface TaskCost {
  readonly task: TaskName;
  /** Undefined: it is open. */
  readonly state: TaskResult | undefined;
  readonly iterations: number;
  readonly durationMs: number;
  readonly tokens: number;
  /** Undefined when no session reported any. */
  readonly costUsd: number | undefined;
  readonly isEstimated: boolean;
  readonly isCostPartial?: true;
}

/** Each task of the run, in the order it was started. */
export function taskCosts(timeline: Timeline): TaskCost[] {
  const costs = new Map<string, TaskCost>();
  // From the summary, not the iterations: the final check may have reopened a verified task (P-21).
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
      isEstimated: before?.isEstimated === true || finished?.isEstimated === true,
      ...((before?.isCostPartial === true || finished === undefined || isPartial(finished)) && { isCostPartial: true }),
    });
  }
  return [...costs.values()];
}

/** The cost of the run divided by its verified tasks; undefined if either is unknown. */
export function costPerVerified(timeline: Timeline): number | undefined {
  const { costUsd } = timeline.summary;
  const verified = taskCosts(timeline).filter(({ state }) => state === "proven" || state === "unbroken").length;
  return costUsd === undefined || verified === 0 ? undefined : costUsd / verified;
}
