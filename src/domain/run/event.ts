import type { AgentEvent, AgentOutcome } from "../agent-event.ts";
import type { GateEnd, GateKind } from "../gate.ts";
import type { HookKind, HookPoint } from "../hook.ts";
import type { Strength } from "../strength.ts";
import type { TaskId } from "../task.ts";
import type { SessionCost } from "../usage.ts";
import type { IterationOutcome } from "./outcome.ts";
import type { LanesHeld } from "./lanes-held.ts";
import type { WorkLeft } from "./policy.ts";
import type { ChangeEnd } from "./ready-changes.ts";
import type { RunFinished } from "./run-finished.ts";

export type { DoneTaskName, RunFinished, UnfinishedWork } from "./run-finished.ts";

/** The version of the vocabulary. A new member or field keeps it; a changed meaning does not. */
export const EVENT_VERSION = 1;

/** What people have asked of the run in any terminal, whenever it changes. */
export interface RunAsked {
  readonly type: "run.asked";
  /** To end after the iteration. */
  readonly stop: boolean;
  /** To pause after it. */
  readonly pause: boolean;
  /** U-04: where it was asked; absent: in a terminal. */
  readonly from?: string;
}

/** Everything that can happen in a run: the terminal, `--json`, `events.ndjson`, reports and the library use only these. */
export type RunEvent =
  | RunStarted
  /** A message for people. A warning stops nothing. */
  | (OfLane & { readonly type: "run.notice"; readonly level: "info" | "warning"; readonly text: string })
  /** The run waits: for a usage limit to end, after an outage, or because a person paused it. */
  | { readonly type: "run.waiting"; readonly for: "limit" | "outage" | "pause"; readonly untilMs?: number }
  | { readonly type: "run.resumed" }
  | RunAsked
  | LanesHeld
  /** The gates before the first attempt (P-24), or before the run is complete (P-21); a `gate.*` follows for each. */
  | (OfLane & { readonly type: "check.started"; readonly check: CheckKind })
  | (OfLane & { readonly type: "check.finished"; readonly check: CheckKind; readonly red: readonly string[] })
  /** Plan files or sessions changed tasks. */
  | (OfLane & {
      readonly type: "tasks.changed";
      readonly change: TaskChange;
      readonly tasks: readonly TaskName[];
      /** Claimed together: how strong the proof is, and the task whose session claimed them (T-23). */
      readonly strength?: Strength;
      readonly with?: TaskId;
    })
  | IterationStarted
  | (AgentEvent & { readonly iteration: number })
  /** A watchdog or a person stopped the agent; or it left processes running. */
  | {
      readonly type: "session.stopped";
      readonly iteration: number;
      readonly why: string;
      /** The limit it exceeded, as a configuration key, and its value. */
      readonly limit?: string;
      readonly limitMs?: number;
    }
  /** The session changed files. Nothing is proven yet. */
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
      /** How it was claimed: in the final message, by a command, or in the plan file. */
      readonly channel: "message" | "command" | "plan" | "person";
    }
  /** The agent broke a rule of the loop. The next session is told. */
  | { readonly type: "protocol.broken"; readonly iteration: number; readonly note: string }
  | (OfLane & {
      readonly type: "gate.started";
      readonly iteration?: number;
      readonly gate: string;
      readonly kind: GateKind;
      readonly command: string;
    })
  | (OfLane & {
      readonly type: "gate.finished";
      readonly iteration?: number;
      readonly gate: string;
      readonly passed: boolean;
      /** How often it ran, including retries. */
      readonly runs: number;
      readonly durationMs: number;
      readonly end: GateEnd;
      /** Processes that it left running and ralphctl ended; absent: none. */
      readonly swept?: number;
      /** The end of its output. */
      readonly output: string;
      /** The file with all its output. */
      readonly file: string;
    })
  | {
      readonly type: "verdict.reached";
      readonly iteration: number;
      readonly verdict: "accepted" | "rejected" | "parked" | "undecided" | "deferred";
      /** The proof if accepted; otherwise one line per reason. */
      readonly reasons: readonly string[];
      readonly tree?: string;
      /** The change that a person is asked about, or should look at. */
      readonly diff?: string;
    }
  | (OfLane & {
      readonly type: "commit.made";
      readonly iteration?: number;
      readonly commit: string;
      readonly subject: string;
      readonly files: number;
      /** Files left out of the commit, and why. */
      readonly leftOut: readonly { readonly path: string; readonly why: string }[];
    })
  /** ralphctl shelved work that is not proven under a git ref. */
  | (OfLane & {
      readonly type: "work.kept";
      readonly task?: TaskId;
      readonly ref: string;
      readonly commit: string;
      readonly why: string;
    })
  | IterationFinished
  /** Nothing more is done for one of several changes, unless a task of it becomes ready again. */
  | (ChangeEnd & { readonly type: "change.finished"; readonly left: WorkLeft })
  /** A hook runs. It never changes a verdict. */
  | (OfLane & {
      readonly type: "hook.started";
      /** Absent for points outside an iteration. */
      readonly iteration?: number;
      readonly hook: string;
      readonly point: HookPoint;
      readonly kind: HookKind;
      /** The command, the prompt, the workflow's name, or the host of the webhook. */
      readonly command: string;
      readonly parallel: boolean;
    })
  | HookFinished
  | RunFinished;

/** The event of a type: `EventOf<"run.notice">`. */
export type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

export type TaskChange =
  | "added"
  | "updated"
  | "dropped"
  | "revived"
  | "parked"
  | "reopened"
  | "put back"
  | "claimed together";

export interface TaskName {
  readonly id: TaskId;
  readonly title: string;
}

/** L-43: an event without an iteration that a lane caused, while several may work; absent: it is the run's own. */
export interface OfLane {
  readonly lane?: number;
}

export interface HookFinished extends OfLane {
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
  /** The cost of some of it is unknown. */
  readonly isCostPartial?: true;
  /** The end of what it wrote, or of what its agent said. */
  readonly output: string;
  /** Where all about it lies, relative to the working tree. */
  readonly folder: string;
  /** What its agent would change, relative to the working tree; absent: nothing. */
  readonly patch?: string;
}

/** Gates that run beside a claim. `own`: those of a task, before its first session. `extra`: with files of the base (T-10). */
export type CheckKind = "baseline" | "own" | "extra" | "final";

export interface RunStarted {
  readonly type: "run.started";
  readonly run: string;
  /** `changes` if it works on several changes at once. */
  readonly scope: string;
  /** The ids of these changes, as far as they were ready when it began; absent: it works on one scope. */
  readonly changes?: readonly string[];
  readonly mode: "plan" | "build";
  readonly harness: string;
  /** Of ralphctl. */
  readonly version: string;
  readonly pid: number;
  /** The person's working tree. */
  readonly folder: string;
  /** The target branch, and the commit that the run begins on. */
  readonly branch: string | undefined;
  readonly head: string;
  /** The first place where an agent works; lane 0 is the working tree itself. */
  readonly lane: { readonly number: number; readonly folder: string };
  /** How many lanes may work at once; absent in logs of earlier versions: 1. */
  readonly lanes?: number;
  /** The lanes of all machines of a fleet may work; absent: only those of this one. */
  readonly fleet?: boolean;
  /** Uncommitted changes of the person's that the run does not see (L-03); absent: none. */
  readonly notIncluded?: { readonly files: number; readonly paths: readonly string[] };
  readonly limits: {
    /** 0: none. */
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
  /** 0: no limit. */
  readonly of: number;
  readonly mode: "plan" | "build";
  readonly task: TaskName | undefined;
  /** The scope of the task, if the run works on several; absent: that of the run. */
  readonly scope?: string;
  /** Attempts that the task has behind it, and how many it may have. */
  readonly attempts: number;
  readonly attemptLimit: number;
  readonly harness: string;
  /** Undefined: the CLI's own default. */
  readonly model: string | undefined;
  /** Why the model is not what the strategy says. */
  readonly override?: "hint" | "task" | "no-progress";
  /** Where it works (L-43). */
  readonly lane: number;
  /** The folder with the iteration's records, relative to the working tree. */
  readonly folder: string;
  /** The work beside this task; absent while planning. */
  readonly left?: WorkLeft;
  /** How many open tasks must be done one after the other; only with several lanes, and if there are not too many tasks. */
  readonly chain?: number;
}

export interface IterationFinished extends SessionCost {
  readonly type: "iteration.finished";
  readonly iteration: number;
  readonly task: TaskName | undefined;
  readonly outcome: IterationOutcome;
  /** What became of the task. */
  readonly status: "done" | "pending" | "failed" | "parked" | undefined;
  /** It failed, but is tried again; absent: it is not. */
  readonly retry?: true;
  readonly counted: boolean;
  /** How strong the proof is, if verified (T-20), and why a person should look. */
  readonly strength?: Strength;
  readonly look?: readonly string[];
  readonly reason?: string;
  readonly question?: string;
  readonly session: AgentOutcome["kind"];
  readonly sessionId?: string;
  readonly commit?: string;
  readonly durationMs: number;
}

/** An event as it is written: a line of `events.ndjson`, or of `--json`. */
export interface EventLine {
  readonly v: typeof EVENT_VERSION;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly run: string;
}
