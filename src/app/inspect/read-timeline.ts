import { createTimeline, endedTimeline, type Timeline } from "../../domain/run/timeline.ts";
import { kindOf } from "../../system/folder.ts";
import { eventsIn } from "../run/run-events.ts";
import { isRunning, type RunLog } from "../run/run-logs.ts";

/** What an agent said and was given is in the transcript: it need not be parsed. */
const TALK = new Set(["agent.text", "agent.thinking", "agent.tool-result", "agent.usage", "agent.cost"]);

/** The timeline that a log tells; undefined when there is no log, or nothing in it. */
export async function readTimeline(log: RunLog): Promise<Timeline | undefined> {
  if ((await kindOf(log.file)) !== "file") return undefined;
  const builder = createTimeline();
  // Asked before it is read: a run that ends meanwhile says so in what is read.
  const lasts = isRunning(log);
  for await (const line of eventsIn(log.file, (type) => !TALK.has(type))) builder.add(line);
  const timeline = builder.timeline();
  return lasts ? timeline : timeline && endedTimeline(timeline);
}
