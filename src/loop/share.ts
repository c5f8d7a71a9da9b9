import { type Budget, budgetLeft } from "../domain/run/budget.ts";
import { fleetLane } from "./fleet-deps.ts";
import type { LaneState, RunState } from "./run-state.ts";
import { countReadyInAll } from "./work-left.ts";

// L-08: several sessions at once must not spend the rest of the budget several times.

/** The part of the budget that no session under way may use. */
export function budgetFree({ deps, tally, reserved }: RunState): Budget {
  const left = budgetLeft(deps.rules, tally);
  const taken = [...reserved.values()];
  const sum = (of: "costUsd" | "tokens"): number => taken.reduce((total, budget) => total + (budget[of] ?? 0), 0);
  return {
    ...(left.costUsd !== undefined && { costUsd: left.costUsd - sum("costUsd") }),
    ...(left.tokens !== undefined && { tokens: left.tokens - sum("tokens") }),
  };
}

/** Whether what is free would not last for a session, by what those before took: it would be stopped half-way. */
export function isTooLittle(run: RunState): boolean {
  const { costUsd, tokens } = budgetFree(run);
  const { tally, deps } = run;
  // A fleet counts what all machines spent, and sessions only here.
  const sessions = deps.fleet === undefined ? tally.started : 0;
  const typical = (sum: number): number => (sessions === 0 ? 0 : sum / sessions);
  const lasts = (free: number | undefined, sum: number): boolean =>
    free === undefined || (free > 0 && free >= typical(sum));
  return !lasts(costUsd, tally.costUsd) || !lasts(tokens, tally.tokens);
}

export const isUsedUp = ({ costUsd = 1, tokens = 1 }: Budget): boolean => costUsd <= 0 || tokens <= 0;

/**
 * The next session of a lane or hook gets an equal part of what is free, and is stopped when it has used that up. Lanes
 * for which there is no task get none. `used`: what the holder has spent since its last iteration was counted.
 */
export async function reserve(run: RunState, holder: object, used: Budget = {}): Promise<Budget> {
  const shared = await reserveShared(run, holder, used);
  if (shared !== undefined) return shared;
  const ready = run.lanes === 1 ? 0 : await countReadyInAll(run, run.lanes);
  run.reserved.delete(holder);
  const { costUsd, tokens } = budgetFree(run);
  // Lanes that have a task, and will reserve their part in a moment.
  const next = [...run.busy].filter((lane) => lane !== holder && !run.reserved.has(lane)).length;
  const lanes = Math.max(1, Math.min(run.lanes - run.reserved.size, 1 + next + ready));
  const { costUsd: usedUsd = 0, tokens: usedTokens = 0 } = used;
  const part: Budget = {
    ...(costUsd !== undefined && { costUsd: (costUsd - usedUsd) / lanes }),
    ...(tokens !== undefined && { tokens: Math.floor((tokens - usedTokens) / lanes) }),
    ...((lanes > 1 || run.reserved.size > 0) && { isPart: true }),
  };
  run.reserved.set(holder, {
    ...(part.costUsd !== undefined && { costUsd: usedUsd + part.costUsd }),
    ...(part.tokens !== undefined && { tokens: usedTokens + part.tokens }),
  });
  return part;
}

/** F-05: from what all machines have. Undefined without a fleet, or without a limit. */
async function reserveShared({ deps, hooks }: RunState, holder: object, used: Budget): Promise<Budget | undefined> {
  const { fleet, rules, runId } = deps;
  if (fleet === undefined || (rules.costUsd === undefined && rules.tokens === undefined)) return undefined;
  const { shared, member } = fleet;
  const lease = "lease" in holder ? (holder as LaneState).lease : undefined;
  if (lease === undefined && member === undefined) return undefined;
  const name = "place" in holder ? holderName(holder as LaneState) : `hook ${hooks.started} of ${member}`;
  const part = await shared.reserve(runId, { holder: name, ...(lease === undefined ? { member } : { lease }), used });
  return { ...part, isPart: true };
}

const holderName = ({ deps: { fleet }, place }: LaneState): string => `lane ${fleetLane(fleet!, place.number)}`;

/** F-05: what a session used counts for all machines, and the rest of its part is free again. */
export async function spendShared(lane: LaneState, used: Budget): Promise<void> {
  const { fleet, runId } = lane.deps;
  await fleet?.shared.spend(runId, used, holderName(lane));
}
