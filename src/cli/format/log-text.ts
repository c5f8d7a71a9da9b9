import { redactEvent, type Redactor } from "../../domain/redact.ts";
import { createEventFilter, type EventQuery } from "../../domain/run/event-filter.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { addEvent, emptySummary } from "../../domain/run/summary.ts";
import { createRunLines, type RunLinesOptions } from "./run-lines.ts";
import { runSummary } from "./run-summary.ts";

export interface LogTextOptions extends Omit<RunLinesOptions, "time"> {
  readonly wishes: EventQuery;
  readonly redact: Redactor;
}

/** An event of a log as the lines that `run` showed of it, with the time, the day where it changes, and the end. */
export type LogText = (event: RunEvent, atMs: number) => readonly string[];

export function createLogText(options: LogTextOptions): LogText {
  const { wishes, redact, clock } = options;
  // Whoever names a type wants to see it.
  const lines = createRunLines({ ...options, time: true, verbose: options.verbose || wishes.types !== undefined });
  const isWanted = createEventFilter(wishes);
  let summary = emptySummary;
  let day = "";
  const withDay = (shown: readonly string[], atMs: number): readonly string[] => {
    const today = clock(atMs).slice(0, 10);
    if (shown.length === 0 || today === day) return shown;
    day = today;
    return [today, ...shown];
  };
  return (event, atMs) => {
    const safe = redactEvent(event, redact);
    summary = addEvent(summary, safe);
    if (!isWanted(event)) return withDay(between(lines, safe, atMs), atMs);
    const shown = withDay(lines(safe, atMs), atMs);
    return safe.type === "run.finished" ? [...shown, "", ...runSummary(safe, summary).trimEnd().split("\n")] : shown;
  };
}

/**
 * What an event that is not wanted leaves: the end of a text that came in parts. Where an iteration begins is noted all
 * the same, because later lines say it.
 */
function between(lines: ReturnType<typeof createRunLines>, event: RunEvent, atMs: number): readonly string[] {
  if (event.type === "agent.ended") return lines({ ...event, outcome: { kind: "done" } }, atMs);
  if (event.type === "iteration.started") lines(event, atMs);
  return [];
}
