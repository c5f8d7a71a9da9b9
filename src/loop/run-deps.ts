import type { AgentLimits } from "../system/process/agent-process.ts";
import type { AgentStarter } from "../system/process/agent-starter.ts";
import type { Gate, PinnedGate } from "../domain/gate.ts";
import type { Hook } from "../domain/hook.ts";
import type { Redactor } from "../domain/redact.ts";
import type { SprintMode } from "../domain/prompt/sprint.ts";
import type { Verification } from "../domain/prompt/iteration-body.ts";
import type { RunEvent } from "../domain/run/event.ts";
import type { ModelRoles, ModelStrategy } from "../domain/run/model-choice.ts";
import type { Owner, Task, TaskId } from "../domain/task.ts";
import type { Harness, HarnessSettings } from "../harness/harness.ts";
import type { Store, StoreFile } from "../store/store.ts";
import type { Repository } from "../system/git/repository.ts";
import type { TaskBrief } from "./gather.ts";

/** Everything that a run works with, put together by `app`: plain data and functions, no configuration. */
export interface RunDeps extends RunIdentity, AgentDeps, RunControl {
  readonly store: Store;
  readonly storeFile: StoreFile;
  /** Renews the backup of the store when it is old (W-03). */
  readonly renewCopy: () => Promise<void>;
  readonly repository: Repository;
  readonly gates: RunGates;
  readonly hooks: RunHooks;
  readonly plans: Plans;
  /** Of a sprint with a goal; undefined in any other scope. */
  readonly goal?: SprintGoal | undefined;
  readonly prompt: (request: PromptRequest) => Promise<Prompt>;
  readonly rules: RunRules;
}

/** Which run it is, and where. */
export interface RunIdentity {
  readonly runId: string;
  readonly scope: string;
  /** The workspace: where agents and gates work. */
  readonly root: string;
  /** The folder of the run's own files. */
  readonly folder: string;
  readonly owner: Owner;
  /** Of ralphctl. */
  readonly version: string;
}

/** What starting an agent takes. */
export interface AgentDeps {
  /** Most preferred first. */
  readonly agents: readonly [Agent, ...Agent[]];
  /** Reviews each claim after the gates; undefined: nobody does. */
  readonly reviewer: Agent | undefined;
  readonly starter: AgentStarter;
  /** A person works with the agent, in its own interface; undefined: it works alone. */
  readonly attend?: Attend | undefined;
  /** The environment of the run's programs; a session adds to it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command line that starts ralphctl itself. */
  readonly self: readonly [file: string, ...args: string[]];
  readonly isRoot: boolean;
}

/** How a run talks to the outside, and how it is stopped. */
export interface RunControl {
  readonly emit: (event: RunEvent) => void;
  /** Resolves when the listeners have kept up with the events; undefined: they have. */
  readonly caughtUp?: (() => Promise<void> | undefined) | undefined;
  /** A person wants the run to end: by the agent's own stop order. */
  readonly stop: AbortSignal;
  /** At once. */
  readonly kill: AbortSignal;
  readonly requests: Requests;
}

/** D-12: what a sprint works towards is a task that needs all of its steps; no session is ever told its id. */
export interface SprintGoal {
  readonly task: TaskId;
  /** Iterations in a row without a step, before the agent looks back. */
  readonly idleThreshold: number;
}

/** What the person is asked who attended a session. */
export interface Attend {
  /** Nobody claimed the task in any other way. */
  readonly isDone: (task: Pick<Task, "id" | "title">) => Promise<boolean>;
}

/** An agent as it can be started: its harness, and what the configuration says of it. */
export interface Agent {
  readonly name: string;
  readonly harness: Harness;
  readonly settings: HarnessSettings;
  readonly roles: ModelRoles;
  /** Names that `<next-model>` may name. */
  readonly models: readonly string[];
}

/** The gates of a run. */
export interface RunGates {
  /** Those of the workspace and of the command line, as they were when the run began. */
  readonly gates: readonly Gate[];
  /** Definitions that must stay as they are (P-16). */
  readonly pinned: readonly PinnedGate[];
  /** What the workspace defines now; undefined when the configuration names the gates. */
  readonly discover: (() => Promise<readonly PinnedGate[]>) | undefined;
  readonly ofTask: (task: Task) => readonly Gate[];
  /** A gate that appeared during the run: the agent wrote it. */
  readonly asAgentsGate: (found: PinnedGate) => Gate;
}

/** What runs beside the loop. */
export interface RunHooks {
  /** In the order in which they run. */
  readonly hooks: readonly Hook[];
  /** What leaves the program has no secrets in it (W-04). */
  readonly redact: Redactor;
}

/** The plan files of the scope, as the loop needs them. */
export interface Plans {
  /** Their paths, relative to the working tree. */
  readonly files: readonly string[];
  /** The folders of specs, relative to the working tree. */
  readonly specs: readonly string[];
  /** Brings the tasks in step with the files (P-50). */
  readonly follow: (by: { readonly editor: "person" | "agent"; readonly assigned?: TaskId }) => Promise<Followed>;
  /** Writes a task's mark into its file: as if it were done, or as it is. */
  readonly mark: (task: Task, as: "done" | "is") => Promise<Marked>;
}

export interface Marked {
  readonly hasChanged: boolean;
  /** Sentences about what could not be marked. */
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
  readonly revertedMarks: readonly { readonly id: TaskId; readonly title: string }[];
  /** Files that could not be read or followed, as sentences (P-53). */
  readonly problems: readonly string[];
  /** A plan file was written: steps that were added by command are in it now. */
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
  /** In plan mode: from the iteration before. */
  readonly harnessFailure?: string | undefined;
  readonly validationFailure?: string | undefined;
  /** All that can be cut is. */
  readonly isShort?: boolean;
  readonly notes: readonly string[];
}

export interface Prompt {
  readonly system: string;
  readonly text: string;
}

/** What a person asks of a running loop from another terminal (P-40). */
export interface Requests {
  readonly stopAfter: () => boolean;
  readonly isPaused: () => boolean;
  /** Whether a wait shall end now. */
  readonly takeResume: () => boolean;
}

/** The rules of a run: how far it may go, what counts as proof, and how its sessions are run. */
export interface RunRules extends LoopLimits, ProofRules {
  readonly promise: string;
  readonly strategy: ModelStrategy;
  readonly session: AgentLimits;
  readonly keepsProcesses: boolean;
  readonly specsDirs: readonly string[];
}

export interface LoopLimits {
  /** Undefined: counted from the tasks (P-42). */
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
  readonly longestWaitMs: number;
}

export interface ProofRules {
  /** Patterns of files that sessions may not change (P-17). */
  readonly protect: readonly string[];
  /** Patterns of files whose change is no work (P-18). */
  readonly notWork: readonly string[];
  readonly commits: boolean;
  readonly maxFileBytes: number;
  readonly allowUnverified: boolean;
}

/** What a run is about: all ready tasks of the scope, or only some. */
export interface Assignment {
  readonly mode: "plan" | "build";
  readonly only: readonly TaskId[] | undefined;
  /** How many tasks there were at the start; `one`: words, a file or a prompt file. */
  readonly size: number | "one";
  /** Whether planning is followed by building in the same run. */
  readonly buildsAfterPlan: boolean;
  /** What somebody should know before it begins. */
  readonly notices: readonly string[];
}
