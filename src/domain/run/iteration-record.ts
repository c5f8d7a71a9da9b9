import type { AgentOutcome } from "../agent-event.ts";
import { NOTHING_USED, type SessionUsage, withUsage } from "../usage.ts";
import type { EventOf, HookFinished, IterationFinished, IterationStarted, RunEvent } from "./event.ts";

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
  /** When the agent was last heard of. */
  readonly heardAtMs: number;
  /** The agent's own names for the session and the model, as soon as it said them. */
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  /** What the session and the reviewer have reported so far. */
  readonly usage: SessionUsage;
  /** The newest tool or words of the agent; of long words, the end. */
  readonly doing: Doing | undefined;
  /** How often the agent used a tool. */
  readonly tools: number;
  /** Once the agent has ended: ralphctl then looks at what it did, and verifies it. */
  readonly ended: AgentOutcome | undefined;
  readonly stopped: readonly EventOf<"session.stopped">[];
  readonly changed: EventOf<"session.changed"> | undefined;
  readonly claims: readonly EventOf<"claim.made">[];
  /** When it made the first of them. */
  readonly claimedAtMs: number | undefined;
  readonly notes: readonly string[];
  readonly gates: readonly GateRecord[];
  readonly verdict: EventOf<"verdict.reached"> | undefined;
  readonly commits: readonly EventOf<"commit.made">[];
  readonly hooks: readonly HookFinished[];
}

export interface Doing {
  readonly kind: "tool" | "text" | "thinking";
  /** One line. */
  readonly text: string;
  /** Words come in pieces: the block that this is a piece of. */
  readonly block?: string | undefined;
  /** The next piece begins another line. */
  readonly isWhole?: boolean;
}

/** A gate that was run for an iteration, or for a check of the run itself. */
export interface GateRecord {
  readonly gate: string;
  readonly command: string;
  readonly startedAtMs: number;
  /** Undefined: it had not ended when the events did. */
  readonly result: GateOutcome | undefined;
}

type GateOutcome = Pick<EventOf<"gate.finished">, "passed" | "end" | "runs" | "durationMs" | "output" | "file">;

export const newIteration = (
  started: IterationStarted,
  atMs: number,
  of: Pick<IterationRecord, "run" | "scope">,
): IterationRecord => ({
  ...of,
  startedAtMs: atMs,
  endedAtMs: undefined,
  isCutOff: false,
  started,
  finished: undefined,
  heardAtMs: atMs,
  sessionId: undefined,
  model: undefined,
  usage: NOTHING_USED,
  doing: undefined,
  tools: 0,
  ended: undefined,
  stopped: [],
  changed: undefined,
  claims: [],
  claimedAtMs: undefined,
  notes: [],
  gates: [],
  verdict: undefined,
  commits: [],
  hooks: [],
});

type Step<Event> = (record: IterationRecord, event: Event, atMs: number) => Partial<IterationRecord>;

/** Changes a record by one more event of its iteration. */
export function addToIteration(record: IterationRecord, event: RunEvent, atMs: number): void {
  // Found by the event's own type, so it is the one for it.
  const step = STEPS[event.type] as Step<RunEvent> | undefined;
  if (step !== undefined) Object.assign(record, step(record, event, atMs));
  if (isOfAgent(event)) Object.assign(record, { heardAtMs: atMs, usage: withUsage(record.usage, event) });
}

const isOfAgent = (event: RunEvent): event is Extract<RunEvent, { type: `agent.${string}` }> =>
  event.type.startsWith("agent.");

/** What each event adds to the record of its iteration. */
const STEPS: { readonly [Type in RunEvent["type"]]?: Step<EventOf<Type>> } = {
  // Events of an agent after the end of the session are the reviewer's.
  "agent.session": ({ ended, sessionId, model }, event) =>
    ended === undefined ? { sessionId: event.sessionId ?? sessionId, model: event.model ?? model } : {},
  "agent.tool": ({ ended, tools }, { name, input }) =>
    ended === undefined
      ? { tools: tools + 1, doing: { kind: "tool", text: lastLine(`${name} ${input}`, "start") } }
      : {},
  "agent.text": (record, event) => withWords(record, "text", event),
  "agent.thinking": (record, event) => withWords(record, "thinking", event),
  "agent.ended": ({ ended }, { outcome }) => ({ ended: ended ?? outcome }),
  "session.stopped": ({ stopped }, event) => ({ stopped: [...stopped, event] }),
  "session.changed": (_, event) => ({ changed: event }),
  "claim.made": ({ claims, claimedAtMs }, event, atMs) => ({
    claims: [...claims, event],
    claimedAtMs: claimedAtMs ?? atMs,
  }),
  "protocol.broken": ({ notes }, { note }) => ({ notes: [...notes, note] }),
  "gate.started": withGate,
  "gate.finished": withResult,
  "verdict.reached": (_, event) => ({ verdict: event }),
  "commit.made": ({ commits }, event) => ({ commits: [...commits, event] }),
  "hook.finished": ({ hooks }, event) => ({ hooks: [...hooks, event] }),
  "iteration.finished": (record, event, atMs) => ({
    finished: event,
    endedAtMs: atMs,
    sessionId: event.sessionId ?? record.sessionId,
  }),
};

function withWords(
  { ended, doing }: IterationRecord,
  kind: "text" | "thinking",
  { text, block }: EventOf<"agent.text"> | EventOf<"agent.thinking">,
): Partial<IterationRecord> {
  const isMore = block !== undefined && doing?.kind === kind && doing.block === block;
  const before = isMore ? `${doing.text}${doing.isWhole === true ? "\n" : ""}` : "";
  const words = lastLine(`${before}${text}`);
  const isWhole = /\n\s*$/.test(`${before}${text}`);
  return ended === undefined && words !== "" ? { doing: { kind, text: words, block, isWhole } } : {};
}

/** More is never seen at once. */
const LONGEST_LINE = 400;

/** The last line that is not blank. */
function lastLine(text: string, keeps: "start" | "end" = "end"): string {
  const line = text.split("\n").findLast((each) => each.trim() !== "") ?? "";
  return keeps === "end" ? line.slice(-LONGEST_LINE) : line.slice(0, LONGEST_LINE);
}

/** A claim is being proven, which a run that is told to stop finishes (L-40). */
export const isProving = ({ claims, verdict }: IterationRecord): boolean =>
  verdict === undefined && claims.some(({ claim }) => claim === "done");

type WithGates = Pick<IterationRecord, "gates">;

export function withGate({ gates }: WithGates, { gate, command }: EventOf<"gate.started">, atMs: number): WithGates {
  return { gates: [...gates, { gate, command, startedAtMs: atMs, result: undefined }] };
}

/** The last of its name that is open; the command of one that was never seen to start is not known. */
export function withResult({ gates }: WithGates, event: EventOf<"gate.finished">, atMs: number): WithGates {
  const { gate, passed, end, runs, durationMs, output, file } = event;
  const result = { passed, end, runs, durationMs, output, file };
  const at = gates.findLastIndex((each) => each.gate === gate && each.result === undefined);
  if (at >= 0) return { gates: gates.with(at, { ...gates[at]!, result }) };
  return { gates: [...gates, { gate, command: "", startedAtMs: atMs - durationMs, result }] };
}
