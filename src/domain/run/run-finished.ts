import type { ErrorKind } from "../error.ts";
import type { StandingKind } from "../standing.ts";
import type { Strength } from "../strength.ts";
import type { TaskId } from "../task.ts";
import type { TaskName } from "./event.ts";
import type { Limit, RunEnding, WorkLeft } from "./policy.ts";
import type { ChangeEnd } from "./ready-changes.ts";

export interface RunFinished {
  readonly type: "run.finished";
  readonly ending: RunEnding;
  /** At the end: a run may plan first, and then build. */
  readonly mode: "plan" | "build";
  /** Why it ended, if the ending alone does not say. */
  readonly reason: string;
  /** The kind of the error that broke the run off, which decides the exit code; absent: none did. */
  readonly error?: ErrorKind | "bug";
  /** What to do next: commands if there was nothing to do, text after an error, a refused login or an unpaid bill. */
  readonly help?: readonly string[];
  /** Other scopes that have work, if the workspace has none. */
  readonly elsewhere?: readonly string[];
  readonly limit?: Limit | "wait";
  /** How each change ended, if the run worked on several at once. */
  readonly changes?: readonly ChangeEnd[];
  readonly left: WorkLeft;
  /** Ready tasks of the scope that the run was not about; absent: none. */
  readonly othersReady?: number;
  readonly waiting: readonly (TaskName & { readonly question: string })[];
  readonly failed: readonly (TaskName & { readonly reason: string })[];
  /** Blocked tasks, and their blockers. */
  readonly blocked: readonly (TaskName & { readonly by: readonly TaskId[] })[];
  /** Blockers in other scopes. */
  readonly outside?: readonly (TaskName & { readonly scope: string })[];
  readonly iterations: number;
  /** Tasks that this run verified, and how many of them are proven; the others are unbroken (T-20). */
  readonly verified: number;
  readonly proven?: number;
  /** T-02: gates ran on the files of the lane as they lay, and not in the room. */
  readonly isOnLane?: true;
  /** Tasks that this run did, and that somebody should look at. */
  readonly unverified: number;
  /** All done tasks that the run is about, by the strength of their proof; absent while some are open. */
  readonly done?: Readonly<Record<StandingKind, number>>;
  /** The first done tasks that keep the run from being complete, and why (T-15). */
  readonly look?: readonly DoneTaskName[];
  /** The first tasks that were settled without a session, with the one that claimed them (T-23). */
  readonly together?: readonly (TaskName & { readonly with: TaskId; readonly strength: Strength })[];
  readonly dropped: number;
  /** The first dropped tasks. */
  readonly droppedTasks: readonly (TaskName & { readonly reason: string })[];
  /** Commits since the run began, including the agent's own. */
  readonly commits: number;
  /** Unproven work of open tasks, for their next attempt (L-42); absent: none. */
  readonly unfinished?: readonly UnfinishedWork[];
  /** Why the person's branch is not at the last commit that landed (L-24), with the remedy; absent: it is. */
  readonly notFollowing?: string;
  /** The lines to type so that it follows. */
  readonly followBy?: readonly string[];
  readonly costUsd: number | undefined;
  /** The cost of some sessions is unknown, so this is a minimum. */
  readonly isCostPartial?: true;
  /** Some of it is an estimate. */
  readonly isCostEstimated?: true;
  readonly tokens: number;
  readonly durationMs: number;
}

/** The end of a run as far as nothing is known of its work. */
export const nothingKnown = {
  type: "run.finished",
  left: { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 0 },
  waiting: [],
  failed: [],
  blocked: [],
  iterations: 0,
  verified: 0,
  unverified: 0,
  dropped: 0,
  droppedTasks: [],
  commits: 0,
  costUsd: undefined,
  tokens: 0,
  durationMs: 0,
} as const satisfies Partial<RunFinished>;

export interface DoneTaskName extends TaskName {
  readonly standing: StandingKind | "elsewhere";
  readonly reason: string;
}

export interface UnfinishedWork {
  readonly task: TaskId;
  readonly ref: string;
  /** How many files it changes. */
  readonly files: number;
}

/** Blocked tasks that no run can reach. While a task is ready, the others only wait for their turn. */
export const stuckTasks = ({ blocked, left }: Pick<RunFinished, "blocked" | "left">): RunFinished["blocked"] =>
  left.ready > 0 ? [] : blocked;
