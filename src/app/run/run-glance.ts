import type { RunStarted } from "../../domain/run/event.ts";
import { changeIn, scopesOfRun } from "../../domain/run/ready-changes.ts";
import { readEventLine, type LoggedEvent, typeOfLine } from "../../domain/run/event-line.ts";
import { createRunRecorder, type RunRecord } from "../../domain/run/run-record.ts";
import { eachLine, firstLineOf, lastLineOf } from "../../system/file-lines.ts";

/** The scope of a run, from the first line of its log: logs may be long. */
export const scopeAt = (file: string): string | undefined => startOf(file)?.scope;

/** Whether a run worked on a scope, alone or among others. */
export function isAbout(file: string, scope: string): boolean {
  const started = startOf(file);
  if (started === undefined) return false;
  return scopesOfRun(started).includes(scope) || (started.changes !== undefined && tookIn(file, scope));
}

/** Whether a run of several changes also worked on one that became ready later. */
function tookIn(file: string, scope: string): boolean {
  const last = lastEventAt(file)?.event;
  if (last?.type === "run.finished") return last.changes?.some(({ change }) => change === changeIn(scope)) ?? false;
  let isFound = false;
  const onLine = (text: string): void => {
    const event = readEventLine(text)?.event;
    isFound ||= event?.type === "iteration.started" && event.scope === scope;
  };
  eachLine(file, { isWanted: (head) => typeOfLine(head) === "iteration.started", onLine });
  return isFound;
}

function startOf(file: string): RunStarted | undefined {
  const event = eventAt(firstLineOf(file))?.event;
  return event?.type === "run.started" ? event : undefined;
}

/** The last event of a log; undefined when there is none. */
export const lastEventAt = (file: string): LoggedEvent | undefined => eventAt(lastLineOf(file));

const eventAt = (line: string | undefined): LoggedEvent | undefined =>
  line === undefined ? undefined : readEventLine(line);

/** A run that has begun, from its events without what its agent said and did. */
export interface RunGlance extends RunRecord {
  readonly startedAtMs: number;
}

/** Most of a log; the state of the run does not depend on these. */
const TALK = new Set(
  ["text", "thinking", "tool", "tool-result", "notice", "unknown", "retry"].map((what) => `agent.${what}`),
);

/** The state of a run; undefined without events. */
export function glanceAt(file: string): RunGlance | undefined {
  const { run, add } = createRunRecorder("open");
  const onLine = (text: string): void => {
    const line = readEventLine(text);
    if (line !== undefined) add(line.event, line.atMs);
  };
  eachLine(file, { isWanted: (head) => !TALK.has(typeOfLine(head)), onLine });
  const { startedAtMs } = run;
  if (startedAtMs === undefined) return undefined;
  // Agent texts were skipped above, but their time counts.
  return { ...run, startedAtMs, lastAtMs: Math.max(run.lastAtMs, lastEventAt(file)?.atMs ?? 0) };
}
