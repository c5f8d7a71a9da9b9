import { createTimeline, endedTimeline, type Timeline } from "../../domain/run/timeline.ts";
import { kindOf } from "../../system/folder.ts";
import { eventsIn } from "../run/run-events.ts";
import { isRunning, type RunLog } from "../run/run-logs.ts";

/** Skipped: the transcript has these. */
const TALK = new Set(["agent.text", "agent.thinking", "agent.tool-result", "agent.usage", "agent.cost"]);

/** The timeline of a log; undefined if it is missing or empty. */
export async function readTimeline(log: RunLog): Promise<Timeline | undefined> {
  if ((await kindOf(log.file)) !== "file") return undefined;
  const builder = createTimeline();
  // Checked before reading: a run that ends meanwhile has its end in the log.
  const lasts = isRunning(log);
  for await (const line of eventsIn(log.file, (type) => !TALK.has(type))) builder.add(line);
  const timeline = builder.timeline();
  return lasts ? timeline : timeline && endedTimeline(timeline);
}
