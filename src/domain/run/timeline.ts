import type { LoggedEvent } from "./event-line.ts";
import type { CheckKind, EventOf } from "./event.ts";
import type { IterationRecord } from "./iteration-record.ts";
import { createRunRecorder } from "./run-record.ts";
import { hasLanes, type RunSummary } from "./summary.ts";

/** A run in the order in which it happened, with all that is known of each iteration. */
export interface Timeline {
  readonly run: string;
  readonly startedAtMs: number;
  /** When something was last heard of it. */
  readonly lastAtMs: number;
  readonly summary: RunSummary;
  readonly entries: readonly TimelineEntry[];
}

export type TimelineEntry =
  | { readonly kind: "iteration"; readonly iteration: IterationRecord }
  /** `toMs`: undefined while it lasts. */
  | { readonly kind: "wait"; readonly for: Wait; readonly fromMs: number; readonly toMs: number | undefined }
  /** `toMs` and `red`: undefined until it is over. */
  | {
      readonly kind: "check";
      readonly check: CheckKind;
      /** The lane that it is for; absent: the run itself, or the only lane. */
      readonly lane?: number;
      readonly atMs: number;
      readonly toMs: number | undefined;
      readonly red: readonly string[] | undefined;
    };

type Wait = EventOf<"run.waiting">["for"];

/** Puts a timeline together, event by event. */
export function createTimeline() {
  const { run: record, add } = createRunRecorder("all");
  const entries: TimelineEntry[] = [];
  let first: LoggedEvent | undefined;
  const changeLast = (isMeant: (entry: TimelineEntry) => boolean, change: Partial<TimelineEntry>): void => {
    const at = entries.findLastIndex(isMeant);
    if (at >= 0) entries[at] = { ...entries[at]!, ...change } as TimelineEntry;
  };
  const endWait = (toMs: number): void =>
    changeLast((entry) => entry.kind === "wait" && entry.toMs === undefined, { toMs });
  return {
    add: (line: LoggedEvent): void => {
      const { event, atMs } = line;
      first ??= line;
      add(event, atMs, line.run);
      if (event.type === "run.resumed" || event.type === "run.finished") endWait(atMs);
      else if (event.type === "run.waiting") {
        entries.push({ kind: "wait", for: event.for, fromMs: atMs, toMs: undefined });
      } else if (event.type === "check.started") {
        const { check, lane } = event;
        const about = { check, ...(lane !== undefined && { lane }) };
        entries.push({ kind: "check", ...about, atMs, toMs: undefined, red: undefined });
      } else if (event.type === "check.finished") {
        const isMeant = (entry: TimelineEntry): boolean =>
          entry.kind === "check" && entry.check === event.check && entry.lane === event.lane;
        changeLast(isMeant, { toMs: atMs, red: event.red });
      } else if (event.type === "iteration.started") {
        if (!hasLanes(record.summary)) endWait(atMs);
        entries.push({ kind: "iteration", iteration: record.iterations.get(event.iteration)! });
      }
    },
    /** Undefined when there was no event at all. */
    timeline: (): Timeline | undefined => {
      const { lastAtMs, summary } = record;
      return first && { run: first.run, startedAtMs: first.atMs, lastAtMs, summary, entries: [...entries] };
    },
  };
}

/** The iterations of a timeline, in order. */
export const iterationsOf = ({ entries }: Timeline): IterationRecord[] =>
  entries.flatMap((entry) => (entry.kind === "iteration" ? [entry.iteration] : []));

/** The same when nobody will add to it: what has no end was cut off. */
export const endedTimeline = (timeline: Timeline): Timeline => ({
  ...timeline,
  entries: timeline.entries.map((entry) =>
    entry.kind === "iteration" && entry.iteration.finished === undefined
      ? { ...entry, iteration: { ...entry.iteration, isCutOff: true } }
      : entry,
  ),
});
