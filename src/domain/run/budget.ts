import { formatDuration } from "../duration.ts";
import { type SessionUsage, totalTokens } from "../usage.ts";
import type { RunLimits, RunTally } from "./policy.ts";

/** The rest of the budget that a session may use; undefined: no limit. */
export interface Budget {
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
  /** The rest is for sessions beside it. */
  readonly isPart?: true;
}

/** What is left of a run's money and tokens. */
export const budgetLeft = (
  { costUsd, tokens }: Pick<RunLimits, "costUsd" | "tokens">,
  spent: Pick<RunTally, "costUsd" | "tokens">,
): Budget => ({
  ...(costUsd !== undefined && { costUsd: costUsd - spent.costUsd }),
  ...(tokens !== undefined && { tokens: tokens - spent.tokens }),
});

/** Nothing is limited. */
export const isEmpty = ({ costUsd, tokens }: Budget = {}): boolean => costUsd === undefined && tokens === undefined;

export const isSpent = ({ costUsd = Infinity, tokens = Infinity }: Budget, usage: SessionUsage): boolean =>
  (usage.costUsd ?? 0) >= costUsd || totalTokens(usage) >= tokens;

/** What to tell when a session took tokens for which no cost is known, although the cost is limited. */
export function unknownCost({
  iterations,
  timeMs,
  tokens,
}: Pick<RunLimits, "iterations" | "timeMs" | "tokens">): string {
  const others = [
    ...(iterations > 0 ? [`${iterations} iterations`] : []),
    ...(timeMs === undefined ? [] : [formatDuration(timeMs)]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
  const instead =
    others.length === 0
      ? "no other limit is set, such as --max-tokens"
      : `the run is still limited to ${others.join(" and ")}`;
  return `The price of a model is unknown, so the cost limit does not count all that the run costs; ${instead}`;
}
