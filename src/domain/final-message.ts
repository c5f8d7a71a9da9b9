import type { AgentEvent } from "./agent-event.ts";
import { createTailText } from "./tail-text.ts";

/** Of an agent that prints a gigabyte, only this much is kept: claims stand at the end. */
const MAX_BYTES = 1024 * 1024;

/** Collects an agent's final message from its events as they come, in bounded memory. */
export interface FinalMessage {
  readonly add: (event: AgentEvent) => void;
  readonly text: () => string;
}

/**
 * P-10: all text that the agent itself says after its last tool result; for plain-text output that is all of it.
 * Tool output, thinking and the words of agents that it started are not its own. Texts that came separately are kept
 * apart by a blank line, so that one can neither finish nor quote the other.
 */
export function createFinalMessage(): FinalMessage {
  const tail = createTailText(MAX_BYTES);
  let block: string | undefined;
  return {
    add: (event) => {
      if (isBoundary(event)) {
        tail.clear();
        block = undefined;
      }
      if (event.type !== "agent.text" || event.parent !== undefined || event.text === "") return;
      const isSame = event.block !== undefined && event.block === block;
      if (!tail.isEmpty() && !isSame) tail.add("\n\n");
      tail.add(event.text);
      block = event.block;
    },
    text: tail.text,
  };
}

/** Nobody knows what stands in a line that is too long: most likely a tool gave it back. */
const isBoundary = (event: AgentEvent): boolean =>
  (event.type === "agent.tool-result" && event.parent === undefined) || event.type === "agent.long-line";

/** The final message of a session whose events are at hand. */
export function finalMessage(events: Iterable<AgentEvent>): string {
  const message = createFinalMessage();
  for (const event of events) message.add(event);
  return message.text();
}
