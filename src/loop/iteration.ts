import { join } from "node:path";
import type { AttemptRecord } from "../domain/run/attempt-record.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import type { IterationOutcome } from "../domain/run/outcome.ts";
import type { Proof } from "../domain/verdict.ts";
import type { Claim } from "../store/store.ts";
import type { BuiltTree } from "../system/git/commit.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import type { Agent } from "./run-deps.ts";
import type { RunState } from "./run-state.ts";
import type { SessionEnd } from "./session.ts";
import type { Verified } from "./verify.ts";

/** How an iteration is made. */
export interface IterationSetting {
  readonly iteration: number;
  /** Where everything about it lies. */
  readonly folder: string;
  readonly agent: Agent;
  readonly model: string | undefined;
  /** Ends the session before its time: the lease was lost. */
  readonly signal: AbortSignal;
}

/** What came of an attempt, before it is settled. */
export interface Attempted {
  readonly outcome: IterationOutcome;
  readonly session: SessionEnd;
  readonly said: Interpretation | undefined;
  readonly reason?: string | undefined;
  readonly question?: string | undefined;
  readonly summary?: string | undefined;
  readonly record: Omit<AttemptRecord, "v">;
  readonly proven?: Proven | undefined;
  readonly verified?: Verified | undefined;
  /** The plan file has a mark that may have to go again. */
  readonly wasMarked: boolean;
  /** Something that only a person can put right. */
  readonly damage?: string | undefined;
  readonly costUsd: number | undefined;
  readonly tokens: number;
  /** Some of that is a guess. */
  readonly isEstimated: boolean;
  /** How many attempts at the task had ended before. */
  readonly earlier: number;
  /** Task, tree, gate results and states in one word: the same word again is no progress. */
  readonly fingerprint: string;
}

/** A claim that holds: what was proven, and by what. */
export interface Proven {
  readonly built: BuiltTree;
  readonly now: Snapshot;
  readonly verified: Verified;
  readonly proof: Proof;
}

/** What programs may know of the task (W-05). Outside a run there is no iteration. */
export const taskEnv = ({ task }: Pick<Claim, "task">, iteration?: number): Record<string, string> => ({
  RALPHCTL_TASK: task.id,
  RALPHCTL_TASK_TITLE: task.title,
  ...(iteration !== undefined && { RALPHCTL_ITERATION: String(iteration) }),
});

export const iterationFolder = (state: RunState, iteration: number): string =>
  join(state.deps.folder, String(iteration));
