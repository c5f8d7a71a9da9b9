import { type Budget, budgetLeft } from "../domain/run/budget.ts";
import type { LaneState, RunState } from "./run-state.ts";
import { countReady } from "./work-left.ts";

// L-08: several sessions at once must not spend the rest of the budget several times.

/** The part of the budget that no session under way may use. */
export function budgetFree({ deps, tally, reserved }: RunState): Budget {
  const left = budgetLeft(deps.rules, tally);
  const taken = [...reserved.values()];
  const sum = (of: keyof Budget): number => taken.reduce((total, budget) => total + (budget[of] ?? 0), 0);
  return {
    ...(left.costUsd !== undefined && { costUsd: left.costUsd - sum("costUsd") }),
    ...(left.tokens !== undefined && { tokens: left.tokens - sum("tokens") }),
  };
}

export const isUsedUp = ({ costUsd = 1, tokens = 1 }: Budget): boolean => costUsd <= 0 || tokens <= 0;

/**
 * The lane's next session gets an equal part of what is free, and is stopped when it has used that up. Lanes for which
 * there is no task get none.
 */
export async function reserve(lane: LaneState): Promise<Budget> {
  const { run } = lane;
  const ready = run.lanes === 1 ? 0 : await countReady(run, run.lanes);
  run.reserved.delete(lane);
  const { costUsd, tokens } = budgetFree(run);
  const lanes = Math.max(1, Math.min(run.lanes - run.reserved.size, 1 + ready));
  const budget = {
    ...(costUsd !== undefined && { costUsd: costUsd / lanes }),
    ...(tokens !== undefined && { tokens: Math.floor(tokens / lanes) }),
  };
  run.reserved.set(lane, budget);
  return budget;
}
