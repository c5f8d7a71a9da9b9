/** A node of the DAG: small enough for a few agent sessions. */
export interface Task {
  readonly id: TaskId;
  /** What it belongs to: `workspace`, `project/auth`, `change/014-01_x`, `sprint/2026-11`. */
  readonly scope: string;
  readonly parent: TaskId | undefined;
  /** One line. */
  readonly title: string;
  readonly description: string;
  readonly acceptance: readonly string[];
  /** Lower goes first. */
  readonly priority: number;
  /** For a parent, derived from its children (dag-R3). */
  readonly status: TaskStatus;
  /** Pending, a leaf, and everything that it or an ancestor needs is done or dropped. */
  readonly ready: boolean;
  /** Pending, a leaf, and not ready. */
  readonly blocked: boolean;
  /**
   * Its status comes from its children, and it is never assigned. A task with gates becomes a leaf when its children are
   * done or dropped (T-13); one that keeps its work always is one.
   */
  readonly isParent: boolean;
  /** Ids that must be done or dropped first, oldest first. */
  readonly needs: readonly TaskId[];
  readonly tags: readonly string[];
  /** Its own gates; they run before those of the workspace. */
  readonly gates: readonly TaskGate[];
  readonly model: string | undefined;
  /** May be done without a change, if the gates pass (P-18). */
  readonly allowNoChange: boolean;
  /** Its children do not settle it: an agent added them to a task that was to be worked on (T-13). */
  readonly keepsWork: boolean;
  /** Patterns of files that it may change although they decide what proof is (T-10), or no commit should have them (T-03). */
  readonly mayChange: readonly string[];
  /** Counted attempts (P-20) since the last answer or reset. */
  readonly attempts: number;
  /** Its own limit of attempts; undefined: `limits.attempts`. */
  readonly attemptLimit: number | undefined;
  /** Failed, but the loop may try again, after all other ready tasks. */
  readonly retry: boolean;
  /** A summary for the tasks that need it. */
  readonly summary: string | undefined;
  /** The plan file it came from, and its key there. */
  readonly source: TaskSource | undefined;
  /** The question for a person, while parked. */
  readonly question: string | undefined;
  /** Why it failed, was dropped, or was last rejected. */
  readonly reason: string | undefined;
  /** The process that works on it now. */
  readonly lease: TaskLease | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When a session last started on it. */
  readonly startedAt: number | undefined;
  /** When it was last done, failed or dropped. */
  readonly endedAt: number | undefined;
}

export type TaskId = string;

export const taskStatuses = ["pending", "in_progress", "parked", "done", "failed", "dropped"] as const;

export type TaskStatus = (typeof taskStatuses)[number];

export interface TaskGate {
  readonly id: string;
  readonly run: string;
  readonly timeoutMs?: number | undefined;
  readonly retries: number;
}

export interface TaskSource {
  readonly file: string;
  readonly key: string;
}

/** A process, identified so that a reused process id is not taken for it. */
export interface Owner {
  readonly host: string;
  readonly pid: number;
  /** Opaque: when the process began, as its host says it. */
  readonly startTime: string;
}

/** The right to settle a task. The fence is the number of the claim: a later claim makes every earlier lease void. */
export interface TaskLease {
  readonly owner: Owner;
  readonly fence: number;
  readonly untilMs: number;
  readonly run: string | undefined;
}

export const DEFAULT_PRIORITY = 2;

/** P-20: after so many attempts a task is failed, unless configuration or the task says otherwise. */
export const DEFAULT_ATTEMPT_LIMIT = 3;

/** Done and dropped satisfy those that need a task. */
export const isSettled = (status: TaskStatus): boolean => status === "done" || status === "dropped";

export const sameOwner = (a: Owner, b: Owner): boolean =>
  a.pid === b.pid && a.startTime === b.startTime && a.host === b.host;

/** Whether there is something left to do: not done, not dropped, not failed for good. */
export const isUnfinished = ({ status, retry }: Pick<Task, "status" | "retry">): boolean =>
  status === "failed" ? retry : status !== "done" && status !== "dropped";

/** The source of the task that a prompt file itself is (P-03). No plan file has such a key. */
export const promptTaskSource = (file: string): TaskSource => ({ file, key: KEY });

export const isPromptTask = ({ source }: Pick<Task, "source">): boolean => source?.key === KEY;

const KEY = "(prompt file)";

/** Ids as the store remembers them; anything else in their place is none. */
export const idsIn = (value: unknown): TaskId[] =>
  Array.isArray(value) ? value.filter((id): id is TaskId => typeof id === "string") : [];
