import { createTimeline, type Timeline } from "../../domain/run/timeline.ts";
import { kindOf } from "../../system/folder.ts";
import { eventsIn } from "../run/run-events.ts";

/** What an agent said and was given is in the transcript: it need not be parsed. */
const TALK = new Set(["agent.text", "agent.thinking", "agent.tool-result", "agent.usage", "agent.cost"]);

/** The timeline that a log tells; undefined when there is no log, or nothing in it. */
export async function timelineIn(file: string): Promise<Timeline | undefined> {
  if ((await kindOf(file)) !== "file") return undefined;
  const builder = createTimeline();
  for await (const line of eventsIn(file, (type) => !TALK.has(type))) builder.add(line);
  return builder.timeline();
}
