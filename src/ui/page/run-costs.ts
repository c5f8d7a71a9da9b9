import type { RunData } from "./data.ts";

export interface RunCost {
  readonly run: string;
  readonly usd: number;
  /** It cost at least that. */
  readonly isPartial: boolean;
}

type CostData = Pick<RunData, "run" | "costUsd" | "isCostPartial" | "tasks" | "startedAt">;

/** What a verified task cost in each run that has any, oldest first. */
export const costPerTask = (runs: readonly CostData[]): readonly RunCost[] =>
  runs
    .flatMap(({ run, costUsd, isCostPartial, tasks, startedAt }) => {
      const verified = tasks.proven + tasks.unbroken;
      return costUsd === null || verified === 0
        ? []
        : [{ startedAt, cost: { run, usd: costUsd / verified, isPartial: isCostPartial } }];
    })
    .toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
    .map(({ cost }) => cost);
