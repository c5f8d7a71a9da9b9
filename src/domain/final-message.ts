import type { AgentEvent } from "./agent-event.ts";

/** Of an agent that prints a gigabyte, only this much is kept: claims stand at the end. In characters. */
const MAX_LENGTH = 1024 * 1024;

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
  let pieces: string[] = [];
  let length = 0;
  let block: string | undefined;
  const reset = (text: string): void => {
    pieces = text === "" ? [] : [text];
    length = text.length;
  };
  return {
    add: (event) => {
      if (isBoundary(event)) {
        reset("");
        block = undefined;
      }
      if (event.type !== "agent.text" || event.parent !== undefined || event.text === "") return;
      const isSame = event.block !== undefined && event.block === block;
      if (length > 0 && !isSame) pieces.push("\n\n");
      pieces.push(event.text);
      block = event.block;
      length += event.text.length + (isSame ? 0 : 2);
      // Twice the size, so that cutting is rare.
      if (length > 2 * MAX_LENGTH) reset(lastLines(pieces.join("")));
    },
    text: () => {
      const all = pieces.join("");
      return all.length > MAX_LENGTH ? lastLines(all) : all;
    },
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

/** The end of a text, from the first line that fits whole; a single line is cut. */
function lastLines(text: string): string {
  const end = text.slice(-MAX_LENGTH);
  const lineEnd = end.indexOf("\n");
  return lineEnd < 0 || lineEnd === end.length - 1 ? end : end.slice(lineEnd + 1);
}
