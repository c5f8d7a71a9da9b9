import type { AgentEvent, AgentReader, Usage } from "../domain/agent-event.ts";
import { estimatedCost } from "../domain/prices.ts";
import { createStreamEstimate } from "../domain/stream-estimate.ts";
import { addUsage, NO_USAGE, totalTokens } from "../domain/usage.ts";

/** What is known before the session begins. */
interface Begun {
  /** All that the agent is given to read. */
  readonly given: string;
  readonly model: string | undefined;
  /** Whether the session was stopped because its budget is spent. */
  readonly isSpent: () => boolean;
}

/**
 * A reader of a session with a budget. If the CLI says nothing about what it takes, neither in its output nor in its own
 * file, the budget counts an estimate from the text that is seen. It is reported only if nothing else was until the end, or
 * if the CLI tells less when it is stopped for it: otherwise the run would start the same session again and again.
 */
export function withEstimate(reader: AgentReader, { given, model: asked, isSpent }: Begun): AgentReader {
  const estimate = createStreamEstimate(given);
  let model = asked;
  let told: Usage | undefined;
  /** The estimate that the budget was compared with last. */
  let counted: Usage | undefined;
  const note = (events: AgentEvent[]): AgentEvent[] => {
    for (const event of events) {
      if (event.type === "agent.session") model = event.model ?? model;
      if (event.type === "agent.usage") {
        told = addUsage(told ?? NO_USAGE, event);
        if (!isSpent()) counted = undefined;
      }
      estimate.add(event);
    }
    return events;
  };
  const eventsOf = (usage: Usage | undefined): AgentEvent[] => {
    if (usage === undefined) return [];
    const usd = estimatedCost(model, usage);
    const cost: AgentEvent[] = usd === undefined ? [] : [{ type: "agent.cost", usd, estimated: true }];
    return [{ type: "agent.usage", ...usage, estimated: true, ...(usd === undefined && { unpriced: true }) }, ...cost];
  };
  return {
    ...reader,
    line: (text) => note(reader.line(text)),
    unreported: () => {
      const known = reader.unreported?.() ?? [];
      if (known.length > 0) return known;
      if (told === undefined) counted = estimate.usage();
      return told === undefined ? eventsOf(counted) : [];
    },
    end: (exit) => {
      const last = note(reader.end(exit));
      const rest = told === undefined ? estimate.usage() : isSpent() ? above(counted, told) : undefined;
      return [...last.slice(0, -1), ...eventsOf(rest), ...last.slice(-1)];
    },
  };
}

function above(counted: Usage | undefined, told: Usage): Usage | undefined {
  if (counted === undefined || totalTokens(counted) <= totalTokens(told)) return undefined;
  return {
    input: Math.max(0, counted.input - told.input),
    output: Math.max(0, counted.output - told.output),
    cacheRead: Math.max(0, counted.cacheRead - told.cacheRead),
    cacheWrite: 0,
  };
}
