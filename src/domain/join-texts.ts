import type { AgentEvent, AgentText } from "./agent-event.ts";

/** As much as one event may hold without being cut when it is recorded, in characters. */
const MAX_LENGTH = 16 * 1024;

/**
 * Pieces of one text that come at once become one event: an agent that prints a million lines makes thousands of events.
 * All else is handed on as it is, in its order.
 */
export function joinTexts(onEvent: (event: AgentEvent) => void) {
  let held: AgentText | undefined;
  let text = "";
  /** Hands on what is held back. */
  const flush = (): void => {
    if (held === undefined) return;
    const event = { ...held, text };
    held = undefined;
    onEvent(event);
  };
  return {
    add: (event: AgentEvent): void => {
      const isPiece = event.type === "agent.text" && event.block !== undefined;
      const isNext = isPiece && event.block === held?.block && event.parent === held?.parent;
      if (isNext && text.length + event.text.length <= MAX_LENGTH) {
        text += event.text;
        return;
      }
      flush();
      if (isPiece) [held, text] = [event, event.text];
      else onEvent(event);
    },
    flush,
  };
}
