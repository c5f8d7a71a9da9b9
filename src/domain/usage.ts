import type { AgentEvent, Usage } from "./agent-event.ts";

/** What a session took. */
export interface SessionUsage extends Usage {
  /** Undefined when the CLI reported none. */
  readonly costUsd: number | undefined;
  /** At least one number is a guess: the session ended before the CLI said what it took. */
  readonly isEstimated: boolean;
  /** Some of its tokens have no known cost, so the cost is a minimum. */
  readonly isCostPartial?: true;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** What one or several sessions took, as events and totals have it. */
export interface SessionCost {
  readonly costUsd: number | undefined;
  readonly tokens: number;
  /** Cost or tokens are estimates. */
  readonly isEstimated: boolean;
  /** The cost of some tokens or sessions is unknown, so it is a minimum. */
  readonly isCostPartial?: true;
}

export const costOf = ({ costUsd, isEstimated, isCostPartial, ...usage }: SessionUsage): SessionCost => ({
  costUsd,
  tokens: totalTokens(usage),
  isEstimated,
  ...(isCostPartial && { isCostPartial }),
});

/** What two sessions took together, both of which were started. */
export const addCosts = (left: SessionCost, right: SessionCost): SessionCost => ({
  costUsd: addCost(left.costUsd, right.costUsd),
  tokens: left.tokens + right.tokens,
  isEstimated: left.isEstimated || right.isEstimated,
  ...((isPartial(left) || isPartial(right)) && { isCostPartial: true as const }),
});

/** The cost is unknown, or a minimum. */
export const isPartial = ({ costUsd, isCostPartial }: Pick<SessionCost, "costUsd" | "isCostPartial">): boolean =>
  costUsd === undefined || isCostPartial === true;

/** Before anything was reported. */
export const NOTHING_USED: SessionUsage = { ...NO_USAGE, costUsd: undefined, isEstimated: false };

/** The sum of costs that may be unknown; undefined while none is known. */
export const addCost = (sum: number | undefined, costUsd: number | undefined): number | undefined =>
  costUsd === undefined ? sum : (sum ?? 0) + costUsd;

/** The sum of all that the events of a session report. */
export function usageOf(events: Iterable<AgentEvent>): SessionUsage {
  let usage = NOTHING_USED;
  for (const event of events) usage = withUsage(usage, event);
  return usage;
}

/** The sum so far, and what one more event reports. */
export function withUsage(usage: SessionUsage, event: AgentEvent): SessionUsage {
  if (event.type !== "agent.usage" && event.type !== "agent.cost") return usage;
  const isEstimated = usage.isEstimated || event.estimated === true;
  if (event.type === "agent.cost") return { ...usage, costUsd: addCost(usage.costUsd, event.usd), isEstimated };
  return {
    ...usage,
    ...addUsage(usage, event),
    isEstimated,
    ...(event.unpriced === true && { isCostPartial: true as const }),
  };
}

export const addUsage = (left: Usage, right: Usage): Usage => ({
  input: left.input + right.input,
  output: left.output + right.output,
  cacheRead: left.cacheRead + right.cacheRead,
  cacheWrite: left.cacheWrite + right.cacheWrite,
});

export const isNoUsage = ({ input, output, cacheRead, cacheWrite }: Usage): boolean =>
  input === 0 && output === 0 && cacheRead === 0 && cacheWrite === 0;

/** All tokens, whatever they cost. */
export const totalTokens = ({ input, output, cacheRead, cacheWrite }: Usage): number =>
  input + output + cacheRead + cacheWrite;
