import { type IterationOutcome, OUTCOME_RULES } from "./outcome.ts";

/** Ceilings of a run; undefined: none. */
export interface RunLimits {
  /** 0: none. */
  readonly iterations: number;
  /** Harness errors in a row. */
  readonly errors: number;
  readonly timeMs?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
}

/** What a run has used so far. */
export interface RunTally {
  /** Those that count against the limit. */
  readonly iterations: number;
  /** All that were started: their number is the one in the prompt. */
  readonly started: number;
  readonly errorsInARow: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** By task: the fingerprint of its last iteration, and how often in a row it was the same (L-08). */
  readonly repeats: Readonly<Record<string, { readonly fingerprint: string; readonly times: number }>>;
}

export const emptyTally: RunTally = {
  iterations: 0,
  started: 0,
  errorsInARow: 0,
  costUsd: 0,
  tokens: 0,
  repeats: {},
};

/** What is known of an iteration when it is over. */
export interface IterationFacts {
  /** The task, or the plan. */
  readonly about: string;
  readonly outcome: IterationOutcome;
  readonly costUsd: number;
  readonly tokens: number;
  /** Changes, gate results and new tasks in one word: the same word twice is no progress (P-42). */
  readonly fingerprint: string;
  /** An outage that a session in another lane has met already: several lanes meet one at once (L-08). */
  readonly isKnownOutage?: boolean;
}

/** Outcomes that end a session for reasons that are not its own: work of other lanes, or its part of the budget. */
const SAYS_NOTHING: ReadonlySet<IterationOutcome> = new Set(["conflict", "stopped"]);

export function advance(tally: RunTally, facts: IterationFacts): RunTally {
  const { about, outcome, costUsd, tokens, fingerprint, isKnownOutage = false } = facts;
  const { isIteration, isError } = OUTCOME_RULES[outcome];
  const last = tally.repeats[about];
  return {
    iterations: tally.iterations + (isIteration ? 1 : 0),
    started: tally.started + 1,
    errorsInARow: isError ? tally.errorsInARow + (isKnownOutage ? 0 : 1) : 0,
    costUsd: tally.costUsd + costUsd,
    tokens: tally.tokens + tokens,
    // An iteration that a limit or an outage cut short says nothing about progress.
    repeats:
      isIteration && !SAYS_NOTHING.has(outcome)
        ? { ...tally.repeats, [about]: { fingerprint, times: last?.fingerprint === fingerprint ? last.times + 1 : 1 } }
        : tally.repeats,
  };
}

/** Why a run ends although there is work left. */
export type Limit = "errors" | "iterations" | "time" | "cost" | "tokens";

/** The first ceiling that was reached; undefined to go on. A limit of N runs N iterations, not N + 1 (D-08). */
export function reachedLimit(tally: RunTally, limits: RunLimits, elapsedMs: number): Limit | undefined {
  if (tally.errorsInARow >= limits.errors) return "errors";
  if (limits.iterations > 0 && tally.iterations >= limits.iterations) return "iterations";
  if (limits.timeMs !== undefined && elapsedMs >= limits.timeMs) return "time";
  if (limits.costUsd !== undefined && tally.costUsd >= limits.costUsd) return "cost";
  if (limits.tokens !== undefined && tally.tokens >= limits.tokens) return "tokens";
  return undefined;
}

/** What to do about a task that does not move (P-42). */
export function remedy(tally: RunTally, about: string, noProgress: number): "none" | "another-model" | "park" {
  const times = tally.repeats[about]?.times ?? 0;
  if (times >= noProgress) return "park";
  return times >= noProgress - 1 && times > 1 ? "another-model" : "none";
}

/** The default limit of iterations (P-42). */
export function defaultIterations(work: { readonly mode: "plan" | "build"; readonly tasks: number | "one" }): number {
  if (work.mode === "plan") return 3;
  return work.tasks === "one" ? 10 : 3 * work.tasks + 20;
}

/** What is left of the work when a run ends. */
export interface WorkLeft {
  /** Pending and ready, or failed with attempts left. */
  readonly ready: number;
  /** Pending, but something that is not done stands before it. */
  readonly blocked: number;
  /** Parked: a person is asked. */
  readonly waiting: number;
  readonly failed: number;
  /** Done or dropped. */
  readonly settled: number;
}

export const addLeft = (one: WorkLeft, other: WorkLeft): WorkLeft => ({
  ready: one.ready + other.ready,
  blocked: one.blocked + other.blocked,
  waiting: one.waiting + other.waiting,
  failed: one.failed + other.failed,
  settled: one.settled + other.settled,
});

/** How a run ended, as the exit codes know it. */
export type RunEnding =
  | "complete"
  | "unverified"
  | "failure"
  | "blocked"
  | "nothing"
  | "limit"
  | "login"
  | "config"
  | "interrupted";

export interface RunEnd {
  readonly interrupted: boolean;
  /** FAILURE, too many errors, nothing moves any more, a refused login or model, or only a person can go on. */
  readonly brokeOff: "failure" | "errors" | "stuck" | "login" | "model" | "person" | undefined;
  readonly left: WorkLeft;
  /** No gate has proven anything, and the configuration does not allow that. */
  readonly isUnverified: boolean;
}

/** The first that applies decides (the table of exit codes). */
export function endingOf({ interrupted, brokeOff, left, isUnverified }: RunEnd): RunEnding {
  if (interrupted) return "interrupted";
  if (brokeOff === "login") return "login";
  if (brokeOff === "model") return "config";
  if (brokeOff === "person") return "blocked";
  if (brokeOff !== undefined) return "failure";
  if (left.ready > 0) return "limit";
  if (left.waiting + left.blocked > 0) return "blocked";
  if (left.failed > 0) return "failure";
  if (left.settled === 0) return "nothing";
  return isUnverified ? "unverified" : "complete";
}
