import type { Gate, PinnedGate } from "../domain/gate.ts";
import type { Cooldown, Cooldowns } from "../domain/run/next-agent.ts";
import type { IterationFinished, RunEvent } from "../domain/run/event.ts";
import type { HookEvent } from "../domain/run/hook-event.ts";
import { emptyTally, type RunTally } from "../domain/run/policy.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { Proof } from "../domain/verdict.ts";
import type { TaskHistory } from "./gather.ts";
import type { Assignment, RunDeps } from "./run-deps.ts";
import type { WorkTree } from "./work-tree.ts";

/** A run under way: its parts, and what it has learnt so far. */
export interface RunState {
  readonly deps: RunDeps;
  readonly work: WorkTree;
  /** By the clock that nobody can set (`performance.now`). */
  readonly startedAtMs: number;
  /** HEAD when it began. */
  readonly startHead: string | undefined;
  mode: "plan" | "build";
  only: Assignment["only"];
  /** The most iterations of this run, in this mode. */
  iterations: number;
  tally: RunTally;
  /** Which agents are left alone for a while, and why. */
  cooldowns: Cooldowns;
  /** How long it has waited for usage limits since a session last worked. */
  waitedMs: number;
  /** Why nobody could review the last claim; undefined: somebody did, or was not asked. */
  reviewerCooldown: Cooldown | undefined;
  /** Definitions that are compared at each claim; those that the agent wrote are added to them. */
  pinned: readonly PinnedGate[];
  /** Gates that the agent wrote: they count from the claim after the one in which they appeared (P-16). */
  agentsGates: readonly Gate[];
  /** What was red before any work, one line each. */
  red: readonly string[];
  /** The model that the agent recommended for the next iteration, and the one that did not help. */
  hint: string | undefined;
  avoid: { readonly model: string | undefined } | undefined;
  /** What the last iteration did against the protocol, and on which task. */
  noted: { readonly task: TaskId; readonly notes: readonly string[] } | undefined;
  /** The earlier attempts at the task that was worked on last. */
  history: TaskHistory | undefined;
  /** In a sprint: iterations in a row that began with no step pending and added none (D-12). */
  idle: number;
  /** In plan mode, what the next iteration is told. */
  planNotes: PlanNotes;
  /** Tasks that were verified in this run, in order. */
  readonly settled: SettledTask[];
  costUsd: number | undefined;
  /** Some session reported no cost, or one that is a guess. */
  isCostPartial: boolean;
  isCostEstimated: boolean;
  tokens: number;
  /** Resolves when the user's index was told of all commits; false: somebody holds its lock. */
  indexing: Promise<boolean>;
  /** What goes on beside the next step: patches are written. Never rejects. */
  background: Promise<unknown>;
  readonly hooks: HooksUnderWay;
}

/** What the run knows of its hooks. */
export interface HooksUnderWay {
  /** Ends those that nobody waits for. */
  readonly end: AbortController;
  /** Those that nobody waits for, by their ids. They never reject. */
  readonly background: Map<string, Promise<void>>;
  /** Tasks for which a person is needed, and nobody was told yet. */
  readonly unsaid: HookEvent[];
  /** How many have been started: part of the mark by which their processes are found. */
  started: number;
}

export interface PlanNotes {
  readonly notes: readonly string[];
  readonly validationFailure?: string;
  readonly harnessFailure?: string;
}

export interface SettledTask {
  readonly task: Task;
  readonly proof: Proof;
  /** What its gates were run on. */
  readonly tree: string;
  readonly gates: readonly Gate[];
}

export function startRun(deps: RunDeps, work: WorkTree, assignment: Assignment): RunState {
  const hooks: HooksUnderWay = { end: new AbortController(), background: new Map(), unsaid: [], started: 0 };
  const emit = (event: RunEvent): void => {
    // Tasks are parked in the middle of a step; hooks run between steps.
    if (event.type === "tasks.changed" && event.change === "parked") hooks.unsaid.push(event);
    deps.emit(event);
  };
  return { ...freshRun({ ...deps, emit }, work, assignment), hooks };
}

const freshRun = (deps: RunDeps, work: WorkTree, assignment: Assignment): Omit<RunState, "hooks"> => ({
  deps,
  work,
  startedAtMs: performance.now(),
  startHead: work.last.head,
  mode: assignment.mode,
  only: assignment.only,
  iterations: 0,
  tally: emptyTally,
  cooldowns: deps.agents.map(() => undefined),
  waitedMs: 0,
  reviewerCooldown: undefined,
  pinned: deps.gates.pinned,
  agentsGates: [],
  red: [],
  hint: undefined,
  avoid: undefined,
  noted: undefined,
  history: undefined,
  idle: 0,
  planNotes: { notes: [] },
  settled: [],
  costUsd: undefined,
  isCostPartial: false,
  isCostEstimated: false,
  tokens: 0,
  indexing: Promise.resolve(true),
  background: Promise.resolve(),
});

type Taken = Pick<IterationFinished, "costUsd" | "tokens" | "isEstimated">;

/** P-44: what a session took beside those of the iterations counts against the limits of the run at once. */
export function spend(state: RunState, taken: Taken): void {
  const { tally } = state;
  const { costUsd = 0, tokens } = taken;
  state.tally = { ...tally, costUsd: tally.costUsd + costUsd, tokens: tally.tokens + tokens };
  addTaken(state, taken);
}

/** Adds what an agent was started for to what the run took (P-44). */
export function addTaken(state: RunState, { costUsd, tokens, isEstimated }: Taken): void {
  if (costUsd !== undefined) state.costUsd = (state.costUsd ?? 0) + costUsd;
  state.isCostPartial ||= costUsd === undefined;
  state.isCostEstimated ||= isEstimated;
  state.tokens += tokens;
}

/** How long it has been going on, whatever was done to the clock on the wall. */
export const elapsedMs = ({ startedAtMs }: Pick<RunState, "startedAtMs">): number =>
  Math.round(performance.now() - startedAtMs);

export const warn = ({ deps }: Pick<RunState, "deps">, text: string): void =>
  deps.emit({ type: "run.notice", level: "warning", text });

export const tell = ({ deps }: Pick<RunState, "deps">, text: string): void =>
  deps.emit({ type: "run.notice", level: "info", text });
