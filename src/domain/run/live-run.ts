import { NOTHING_USED, type SessionUsage, totalTokens, withUsage } from "../usage.ts";
import type { EventOf, IterationFinished, IterationStarted, RunEvent } from "./event.ts";
import type { WorkLeft } from "./policy.ts";
import { addEvent, emptySummary, type RunSummary } from "./summary.ts";

/** A run at this moment: what is under way, beside the sum of what was. Times are those of the events. */
export interface LiveRun {
  readonly summary: RunSummary;
  readonly startedAtMs: number | undefined;
  /** The iteration under way; undefined between two of them. */
  readonly session: LiveSession | undefined;
  /** The gates of the check or the claim under way, in the order in which they began. */
  readonly gates: readonly LiveGate[];
  /** The gates are run for the run itself, not for a claim. */
  readonly check: "baseline" | "final" | undefined;
  readonly hooks: readonly { readonly hook: string; readonly startedAtMs: number }[];
  /** What is left of the work beside the task under way; undefined until it is known. */
  readonly left: WorkLeft | undefined;
}

export interface LiveSession {
  readonly started: IterationStarted;
  readonly startedAtMs: number;
  /** When the agent was last heard of. */
  readonly heardAtMs: number;
  /** As the agent itself calls it. */
  readonly model: string | undefined;
  readonly usage: SessionUsage;
  /** The agent has ended: what it did is looked at, and verified. */
  readonly isOver: boolean;
}

export interface LiveGate {
  readonly gate: string;
  readonly startedAtMs: number;
  /** Undefined while it runs. */
  readonly passed: boolean | undefined;
  readonly durationMs: number;
}

export const freshLiveRun: LiveRun = {
  summary: emptySummary,
  startedAtMs: undefined,
  session: undefined,
  gates: [],
  check: undefined,
  hooks: [],
  left: undefined,
};

/** The run after one more event, whichever it is and whatever came before. */
export function liveAfter(live: LiveRun, event: RunEvent, atMs: number): LiveRun {
  const known = { ...live, summary: addEvent(live.summary, event) };
  // Found by the event's own type, so it is the one for it.
  const step = STEPS[event.type] as ((live: LiveRun, event: RunEvent, atMs: number) => LiveRun) | undefined;
  const after = step === undefined ? known : step(known, event, atMs);
  return event.type.startsWith("agent.")
    ? heard(after, event as EventOf<`agent.${string}` & RunEvent["type"]>, atMs)
    : after;
}

type Steps = {
  readonly [Type in RunEvent["type"]]?: (live: LiveRun, event: EventOf<Type>, atMs: number) => LiveRun;
};

const STEPS: Steps = {
  "run.started": (live, _event, atMs) => ({ ...live, startedAtMs: atMs }),
  "check.started": (live, { check }) => ({ ...live, check, gates: [] }),
  "check.finished": (live) => ({ ...live, check: undefined, gates: [] }),
  "claim.made": (live) => ({ ...live, gates: [] }),
  "tasks.changed": (live, event) => ({ ...live, left: leftAfterChange(live.left, event) }),
  "iteration.started": (live, event, atMs) => ({
    ...live,
    gates: [],
    left: event.left ?? live.left,
    session: {
      started: event,
      startedAtMs: atMs,
      heardAtMs: atMs,
      model: undefined,
      usage: NOTHING_USED,
      isOver: false,
    },
  }),
  "gate.started": (live, { gate }, atMs) => ({
    ...live,
    gates: [...live.gates, { gate, startedAtMs: atMs, passed: undefined, durationMs: 0 }],
  }),
  "gate.finished": (live, { gate, passed, durationMs }) => ({
    ...live,
    gates: live.gates.map((each) =>
      each.gate === gate && each.passed === undefined ? { ...each, passed, durationMs } : each,
    ),
  }),
  "hook.started": (live, { hook }, atMs) => ({ ...live, hooks: [...live.hooks, { hook, startedAtMs: atMs }] }),
  "hook.finished": (live, { hook }) => {
    const first = live.hooks.findIndex((each) => each.hook === hook);
    return { ...live, hooks: live.hooks.filter((_, index) => index !== first) };
  },
  "iteration.finished": (live, event) => ({
    ...live,
    session: undefined,
    gates: [],
    left: leftAfterIteration(live.left, event),
  }),
  "run.finished": (live, { left }) => ({ ...live, session: undefined, gates: [], hooks: [], check: undefined, left }),
};

function heard(live: LiveRun, event: Extract<RunEvent, { type: `agent.${string}` }>, atMs: number): LiveRun {
  const { session } = live;
  if (session === undefined) return live;
  return {
    ...live,
    session: {
      ...session,
      heardAtMs: atMs,
      // What comes after its end is said by who reviews its work.
      model: event.type === "agent.session" && !session.isOver ? (event.model ?? session.model) : session.model,
      usage: withUsage(session.usage, event),
      isOver: session.isOver || event.type === "agent.ended",
    },
  };
}

/** The task under way is not among those that are left; how it ended, puts it there. */
function leftAfterIteration(
  left: WorkLeft | undefined,
  { task, status, retry }: IterationFinished,
): WorkLeft | undefined {
  if (left === undefined || task === undefined) return left;
  const where =
    status === "done"
      ? "settled"
      : status === "parked"
        ? "waiting"
        : status === "failed" && !retry
          ? "failed"
          : "ready";
  return { ...left, [where]: left[where] + 1 };
}

/** As far as it can be told: parents are tasks too, and the next iteration brings the right numbers. */
function leftAfterChange(
  left: WorkLeft | undefined,
  { change, tasks }: EventOf<"tasks.changed">,
): WorkLeft | undefined {
  if (left === undefined || change !== "parked") return left;
  const count = Math.min(tasks.length, left.ready);
  return { ...left, ready: left.ready - count, waiting: left.waiting + count };
}

/** How far the work is; undefined until it is known. */
export interface Progress {
  readonly done: number;
  readonly failed: number;
  readonly waiting: number;
  readonly total: number;
}

export function progressOf({ left, session }: LiveRun): Progress | undefined {
  if (left === undefined) return undefined;
  const { ready, blocked, waiting, failed, settled } = left;
  const current = session?.started.task === undefined ? 0 : 1;
  return { done: settled, failed, waiting, total: ready + blocked + waiting + failed + settled + current };
}

/** What all sessions took so far, the one under way included. */
export function spentOf({ summary, session }: LiveRun): {
  readonly costUsd: number | undefined;
  readonly tokens: number;
} {
  const now = session?.usage;
  const costs = [summary.costUsd, now?.costUsd].filter((cost) => cost !== undefined);
  return {
    costUsd: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    tokens: summary.tokens + (now === undefined ? 0 : totalTokens(now)),
  };
}
