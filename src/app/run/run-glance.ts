import { readEventLine, type ReadLine } from "../../domain/run/event-line.ts";
import type { RunFinished } from "../../domain/run/event.ts";
import { addEvent, freshSummary, type RunSummary } from "../../domain/run/summary.ts";
import { fileEnds } from "../../system/file-ends.ts";
import { eventsIn } from "./run-events.ts";

/** What both ends of a log say of a run, without reading what lies between: there may be many, and long ones. */
export interface RunEnds {
  readonly scope: string | undefined;
  readonly lastAtMs: number | undefined;
  /** Undefined: it goes on, or ended without a word. */
  readonly finished: RunFinished | undefined;
}

const END_BYTES = 64 * 1024;

/** Undefined when there is no log. */
export function runEnds(file: string): RunEnds | undefined {
  const ends = fileEnds(file, END_BYTES);
  if (ends === undefined) return undefined;
  const first = readEventLine(ends.head.slice(0, endOfLine(ends.head)));
  const last = readEventLine(lastLine(ends.tail));
  return {
    scope: first?.event.type === "run.started" ? first.event.scope : undefined,
    lastAtMs: last?.atMs,
    finished: last?.event.type === "run.finished" ? last.event : undefined,
  };
}

const endOfLine = (text: string): number | undefined => {
  const at = text.indexOf("\n");
  return at < 0 ? undefined : at;
};

/** The last one that is whole. */
function lastLine(text: string): string {
  const whole = text.slice(0, Math.max(0, text.lastIndexOf("\n")));
  return whole.slice(whole.lastIndexOf("\n") + 1);
}

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
export async function glanceAt(file: string): Promise<RunGlance | undefined> {
  let first: ReadLine | undefined;
  let lastAtMs = 0;
  let summary = freshSummary;
  let open: OpenIteration | undefined;
  for await (const line of eventsIn(file, (type) => !TALK.has(type))) {
    first ??= line;
    lastAtMs = line.atMs;
    summary = addEvent(summary, line.event);
    open = openAfter(open, line);
  }
  if (first === undefined) return undefined;
  // What the agent says is left out above, but that it says something is not.
  const heard = runEnds(file)?.lastAtMs ?? lastAtMs;
  return { startedAtMs: first.atMs, lastAtMs: Math.max(heard, lastAtMs), summary, open };
}

function openAfter(open: OpenIteration | undefined, { event, atMs }: ReadLine): OpenIteration | undefined {
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
