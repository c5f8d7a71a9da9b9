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

/** What a run has learnt so far: one record, shared by everything that works for the run. */
export interface RunState {
  readonly deps: RunDeps;
  /** By the clock that nobody can set (`performance.now`). */
  readonly startedAtMs: number;
  /** HEAD when it began. */
  readonly startHead: string | undefined;
  mode: "plan" | "build";
  only: Assignment["only"];
  /** The most iterations of this run, in this mode. */
  iterations: number;
  tally: RunTally;
  /** Agents that may not start before some time, and why. */
  cooldowns: Cooldowns;
  /** How long it has waited for usage limits since a session last worked. */
  waitedMs: number;
  /** Why nobody could review the last claim; undefined: somebody did, or was not asked. */
  reviewerCooldown: Cooldown | undefined;
  /** Definitions to compare at each claim, those that the agent wrote included. */
  pinned: readonly PinnedGate[];
  /** Gates that the agent wrote: they count from the claim after the one in which they appeared (P-16). */
  agentsGates: readonly Gate[];
  /** Red before any work, one line each. */
  red: readonly string[];
  /** In a sprint: iterations in a row that began with no step pending and added none (D-12). */
  idle: number;
  /** Tasks verified in this run, in order. */
  readonly settled: SettledTask[];
  readonly taken: Taken;
  readonly hooks: HooksState;
}

/** What one lane knows: the place where one agent works on one task at a time, and what the next session is told. */
export interface LaneState {
  readonly run: RunState;
  readonly deps: RunDeps;
  readonly work: WorkTree;
  /** The model that the agent recommended for the next iteration, and the one that did not help. */
  hint: string | undefined;
  avoid: { readonly model: string | undefined } | undefined;
  /** How the last iteration broke the protocol, and on which task. */
  noted: { readonly task: TaskId; readonly notes: readonly string[] } | undefined;
  /** The earlier attempts at the task that was worked on last. */
  history: TaskHistory | undefined;
  /** In plan mode, what the next iteration is told. */
  planNotes: PlanNotes;
  /** Work in the background of the next step, such as writing patches. Never rejects. */
  background: Promise<unknown>;
}

/** What the sessions of a run took (P-44). */
interface Taken {
  costUsd: number | undefined;
  /** Some session reported no cost, or one that is a guess. */
  isCostPartial: boolean;
  isCostEstimated: boolean;
  tokens: number;
}

interface HooksState {
  /** Ends those that nobody waits for. */
  readonly end: AbortController;
  /** Those that nobody waits for, by their ids. They never reject. */
  readonly background: Map<string, Promise<void>>;
  /** Events of parked tasks whose hooks have not run yet. */
  readonly parked: HookEvent[];
  /** How many have started: part of the mark by which their processes are found. */
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
  /** The tree that its gates ran on. */
  readonly tree: string;
  readonly gates: readonly Gate[];
}

/** A run at its beginning, and the lane it works in. */
export function startLane(given: RunDeps, work: WorkTree, assignment: Assignment): LaneState {
  const hooks: HooksState = { end: new AbortController(), background: new Map(), parked: [], started: 0 };
  const emit = (event: RunEvent): void => {
    // Tasks are parked in the middle of a step; hooks run between steps.
    if (event.type === "tasks.changed" && event.change === "parked") hooks.parked.push(event);
    given.emit(event);
  };
  const deps = { ...given, emit };
  const run: RunState = {
    deps,
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
    idle: 0,
    settled: [],
    taken: { costUsd: undefined, isCostPartial: false, isCostEstimated: false, tokens: 0 },
    hooks,
  };
  return {
    run,
    deps,
    work,
    hint: undefined,
    avoid: undefined,
    noted: undefined,
    history: undefined,
    planNotes: { notes: [] },
    background: Promise.resolve(),
  };
}

type Usage = Pick<IterationFinished, "costUsd" | "tokens" | "isEstimated">;

/** P-44: sessions beside those of the iterations count against the limits of the run at once. */
export function spend(run: RunState, usage: Usage): void {
  const { tally } = run;
  const { costUsd = 0, tokens } = usage;
  run.tally = { ...tally, costUsd: tally.costUsd + costUsd, tokens: tally.tokens + tokens };
  addUsage(run, usage);
}

/** Adds a session's usage to the sum of the run (P-44). */
export function addUsage({ taken }: RunState, { costUsd, tokens, isEstimated }: Usage): void {
  if (costUsd !== undefined) taken.costUsd = (taken.costUsd ?? 0) + costUsd;
  taken.isCostPartial ||= costUsd === undefined;
  taken.isCostEstimated ||= isEstimated;
  taken.tokens += tokens;
}

/** How long the run has lasted, however often somebody set the clock. */
export const elapsedMs = ({ startedAtMs }: Pick<RunState, "startedAtMs">): number =>
  Math.round(performance.now() - startedAtMs);

export const warn = ({ deps }: Pick<LaneState, "deps">, text: string): void =>
  deps.emit({ type: "run.notice", level: "warning", text });

export const tell = ({ deps }: Pick<LaneState, "deps">, text: string): void =>
  deps.emit({ type: "run.notice", level: "info", text });
