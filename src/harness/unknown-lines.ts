import type { AgentEvent } from "../domain/agent-event.ts";
import { cut } from "./brief.ts";

/** Counts what a reader did not know: agents change, and a run must survive it without being silent about it. */
export function countUnknownLines() {
  let lines = 0;
  let known = 0;
  let example = "";
  return {
    known: (): void => void (known += 1),
    /** Yields nothing: a session can print millions of such lines. */
    add: (line: string): [] => {
      const text = line.trim();
      if (text === "") return [];
      if (lines === 0) example = cut(text, 200);
      lines += 1;
      return [];
    },
    events: (): AgentEvent[] => (lines === 0 ? [] : [{ type: "agent.unknown", lines, of: lines + known, example }]),
  };
}
