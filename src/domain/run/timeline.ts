import type { AgentOutcome } from "../agent-event.ts";
import type { GateEnd } from "../gate.ts";
import type { LoggedEvent } from "./event-line.ts";
import type { EventOf, HookFinished, IterationFinished, IterationStarted, RunEvent } from "./event.ts";
import { addEvent, emptySummary, type RunSummary } from "./summary.ts";

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
      readonly check: "baseline" | "final";
      readonly atMs: number;
      readonly toMs: number | undefined;
      readonly red: readonly string[] | undefined;
    };

type Wait = EventOf<"run.waiting">["for"];

/** What the events say of one iteration. */
export interface IterationRecord {
  readonly run: string;
  readonly scope: string;
  readonly startedAtMs: number;
  /** Undefined: it lasts, or was cut off. */
  readonly endedAtMs: number | undefined;
  /** It did not end, and its run does not last any more. */
  readonly isCutOff: boolean;
  readonly started: IterationStarted;
  readonly finished: IterationFinished | undefined;
  /** The agent's own name for the session, as soon as it said it. */
  readonly sessionId: string | undefined;
  /** How often the agent used a tool. */
  readonly tools: number;
  readonly ended: AgentOutcome | undefined;
  readonly stopped: readonly EventOf<"session.stopped">[];
  readonly changed: EventOf<"session.changed"> | undefined;
  readonly claims: readonly EventOf<"claim.made">[];
  readonly notes: readonly string[];
  readonly gates: readonly GateRecord[];
  readonly verdict: EventOf<"verdict.reached"> | undefined;
  readonly commits: readonly EventOf<"commit.made">[];
  readonly hooks: readonly HookFinished[];
}

/** A gate that was run for an iteration. */
export interface GateRecord {
  readonly gate: string;
  readonly command: string;
  /** Undefined: it had not ended when the events did. */
  readonly result: GateOutcome | undefined;
}

export interface GateOutcome {
  readonly passed: boolean;
  readonly end: GateEnd;
  readonly runs: number;
  readonly durationMs: number;
  /** The end of what it wrote, and the file that has all of it. */
  readonly output: string;
  readonly file: string;
}

export interface TimelineBuilder {
  readonly add: (line: LoggedEvent) => void;
  /** Undefined when there was no event at all. */
  readonly timeline: () => Timeline | undefined;
}

/** Puts a timeline together, event by event. */
export function createTimeline(): TimelineBuilder {
  const entries: TimelineEntry[] = [];
  /** Where the record of an iteration stands among the entries. */
  const places = new Map<number, number>();
  let first: LoggedEvent | undefined;
  let lastAtMs = 0;
  let summary = emptySummary;
  const changeLast = (isMeant: (entry: TimelineEntry) => boolean, change: (entry: TimelineEntry) => TimelineEntry) => {
    const at = entries.findLastIndex(isMeant);
    if (at >= 0) entries[at] = change(entries[at]!);
  };
  const endWait = (toMs: number): void =>
    changeLast(
      (entry) => entry.kind === "wait" && entry.toMs === undefined,
      (entry) => ({ ...entry, toMs }) as TimelineEntry,
    );
  return {
    add: (line) => {
      const { event, atMs } = line;
      first ??= line;
      lastAtMs = atMs;
      summary = addEvent(summary, event);
      if (event.type === "run.resumed" || event.type === "iteration.started" || event.type === "run.finished") {
        endWait(atMs);
      }
      if (event.type === "run.waiting") entries.push({ kind: "wait", for: event.for, fromMs: atMs, toMs: undefined });
      else if (event.type === "check.started") {
        entries.push({ kind: "check", check: event.check, atMs, toMs: undefined, red: undefined });
      } else if (event.type === "check.finished") {
        changeLast(
          (entry) => entry.kind === "check" && entry.check === event.check,
          (entry) => ({ ...entry, toMs: atMs, red: event.red }) as TimelineEntry,
        );
      } else if (event.type === "iteration.started") {
        places.set(event.iteration, entries.length);
        entries.push({ kind: "iteration", iteration: begun(line, event, summary.started?.scope ?? "") });
      } else {
        const at = "iteration" in event && event.iteration !== undefined ? places.get(event.iteration) : undefined;
        const entry = at === undefined ? undefined : entries[at];
        if (entry?.kind === "iteration") entries[at!] = { ...entry, iteration: after(entry.iteration, line) };
      }
    },
    timeline: () => first && { run: first.run, startedAtMs: first.atMs, lastAtMs, summary, entries: [...entries] },
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

const begun = ({ run, atMs }: LoggedEvent, started: IterationStarted, scope: string): IterationRecord => ({
  run,
  scope,
  startedAtMs: atMs,
  endedAtMs: undefined,
  isCutOff: false,
  started,
  finished: undefined,
  sessionId: undefined,
  tools: 0,
  ended: undefined,
  stopped: [],
  changed: undefined,
  claims: [],
  notes: [],
  gates: [],
  verdict: undefined,
  commits: [],
  hooks: [],
});

function after(record: IterationRecord, { event, atMs }: LoggedEvent): IterationRecord {
  // Found by the event's own type, so it is the one for it.
  const step = STEPS[event.type] as
    | ((record: IterationRecord, event: RunEvent) => Partial<IterationRecord>)
    | undefined;
  if (step === undefined) return record;
  const isEnd = event.type === "iteration.finished";
  return { ...record, ...step(record, event), ...(isEnd && { endedAtMs: atMs }) };
}

type Steps = {
  readonly [Type in RunEvent["type"]]?: (record: IterationRecord, event: EventOf<Type>) => Partial<IterationRecord>;
};

/** What each event adds to the record of its iteration. */
const STEPS: Steps = {
  // What comes after the end of a session is said by who reviews its work.
  "agent.session": ({ ended, sessionId }, event) =>
    ended === undefined ? { sessionId: event.sessionId ?? sessionId } : {},
  "agent.tool": ({ ended, tools }) => (ended === undefined ? { tools: tools + 1 } : {}),
  "agent.ended": ({ ended }, { outcome }) => ({ ended: ended ?? outcome }),
  "session.stopped": ({ stopped }, event) => ({ stopped: [...stopped, event] }),
  "session.changed": (_, event) => ({ changed: event }),
  "claim.made": ({ claims }, event) => ({ claims: [...claims, event] }),
  "protocol.broken": ({ notes }, { note }) => ({ notes: [...notes, note] }),
  "gate.started": ({ gates }, { gate, command }) => ({ gates: [...gates, { gate, command, result: undefined }] }),
  "gate.finished": ({ gates }, event) => ({ gates: withResult(gates, event) }),
  "verdict.reached": (_, event) => ({ verdict: event }),
  "commit.made": ({ commits }, event) => ({ commits: [...commits, event] }),
  "hook.finished": ({ hooks }, event) => ({ hooks: [...hooks, event] }),
  "iteration.finished": (record, event) => ({ finished: event, sessionId: event.sessionId ?? record.sessionId }),
};

/** The last of its name that is open; one that was never seen to start has no command that we know. */
function withResult(gates: readonly GateRecord[], event: EventOf<"gate.finished">): readonly GateRecord[] {
  const { gate, passed, end, runs, durationMs, output, file } = event;
  const result = { passed, end, runs, durationMs, output, file };
  const at = gates.findLastIndex((each) => each.gate === gate && each.result === undefined);
  return at < 0 ? [...gates, { gate, command: "", result }] : gates.with(at, { ...gates[at]!, result });
}
