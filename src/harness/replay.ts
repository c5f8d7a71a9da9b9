import type { AgentOutcome, AgentReader } from "../domain/agent-event.ts";
import { agentEnding } from "../domain/agent-ending.ts";
import { RalphError } from "../domain/error.ts";
import { readEventLine } from "../domain/run/event-line.ts";
import { type Harness, type Session, wholePrompt } from "./harness.ts";
import { countUnknownLines } from "./line-reader.ts";
import { playedFacts } from "./scripted.ts";

/** Plays a recorded iteration of ours as if it were the agent: what it said and did, and what came of its claim. */
export const replay: Harness = {
  start: (session) => ({ ...commandLine(session), stdin: wholePrompt(session), files: [] }),

  reader: createReplayReader,

  facts: {
    title: "A recorded iteration",
    ...playedFacts,
    quirks: ["It repeats the recorded changes and messages, for the task that is assigned now."],
  },
};

function commandLine({ settings, self: [file, ...args] }: Session) {
  if (settings.recording === null) {
    throw new RalphError("config", "The harness `replay` has no iteration to play", {
      hint: "Set `harnesses.replay.recording` to the folder of one, such as .ralph/runs/RUN/1",
    });
  }
  return {
    file: settings.bin ?? file,
    args: [...(settings.bin === null ? [...args, "replay-agent"] : []), settings.recording, ...settings.args],
    env: settings.env,
  };
}

/** Its lines are those of our own record. */
function createReplayReader(): AgentReader {
  let reported: AgentOutcome | undefined;
  const unknown = countUnknownLines();
  return {
    line: (text) => {
      const event = readEventLine(text)?.event;
      if (event === undefined || !("iteration" in event) || !event.type.startsWith("agent.")) return unknown.add(text);
      unknown.known();
      if (event.type === "agent.ended") {
        reported = event.outcome;
        return [];
      }
      if (event.type === "agent.unknown") return [];
      const { iteration: _, ...own } = event;
      // An event with an iteration and such a type is an agent event.
      return [own as never];
    },
    hasResult: () => reported !== undefined,
    end: (exit) => [...unknown.events(), { type: "agent.ended", outcome: agentEnding(reported, exit) }],
  };
}
