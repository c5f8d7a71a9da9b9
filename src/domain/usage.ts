import type { AgentEvent, Usage } from "./agent-event.ts";

/** What a session took. */
export interface SessionUsage extends Usage {
  /** Undefined when the CLI reported none. */
  readonly costUsd: number | undefined;
  /** At least one number is a guess: the session ended before the CLI said what it took. */
  readonly isEstimated: boolean;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The sum of all that the events of a session report. */
export function usageOf(events: Iterable<AgentEvent>): SessionUsage {
  let tokens = NO_USAGE;
  let costUsd: number | undefined;
  let isEstimated = false;
  for (const event of events) {
    if (event.type === "agent.usage") tokens = addUsage(tokens, event);
    if (event.type === "agent.cost") costUsd = (costUsd ?? 0) + event.usd;
    if (event.type === "agent.usage" || event.type === "agent.cost") isEstimated ||= event.estimated === true;
  }
  return { ...tokens, costUsd, isEstimated };
}

export const addUsage = (left: Usage, right: Usage): Usage => ({
  input: left.input + right.input,
  output: left.output + right.output,
  cacheRead: left.cacheRead + right.cacheRead,
  cacheWrite: left.cacheWrite + right.cacheWrite,
});

export const isNoUsage = ({ input, output, cacheRead, cacheWrite }: Usage): boolean =>
  input === 0 && output === 0 && cacheRead === 0 && cacheWrite === 0;
