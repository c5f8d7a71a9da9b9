import { readEventLine, type LoggedEvent, typeOfLine } from "../../domain/run/event-line.ts";
import { addEvent, emptySummary, type RunSummary } from "../../domain/run/summary.ts";
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

/** How a run stands, from its events without what its agent said and did. */
export interface RunGlance {
  readonly startedAtMs: number;
  /** When something was last heard of it. */
  readonly lastAtMs: number;
  readonly summary: RunSummary;
  /** The iteration that is going on. */
  readonly open: OpenIteration | undefined;
}

export interface OpenIteration {
  readonly iteration: number;
  readonly of: number;
  readonly startedAtMs: number;
  /** What its session has reported so far, which is not in the summary yet. */
  readonly costUsd: number | undefined;
  readonly tokens: number;
}

/** Most of a log by far; how the run stands does not depend on it. */
const TALK = new Set(
  ["text", "thinking", "tool", "tool-result", "notice", "unknown", "retry"].map((what) => `agent.${what}`),
);

/** Undefined when there is no event yet. */
export function glanceAt(file: string): RunGlance | undefined {
  let seen: RunGlance = { startedAtMs: Number.NaN, lastAtMs: 0, summary: emptySummary, open: undefined };
  const onLine = (text: string): void => {
    const line = readEventLine(text);
    if (line === undefined) return;
    seen = {
      startedAtMs: Number.isNaN(seen.startedAtMs) ? line.atMs : seen.startedAtMs,
      lastAtMs: line.atMs,
      summary: addEvent(seen.summary, line.event),
      open: openAfter(seen.open, line),
    };
  };
  eachLine(file, { isWanted: (head) => !TALK.has(typeOfLine(head)), onLine });
  if (Number.isNaN(seen.startedAtMs)) return undefined;
  // What the agent says is left out above, but that it says something is not.
  return { ...seen, lastAtMs: Math.max(seen.lastAtMs, lastEventAt(file)?.atMs ?? 0) };
}

function openAfter(open: OpenIteration | undefined, { event, atMs }: LoggedEvent): OpenIteration | undefined {
  if (event.type === "iteration.started") {
    const { iteration, of } = event;
    return { iteration, of, startedAtMs: atMs, costUsd: undefined, tokens: 0 };
  }
  if (event.type === "iteration.finished" || event.type === "run.finished") return undefined;
  if (open === undefined || !("iteration" in event) || event.iteration !== open.iteration) return open;
  if (event.type === "agent.cost") return { ...open, costUsd: (open.costUsd ?? 0) + event.usd };
  if (event.type !== "agent.usage") return open;
  return { ...open, tokens: open.tokens + event.input + event.output + event.cacheRead + event.cacheWrite };
}
