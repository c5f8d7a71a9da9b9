import type { AgentEvent, AgentReader } from "../domain/agent-event.ts";
import { estimatedCost } from "../domain/prices.ts";
import { createStreamEstimate } from "../domain/stream-estimate.ts";

/** What is known before the session begins. */
interface Begun {
  /** All that the agent is given to read. */
  readonly given: string;
  readonly model: string | undefined;
}

/**
 * A reader of a session with a budget. If the CLI says nothing about what it takes, neither in its output nor in its own
 * file, the budget counts an estimate from the text that is seen. It is reported only if nothing else was until the end.
 */
export function withEstimate(reader: AgentReader, { given, model: asked }: Begun): AgentReader {
  const estimate = createStreamEstimate(given);
  let model = asked;
  let isTold = false;
  const note = (events: AgentEvent[]): AgentEvent[] => {
    for (const event of events) {
      if (event.type === "agent.session") model = event.model ?? model;
      isTold ||= event.type === "agent.usage";
      estimate.add(event);
    }
    return events;
  };
  const estimated = (): AgentEvent[] => {
    const usage = isTold ? undefined : estimate.usage();
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
      return known.length > 0 ? known : estimated();
    },
    end: (exit) => {
      const last = note(reader.end(exit));
      return [...last.slice(0, -1), ...estimated(), ...last.slice(-1)];
    },
  };
}
