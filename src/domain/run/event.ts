import type { AgentEvent, AgentOutcome } from "../agent-event.ts";
import type { GateEnd, GateKind } from "../gate.ts";
import type { HookKind, HookPoint } from "../hook.ts";
import type { TaskId } from "../task.ts";
import type { IterationOutcome } from "./outcome.ts";
import type { Limit, RunEnding, WorkLeft } from "./policy.ts";

/** The version of the vocabulary. A new member or field keeps it; a changed meaning does not. */
export const EVENT_VERSION = 1;

/**
 * Everything that can happen in a run. The terminal, `--json`, `events.ndjson`, reports and the library read this and
 * nothing else: what is not an event cannot be shown.
 */
export type RunEvent =
  | RunStarted
  /** Somebody should know it. A warning does not stop anything. */
  | { readonly type: "run.notice"; readonly level: "info" | "warning"; readonly text: string }
  /** The run waits: for a usage limit to end, after an outage, or because somebody paused it. */
  | { readonly type: "run.waiting"; readonly for: "limit" | "outage" | "pause"; readonly untilMs?: number }
  | { readonly type: "run.resumed" }
  /** The gates before the first attempt (P-24), or before the run is complete (P-21); a `gate.*` follows for each. */
  | { readonly type: "check.started"; readonly check: "baseline" | "final" }
  | { readonly type: "check.finished"; readonly check: "baseline" | "final"; readonly red: readonly string[] }
  /** What plan files and sessions did to the tasks. */
  | { readonly type: "tasks.changed"; readonly change: TaskChange; readonly tasks: readonly TaskName[] }
  | IterationStarted
  | (AgentEvent & { readonly iteration: number })
  /** A watchdog of ours, or a person, stopped the agent; or it left processes behind. */
  | {
      readonly type: "session.stopped";
      readonly iteration: number;
      readonly why: string;
      /** The limit that was over, as the configuration calls it, and how long it is. */
      readonly limit?: string;
      readonly limitMs?: number;
    }
  /** What the session did to the files; nothing of it is proven. */
  | {
      readonly type: "session.changed";
      readonly iteration: number;
      readonly files: number;
      readonly paths: readonly string[];
    }
  | {
      readonly type: "claim.made";
      readonly iteration: number;
      readonly claim: "done" | "failed" | "failure" | "parked";
      /** Where it was said: in the final message, by a command of ours, or in the plan file. */
      readonly channel: "message" | "command" | "plan" | "person";
    }
  /** The agent broke the protocol, or did what it may not do; it is told. */
  | { readonly type: "protocol.broken"; readonly iteration: number; readonly note: string }
  | {
      readonly type: "gate.started";
      readonly iteration?: number;
      readonly gate: string;
      readonly kind: GateKind;
      readonly command: string;
    }
  | {
      readonly type: "gate.finished";
      readonly iteration?: number;
      readonly gate: string;
      readonly passed: boolean;
      /** How often it ran: retries are recorded. */
      readonly runs: number;
      readonly durationMs: number;
      readonly end: GateEnd;
      /** How many processes it left behind, which were ended; absent: none. */
      readonly swept?: number;
      /** The end of what it wrote. */
      readonly output: string;
      /** Where all of it is. */
      readonly file: string;
    }
  | {
      readonly type: "verdict.reached";
      readonly iteration: number;
      readonly verdict: "accepted" | "rejected" | "parked" | "undecided" | "deferred";
      /** By what it is proven, if accepted; else one line for each reason. */
      readonly reasons: readonly string[];
      readonly tree?: string;
    }
  | {
      readonly type: "commit.made";
      readonly iteration?: number;
      readonly commit: string;
      readonly subject: string;
      readonly files: number;
      /** Left out of the commit, and why. */
      readonly leftOut: readonly { readonly path: string; readonly why: string }[];
    }
  /** Work that is not proven was put aside under a name that `git log` knows. */
  | {
      readonly type: "work.kept";
      readonly task?: TaskId;
      readonly ref: string;
      readonly commit: string;
      readonly why: string;
    }
  | IterationFinished
  /** Something that runs beside the loop; whatever comes of it, no verdict changes. */
  | {
      readonly type: "hook.started";
      /** The one that it is about; absent for a point of the run itself. */
      readonly iteration?: number;
      readonly hook: string;
      readonly point: HookPoint;
      readonly kind: HookKind;
      /** What it starts: a command, a prompt, a workflow's name or a web host. */
      readonly command: string;
      readonly parallel: boolean;
    }
  | HookFinished
  | RunFinished;

/** The event of a type: `EventOf<"run.notice">`. */
export type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

export type TaskChange = "added" | "updated" | "dropped" | "revived" | "parked" | "reopened" | "put back";

export interface TaskName {
  readonly id: TaskId;
  readonly title: string;
}

export interface HookFinished {
  readonly type: "hook.finished";
  readonly iteration?: number;
  readonly hook: string;
  readonly point: HookPoint;
  readonly passed: boolean;
  /** Why it did not do what it should. */
  readonly reason?: string;
  readonly durationMs: number;
  /** Processes that it left behind, which were ended; absent: none. */
  readonly swept?: number;
  /** What its sessions took; absent where there were none, or where the agent reported none. */
  readonly costUsd?: number;
  readonly tokens?: number;
  readonly isEstimated?: boolean;
  /** The end of what it wrote, or of what its agent said. */
  readonly output: string;
  /** Where all about it lies, relative to the working tree. */
  readonly folder: string;
  /** What its agent would change, relative to the working tree; absent: nothing. */
  readonly patch?: string;
}

export interface RunStarted {
  readonly type: "run.started";
  readonly run: string;
  readonly scope: string;
  readonly mode: "plan" | "build";
  readonly harness: string;
  /** Of ralphctl. */
  readonly version: string;
  readonly pid: number;
  /** The working tree, which belongs to the run while it lasts. */
  readonly folder: string;
  readonly branch: string | undefined;
  readonly head: string | undefined;
  readonly limits: {
    readonly iterations: number;
    readonly timeMs?: number;
    readonly costUsd?: number;
    readonly tokens?: number;
  };
  /** The commands that will be started (W-06). */
  readonly gates: readonly { readonly gate: string; readonly kind: GateKind; readonly command: string }[];
  /** What will run beside the loop; absent: nothing. */
  readonly hooks?: readonly HookDefinition[];
  /** Open tasks that the run is about. */
  readonly tasks: number;
}

export interface HookDefinition {
  readonly hook: string;
  readonly kind: HookKind;
  readonly on: readonly HookPoint[];
  readonly command: string;
}

export interface IterationStarted {
  readonly type: "iteration.started";
  /** From 1. */
  readonly iteration: number;
  readonly of: number;
  readonly mode: "plan" | "build";
  readonly task: TaskName | undefined;
  /** Attempts that the task has behind it, and how many it may have. */
  readonly attempts: number;
  readonly attemptLimit: number;
  readonly harness: string;
  /** Undefined: the CLI's own default. */
  readonly model: string | undefined;
  /** Why the model is not what the strategy says. */
  readonly override?: "hint" | "task" | "no-progress";
  /** Where everything about the iteration lies, relative to the working tree. */
  readonly folder: string;
  /** The work beside this task; absent while planning. */
  readonly left?: WorkLeft;
}

export interface IterationFinished {
  readonly type: "iteration.finished";
  readonly iteration: number;
  readonly task: TaskName | undefined;
  readonly outcome: IterationOutcome;
  /** What became of the task. */
  readonly status: "done" | "pending" | "failed" | "parked" | undefined;
  /** It failed, but is tried again; absent: it is not. */
  readonly retry?: true;
  readonly counted: boolean;
  readonly proof?: "gates" | "the agent's own gates" | "none";
  readonly reason?: string;
  readonly question?: string;
  readonly session: AgentOutcome["kind"];
  readonly sessionId?: string;
  readonly commit?: string;
  readonly durationMs: number;
  readonly costUsd: number | undefined;
  readonly tokens: number;
  readonly isEstimated: boolean;
}

export interface RunFinished {
  readonly type: "run.finished";
  readonly ending: RunEnding;
  /** In which it ended: a run may plan first, and then build. */
  readonly mode: "plan" | "build";
  /** What ended it, where the ending alone does not say. */
  readonly reason: string;
  /** What would help: commands where there was nothing to do, words where a login was refused or a bill is unpaid. */
  readonly help?: readonly string[];
  /** Keys of scopes that have something to do, where the workspace itself has not. */
  readonly elsewhere?: readonly string[];
  readonly limit?: Limit | "wait";
  readonly left: WorkLeft;
  readonly waiting: readonly (TaskName & { readonly question: string })[];
  readonly failed: readonly (TaskName & { readonly reason: string })[];
  /** Held up, and by what. */
  readonly blocked: readonly (TaskName & { readonly by: readonly TaskId[] })[];
  /** Tasks of other scopes that hold some of them up. */
  readonly outside?: readonly (TaskName & { readonly scope: string })[];
  readonly iterations: number;
  readonly verified: number;
  readonly unverified: number;
  readonly dropped: number;
  /** The first of them: they count as settled, and nobody did them. */
  readonly droppedTasks: readonly (TaskName & { readonly reason: string })[];
  /** On the branch since the run began: ours and the agent's own. */
  readonly commits: number;
  readonly costUsd: number | undefined;
  /** Some session reported no cost: it was at least this. */
  readonly isCostPartial?: true;
  /** Some of it is a guess. */
  readonly isCostEstimated?: true;
  readonly tokens: number;
  readonly durationMs: number;
}

/** An event as it is written: a line of `events.ndjson`, or of `--json`. */
export interface EventLine {
  readonly v: typeof EVENT_VERSION;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly run: string;
}
