import type { AgentEvent } from "../domain/agent-event.ts";
import { cut } from "./brief.ts";

/** Counts what a reader did not know: agents change, and a run must survive it without being silent about it. */
export function countUnknownLines() {
  let lines = 0;
  let example = "";
  return {
    /** Yields nothing: a session can print millions of such lines. */
    add: (line: string): [] => {
      if (line.trim() === "") return [];
      if (lines === 0) example = cut(line.trim(), 200);
      lines += 1;
      return [];
    },
    events: (): AgentEvent[] => (lines === 0 ? [] : [{ type: "agent.unknown", lines, example }]),
  };
}
