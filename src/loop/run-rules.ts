import type { ModelStrategy } from "../domain/run/model-choice.ts";
import type { Demands } from "../domain/standing.ts";
import type { AgentLimits } from "../system/process/agent-process.ts";

/** The rules of a run: how far it may go, what counts as proof, and how its sessions are run. */
export interface RunRules extends LoopLimits, ProofRules {
  readonly promise: string;
  readonly strategy: ModelStrategy;
  /** The command line names the model: neither a task, an agent nor idleness chooses another. */
  readonly isModelFinal: boolean;
  readonly session: AgentLimits;
  readonly keepsProcesses: boolean;
  readonly specsDirs: readonly string[];
}

export interface LoopLimits {
  /** Undefined: derived from the number of tasks (P-42). 0: none (S002-04). */
  readonly iterations: number | undefined;
  readonly minIterations: number;
  readonly errors: number;
  readonly timeMs: number | undefined;
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
  readonly attempts: number;
  readonly iterationsPerTask: number;
  readonly noProgress: number;
  readonly newTasks: number;
  /** How often a task may clash with work that landed meanwhile, until it works alone (L-25). */
  readonly conflicts: number;
  /** L-10: gates run only while no session works. */
  readonly exclusiveGates: boolean;
  readonly longestWaitMs: number;
}

export interface ProofRules {
  /** Patterns of files that sessions may not change (P-17). */
  readonly protect: readonly string[];
  /** Those of them that sessions may not add either. */
  readonly protectNew: readonly string[];
  /** Patterns of files that programs on the person's machine obey by themselves: a change needs the person's word. */
  readonly acting: readonly string[];
  /** The same for files that were there before. */
  readonly actingOld: readonly string[];
  /** Folders of workflows, in lists: in each, the first folder that has a name is the one that counts. */
  readonly workflows: readonly (readonly string[])[];
  /** How a place is set up: a command, `none`, or null for "by lock file". */
  readonly setup: string | null;
  /** Patterns of files whose changes do not count as work (P-18). */
  readonly notWork: readonly string[];
  /** Patterns of files that build sessions only read: specs, prompts and plans (L-03). */
  readonly inputs: readonly string[];
  readonly commits: boolean;
  readonly maxFileBytes: number;
  /** Patterns of changes that a person allows, although a commit should not or cannot take them (T-03). */
  readonly allow: readonly string[];
  /** Patterns of test files. */
  readonly testFiles: readonly string[];
  /** T-11: the verdict about work that fails with the base's tests. */
  readonly tests: "look" | "lock" | "free";
  /** Whether files that gates change become part of the work. */
  readonly applyFixes: boolean;
  /** Gates that take as long or longer get no extra runs (T-10, T-11, T-21). */
  readonly extraMs: number;
  /** T-23: whether a session may claim the whole scope at once. */
  readonly together: boolean;
  /** What makes done work enough (T-20). */
  readonly demands: Demands;
}
