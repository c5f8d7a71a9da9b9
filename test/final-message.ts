import type { AgentEvent } from "../src/domain/agent-event.ts";
import { createFinalMessage } from "../src/domain/final-message.ts";

/** The final message of a session whose events are at hand. */
export function finalMessage(events: Iterable<AgentEvent>): string {
  const message = createFinalMessage();
  for (const event of events) message.add(event);
  return message.text();
}
