import type { AgentEvent } from "../domain/agent-event.ts";

/** A line that never ends is passed on in parts. In characters. */
const MAX_LENGTH = 64 * 1024;

/** Joins words that arrive in pieces cut anywhere, and passes them on in whole lines. `parent`: whose words they are. */
export function createTextLines(type: "agent.text" | "agent.thinking" = "agent.text", parent?: string) {
  let held = "";
  let blocks = 0;
  const events = (text: string): AgentEvent[] => {
    if (text === "") return [];
    return parent === undefined
      ? [{ type, text, block: `text-${blocks}` }]
      : [{ type, text, block: `${parent}-${blocks}`, parent }];
  };
  return {
    add: (piece: string): AgentEvent[] => {
      held += piece;
      const end = held.length > MAX_LENGTH ? held.length : held.lastIndexOf("\n") + 1;
      const lines = held.slice(0, end);
      held = held.slice(end);
      return events(lines);
    },
    /** Something else follows: what comes then is another text. */
    close: (): AgentEvent[] => {
      const rest = events(held);
      held = "";
      blocks += 1;
      return rest;
    },
  };
}
