import { readEventLine, type LoggedEvent, typeOfLine } from "../../domain/run/event-line.ts";
import { createRunRecorder, type RunRecord } from "../../domain/run/run-record.ts";
import { eachLine, firstLineOf, lastLineOf } from "../../system/file-lines.ts";

/** What a run was about, by the first line of its log: there may be many, and long ones. */
export function scopeAt(file: string): string | undefined {
  const event = eventAt(firstLineOf(file))?.event;
  return event?.type === "run.started" ? event.scope : undefined;
}

/** The last event of a log; undefined when there is none. */
export const lastEventAt = (file: string): LoggedEvent | undefined => eventAt(lastLineOf(file));

const eventAt = (line: string | undefined): LoggedEvent | undefined =>
  line === undefined ? undefined : readEventLine(line);

/** A run that has begun, from its events without what its agent said and did. */
export interface RunGlance extends RunRecord {
  readonly startedAtMs: number;
}

/** Most of a log by far; how the run stands does not depend on it. */
const TALK = new Set(
  ["text", "thinking", "tool", "tool-result", "notice", "unknown", "retry"].map((what) => `agent.${what}`),
);

/** How a run stands; undefined when there is no event yet. */
export function glanceAt(file: string): RunGlance | undefined {
  const { run, add } = createRunRecorder("open");
  const onLine = (text: string): void => {
    const line = readEventLine(text);
    if (line !== undefined) add(line.event, line.atMs);
  };
  eachLine(file, { isWanted: (head) => !TALK.has(typeOfLine(head)), onLine });
  const { startedAtMs } = run;
  if (startedAtMs === undefined) return undefined;
  // What the agent says is left out above, but that it says something is not.
  return { ...run, startedAtMs, lastAtMs: Math.max(run.lastAtMs, lastEventAt(file)?.atMs ?? 0) };
}
