import type { Gate, PinnedGate } from "../domain/gate.ts";
import type { Hook } from "../domain/hook.ts";
import type { Redactor } from "../domain/redact.ts";
import type { SprintMode } from "../domain/prompt/sprint.ts";
import type { Verification } from "../domain/prompt/iteration-body.ts";
import type { RunEvent } from "../domain/run/event.ts";
import type { ModelRoles } from "../domain/run/model-choice.ts";
import type { Owner, Task, TaskId } from "../domain/task.ts";
import type { Ask } from "../domain/verdict.ts";
import type { Harness, HarnessSettings } from "../harness/harness.ts";
import type { Store, StoreFile } from "../store/store.ts";
import type { Room } from "../lane/lane.ts";
import type { AdviceRequest, RoomDifference, RoomLines } from "../lane/room-advice.ts";
import type { LandingTarget } from "../system/git/landing.ts";
import type { Repository } from "../system/git/repository.ts";
import type { Boxes } from "../system/process/box.ts";
import type { Seat } from "./desk.ts";
import type { FleetDeps, PublishedMove } from "./fleet-deps.ts";
import type { TaskBrief } from "./gather.ts";
import type { RunRules } from "./run-rules.ts";

/** Everything that a run needs, assembled by `app`: plain data and functions, no configuration. */
export interface RunDeps extends RunIdentity, AgentDeps, RunControl {
  readonly store: Store;
  readonly storeFile: StoreFile;
  /** Renews the backup of the store when it is old (W-03). */
  readonly renewCopy: () => Promise<void>;
  /** The person's repository and working tree. */
  readonly home: Repository;
  /** What the run lands on, and which branch follows it. */
  readonly target: LandingTarget;
  readonly room: Room;
  /** Why gates pass in the person's tree and fail in the room. */
  readonly explainRoom: (failed: Pick<AdviceRequest, "red" | "setup">) => Promise<RoomDifference>;
  /** A room with files that `.worktreeinclude` does not name yet. */
  readonly openTrialRoom: (lines: RoomLines) => Promise<Room & { readonly close: () => Promise<void> }>;
  readonly gates: RunGates;
  readonly hooks: RunHooks;
  readonly plans: Plans;
  /** Only of a sprint with a goal. */
  readonly goal?: SprintGoal | undefined;
  readonly prompt: (request: PromptRequest) => Promise<Prompt>;
  readonly rules: RunRules;
  /** F-03: what other machines share with this one; undefined: there are none. */
  readonly fleet?: FleetDeps | undefined;
  /** F-03: lands on the remote before anything moves here. False: something else landed meanwhile. */
  readonly publish?: ((move: PublishedMove) => Promise<boolean>) | undefined;
  /** How long a claim lasts without a heartbeat; one minute if undefined. */
  readonly leaseMs?: number | undefined;
  /** The next change that is ready, for a run that works on several at once; undefined for any other run. */
  readonly nextScope?: (() => Promise<NextScope | undefined>) | undefined;
}

/** What a scope has for itself, in a run that works on several. */
export type ScopeDeps = Pick<RunDeps, "scope" | "plans" | "prompt" | "rules">;

export interface ReadyScope extends Pick<Assignment, "only" | "size" | "notices"> {
  readonly deps: ScopeDeps;
}

export type NextScope =
  | ReadyScope
  | { readonly scope: string; /** Why it cannot be opened. */ readonly problem: string };

export interface RunIdentity {
  readonly runId: string;
  readonly scope: string;
  /** The person's workspace: configuration, plans, tasks and records. */
  readonly root: string;
  /** The folder of the run's own files. */
  readonly folder: string;
  readonly owner: Owner;
  /** The version of ralphctl. */
  readonly version: string;
}

/** Everything that is needed to start an agent. */
export interface AgentDeps {
  /** Most preferred first. */
  readonly agents: readonly [Agent, ...Agent[]];
  /** Reviews each claim after the gates have passed. */
  readonly reviewer: Agent | undefined;
  /** Set if a person works with the agent in its own interface. */
  readonly attend?: Attend | undefined;
  /** The environment of the run's programs; a session adds to it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The socket by which commands inside a session reach the run. */
  readonly door?: string | undefined;
  /** The command line that starts ralphctl itself. */
  readonly self: readonly [file: string, ...args: string[]];
  readonly isRoot: boolean;
  /** What stands around agents and gates; absent: nothing. */
  readonly boxes?: Boxes | undefined;
}

/** How a run reports its progress, and how others stop it. */
export interface RunControl {
  readonly emit: (event: RunEvent) => void;
  /** Warnings about gates that were given: each is given once. */
  readonly told?: Set<string> | undefined;
  /** Resolves when slow listeners have caught up; undefined if they have already. */
  readonly caughtUp?: (() => Promise<void> | undefined) | undefined;
  /** A person stops the run: the agent may end in its own way. While a proof is under way, this is `kill` (L-40). */
  readonly stop: AbortSignal;
  /** A person stops the run at once. */
  readonly kill: AbortSignal;
  /** L-08: lets other lanes go on while an action runs; undefined without a loop. */
  readonly aside?: Seat["aside"] | undefined;
  /** L-10: waits until a room is free, and runs an action in it. */
  readonly inRoom?: Seat["aside"] | undefined;
  /** Runs an action while no other lane lands anything. */
  readonly asLander?: Seat["aside"] | undefined;
  readonly requests: Requests;
}

/** D-12: the goal of a sprint is a task that needs all of its steps. Prompts never contain its id. */
export interface SprintGoal {
  readonly task: TaskId;
  /** Iterations in a row without a new step, before the agent reflects. */
  readonly idleThreshold: number;
}

/** Questions to the person who attended a session. */
export interface Attend {
  /** Asked only if the session made no claim. */
  readonly isDone: (task: Pick<Task, "id" | "title">) => Promise<boolean>;
  /** T-10: whether the work may change files that decide how it is proven. */
  readonly mayChange: (ask: Ask) => Promise<boolean>;
}

/** A harness with its configuration. */
export interface Agent {
  readonly name: string;
  readonly harness: Harness;
  readonly settings: HarnessSettings;
  readonly roles: ModelRoles;
  /** Where each was set, for people. */
  readonly origins?: Readonly<Record<keyof ModelRoles | "models", string>> | undefined;
  /** Names that `<next-model>` accepts. */
  readonly models: readonly string[];
}

export interface RunGates {
  /** Gates of the workspace and the command line that no agent wrote, as they were when the run began. */
  readonly gates: readonly Gate[];
  /** Their definitions, as far as they were discovered. */
  readonly pinned: readonly PinnedGate[];
  /** Gates that an agent wrote in an earlier run, and that no person has approved (T-12). */
  readonly agents: readonly Gate[];
  /** Reads the definitions of a workspace, such as the room's; undefined if the configuration names the gates. */
  readonly discover: ((root: string) => Promise<readonly PinnedGate[]>) | undefined;
  /** The same for the workspace in a commit. */
  readonly discoverAt: (commit: string) => Promise<readonly PinnedGate[]>;
  readonly ofTask: (task: Task) => readonly Gate[];
  /** Gates of the one package in which changed files of a workspace lie; undefined: all gates run at once. */
  readonly ofPackage?: ((root: string, paths: readonly string[]) => Promise<readonly Gate[]>) | undefined;
  /** A discovered gate, as it runs. */
  readonly gateOf: (found: PinnedGate) => Gate;
}

export interface RunHooks {
  /** In the order in which they run. */
  readonly hooks: readonly Hook[];
  /** Removes secrets from everything that leaves the program (W-04). */
  readonly redact: Redactor;
  /** U-11: the page about a task, or about all that waits for a person; undefined: no page is served. */
  readonly link?: (task: TaskId | undefined) => Promise<string | undefined>;
  /** Adds lines to the context of a scope, by its key; those that it has already are left out. */
  readonly tell: (scope: string, lines: readonly string[]) => Promise<void>;
}

/** The plan files of the scope. */
export interface Plans {
  /** Their paths, relative to the working tree. */
  readonly files: readonly string[];
  /** Those of all scopes: ralphctl marks them too, so they are never in the way of the branch. */
  readonly ofAllScopes: readonly string[];
  /** The folders of specs, relative to the working tree. */
  readonly specs: readonly string[];
  /** Notes files that a session added and that are about to land: some may be plan files from the next run on. */
  readonly noteAdded?: ((paths: readonly string[]) => Promise<void>) | undefined;
  /** Updates the tasks from the files (P-50). */
  readonly follow: (by: { readonly editor: "person" | "agent"; readonly assigned?: TaskId }) => Promise<Followed>;
  /** Writes a task's mark into its file: done, or its current status. */
  readonly mark: (task: Task, as: "done" | "is") => Promise<Marked>;
  /** L-27: a version of a plan file in which the task is done. Writes nothing. */
  readonly asDone: (task: Task, path: string, text: string) => Promise<string>;
  /** Runs an action, and tells a listener of each plan file that it is about to write. */
  readonly whileWriting: <Result>(listener: PlanListener, action: () => Promise<Result>) => Promise<Result>;
  /** The person's plan files by path, as they are now. */
  readonly texts: () => Promise<Map<string, string>>;
  /** L-03: lays files that agents read, plans among them, over a lane. Returns the plans by path. */
  readonly layOver: (root: string) => Promise<LaidInputs>;
  /** L-03: brings an agent's edits of plan files in a lane into the person's. Returns sentences about those it could not. */
  readonly bringHome: (root: string, laid: ReadonlyMap<string, string>) => Promise<readonly string[]>;
}

/** A write of a plan file that is ours, whatever the person did to the file before and does afterwards. */
export interface PlanWrite {
  /** Relative to the working tree. */
  readonly path: string;
  /** Undefined if there was no file. */
  readonly from: string | undefined;
  readonly to: string;
}

/** Returns a function that is called when the file is written. It is not if the person was faster. */
export type PlanListener = (write: PlanWrite) => Promise<() => void>;

export interface LaidInputs {
  readonly plans: ReadonlyMap<string, string>;
  /** Whether a file of the lane was written. */
  readonly hasWritten: boolean;
}

export interface Marked {
  readonly hasChanged: boolean;
  /** Sentences about marks that could not be written. */
  readonly problems: readonly string[];
}

export interface Followed {
  readonly added: readonly { readonly id: TaskId; readonly title: string }[];
  readonly updated: readonly { readonly id: TaskId; readonly title: string }[];
  readonly dropped: readonly { readonly id: TaskId; readonly title: string }[];
  readonly revived: readonly { readonly id: TaskId; readonly title: string }[];
  /** The agent marked the assigned task as done: a claim (P-52). */
  readonly claims: readonly { readonly id: TaskId; readonly title: string }[];
  /** Marks of the agent that do not count. */
  readonly revertedMarks: readonly { readonly id: TaskId; readonly title: string; readonly mark?: string }[];
  /** Sentences about files that could not be read or followed (P-53). */
  readonly problems: readonly string[];
  /** A plan file was written, to add steps that came from a command. */
  readonly hasWritten?: boolean | undefined;
}

export interface PromptRequest {
  readonly mode: "plan" | "build";
  /** Of a sprint with a goal. */
  readonly sprintMode?: SprintMode | undefined;
  readonly iteration: number;
  readonly maxIterations: number | undefined;
  readonly harness: string;
  readonly brief: TaskBrief | undefined;
  readonly verification: Verification | undefined;
  /** In plan mode, from the previous iteration. */
  readonly harnessFailure?: string | undefined;
  readonly validationFailure?: string | undefined;
  /** Shorten everything that can be shortened. */
  readonly isShort?: boolean;
  readonly notes: readonly string[];
}

export interface Prompt {
  readonly system: string;
  readonly text: string;
}

/** Requests of a person from another terminal (P-40). */
export interface Requests {
  readonly stopAfter: () => boolean;
  readonly isPaused: () => boolean;
  /** U-04: where that was asked; undefined: in a terminal. */
  readonly from?: () => string | undefined;
  /** Whether a person has asked to end the wait; clears that request. */
  readonly takeResume: () => boolean;
}

/** The work of a run: all tasks of the scope, or only some. */
export interface Assignment {
  readonly mode: "plan" | "build";
  readonly only: readonly TaskId[] | undefined;
  /** The number of tasks at the start; `one` for a task given as text, a file or a prompt file. */
  readonly size: number | "one";
  /** Whether planning is followed by building in the same run. */
  readonly buildsAfterPlan: boolean;
  /** The head of the landing ref. */
  readonly head: string;
  /** Warnings to show before the run begins. */
  readonly notices: readonly string[];
  /** The same for what is worth knowing. */
  readonly info: readonly string[];
  /** L-03: paths with uncommitted changes that the run does not see. */
  readonly notIncluded: readonly string[];
}
