import type { Gate, PinnedGate } from "../domain/gate.ts";
import type { Cooldown, Cooldowns } from "../domain/run/next-agent.ts";
import type { IterationFinished, RunEvent } from "../domain/run/event.ts";
import type { HookEvent } from "../domain/run/hook-event.ts";
import { emptyTally, type RunTally } from "../domain/run/policy.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { Proof } from "../domain/verdict.ts";
import type { CommitRules } from "../system/git/commit-filter.ts";
import type { TaskHistory } from "./gather.ts";
import type { Assignment, RunDeps } from "./run-deps.ts";
import type { WorkTree } from "./work-tree.ts";

/** The state of a run, shared by all of its lanes. */
export interface RunState {
  readonly deps: RunDeps;
  /** Monotonic (`performance.now`). */
  readonly startedAtMs: number;
  /** HEAD when the run began. */
  readonly startHead: string | undefined;
  mode: "plan" | "build";
  only: Assignment["only"];
  /** Whether building follows planning in the same run. */
  readonly buildsAfterPlan: boolean;
  /** The limit on iterations in the current mode. */
  iterations: number;
  tally: RunTally;
  /** For each agent, until when it must not start, and why. */
  cooldowns: Cooldowns;
  /** Time spent waiting for usage limits since the last session that worked. */
  waitedMs: number;
  /** Set while the reviewer is unavailable. */
  reviewerCooldown: Cooldown | undefined;
  /** Definitions to compare at each claim, including those that the agent wrote. */
  pinned: readonly PinnedGate[];
  /** Gates that the agent wrote. They count from the claim after the one in which they appeared (P-16). */
  agentsGates: readonly Gate[];
  /** Gates that were red before any work, one line each. */
  red: readonly string[];
  /** In a sprint: iterations in a row that began with no step pending and added none (D-12). */
  idle: number;
  /** Tasks verified in this run, in order. */
  readonly settled: SettledTask[];
  readonly taken: TotalUsage;
  readonly hooks: HooksState;
}

/** The state of one lane: one agent at a time works on one task in one working tree. */
export interface LaneState {
  readonly run: RunState;
  readonly deps: RunDeps;
  readonly work: WorkTree;
  /** The model that the agent recommended for the next iteration. */
  hint: string | undefined;
  /** The model that made no progress. */
  avoid: { readonly model: string | undefined } | undefined;
  /** Notes that came up after the last iteration was settled: the next prompt tells them. */
  lateNotes: readonly string[];
  /** How the last iteration broke the protocol, and on which task. */
  noted: { readonly task: TaskId; readonly notes: readonly string[] } | undefined;
  /** Earlier attempts at the last task. */
  history: TaskHistory | undefined;
  /** Information for the next iteration in plan mode. */
  planNotes: PlanNotes;
  /** Work that overlaps with the next step, such as writing patches. Never rejects. */
  background: Promise<unknown>;
}

/** The usage of all sessions of a run (P-44). */
interface TotalUsage {
  costUsd: number | undefined;
  /** Some session reported no cost. */
  isCostPartial: boolean;
  isCostEstimated: boolean;
  tokens: number;
}

interface HooksState {
  /** Stops the hooks in the background. */
  readonly end: AbortController;
  /** Parallel hooks by id. They never reject. */
  readonly background: Map<string, Promise<void>>;
  /** Events of parked tasks whose hooks have not run yet. */
  readonly parked: HookEvent[];
  /** The number of hooks started so far; part of the marker of their processes. */
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
  /** The tree on which its gates ran. */
  readonly tree: string;
  readonly gates: readonly Gate[];
}

/** The initial state of a run and of its lane. */
export function startLane(given: RunDeps, work: WorkTree, assignment: Assignment): LaneState {
  const hooks: HooksState = { end: new AbortController(), background: new Map(), parked: [], started: 0 };
  const emit = (event: RunEvent): void => {
    // A step may park a task, but hooks run only between steps.
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
    buildsAfterPlan: assignment.buildsAfterPlan,
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
    lateNotes: [],
    history: undefined,
    planNotes: { notes: [] },
    background: Promise.resolve(),
  };
}

type Usage = Pick<IterationFinished, "costUsd" | "tokens" | "isEstimated">;

/** P-44: sessions outside an attempt, such as hooks, count against the limits of the run at once. */
export function spend(run: RunState, usage: Usage): void {
  const { tally } = run;
  const { costUsd = 0, tokens } = usage;
  run.tally = { ...tally, costUsd: tally.costUsd + costUsd, tokens: tally.tokens + tokens };
  addUsage(run, usage);
}

/** Adds a session's usage to the total of the run (P-44). */
export function addUsage({ taken }: RunState, { costUsd, tokens, isEstimated }: Usage): void {
  if (costUsd !== undefined) taken.costUsd = (taken.costUsd ?? 0) + costUsd;
  taken.isCostPartial ||= costUsd === undefined;
  taken.isCostEstimated ||= isEstimated;
  taken.tokens += tokens;
}

export const elapsedMs = ({ startedAtMs }: Pick<RunState, "startedAtMs">): number =>
  Math.round(performance.now() - startedAtMs);

/** What may be in a commit of a lane. */
export const commitRules = ({ deps, work }: Pick<LaneState, "deps" | "work">): CommitRules => ({
  maxFileBytes: deps.rules.maxFileBytes,
  allow: deps.rules.allow,
  userPaths: work.userPaths,
});

export const warn = ({ deps }: Pick<LaneState, "deps">, text: string): void =>
  deps.emit({ type: "run.notice", level: "warning", text });

export const tell = ({ deps }: Pick<LaneState, "deps">, text: string): void =>
  deps.emit({ type: "run.notice", level: "info", text });
