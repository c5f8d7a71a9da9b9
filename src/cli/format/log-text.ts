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

/** The lines that `run` printed for an event, with times, dates and the summary. */
export type LogText = (event: RunEvent, atMs: number) => readonly string[];

export function createLogText(options: LogTextOptions): LogText {
  const { wishes, redact, clock } = options;
  // A type that was asked for is shown even if it is verbose.
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
 * The lines that a filtered event still causes: the end of a text that came in parts. The start of an iteration is
 * tracked too, because later lines name it.
 */
function between(lines: ReturnType<typeof createRunLines>, event: RunEvent, atMs: number): readonly string[] {
  if (event.type === "agent.ended") return lines({ ...event, outcome: { kind: "done" } }, atMs);
  if (event.type === "iteration.started") lines(event, atMs);
  return [];
}
