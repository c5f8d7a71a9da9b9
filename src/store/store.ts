import type { Settlement } from "../domain/settlement.ts";
import type { TaskEdits } from "../domain/task-edits.ts";
import type { NewTask, TaskPatch } from "../domain/task-input.ts";
import type { Owner, Task, TaskId, TaskStatus } from "../domain/task.ts";
import type { Actor, StatusChange } from "../domain/transition.ts";

/**
 * Where the tasks live. Safe to share between processes; every method is one transaction.
 * Mistakes of the caller are `RalphError`s; what can happen in the normal course of things is a value.
 */
export interface Store extends AsyncDisposable {
  /**
   * Adds all or none. Parents and needs may name tasks of the same call, in any order. They enter
   * oldest first (`createdAt`; those without one last, as they stand): age is the order of entry. Returns the ids in the
   * order in which the tasks were given. `by`: who is named in the log of each as the one who added it; nobody when it
   * is left out.
   */
  add(tasks: readonly NewTask[], options?: AddOptions & { readonly by?: Actor | undefined }): Promise<TaskId[]>;
  /** The same for very many: nothing is there before the last chunk was read. */
  addStream(chunks: AsyncIterable<readonly NewTask[]>, options?: AddOptions): Promise<AddCounts>;
  get(id: TaskId): Promise<Task | undefined>;
  /**
   * The one task whose id is, or begins with, this text (with or without `t-`). Throws when none or several do; then
   * the error's cause has the first of them, as `matches`.
   */
  resolve(text: string): Promise<TaskId>;
  /** Oldest first. */
  list(filter?: TaskFilter, page?: PageRequest): Promise<TaskPage>;
  /** Like `list`, for any number of tasks, or by id; what changes meanwhile may or may not be seen. */
  each(filter?: TaskFilter, order?: "age" | "id"): AsyncIterable<Task>;
  /** In the order in which they would be claimed. */
  ready(filter?: ReadyFilter): Promise<Task[]>;
  /** Parents before their children, siblings oldest first, each with its depth. */
  tree(filter?: TreeFilter): Promise<TreeEntry[]>;
  /** Those that have tasks, in order. Costs nothing, unlike counting them. */
  scopes(): Promise<string[]>;
  /** One entry per scope that has tasks. */
  counts(scopes?: readonly string[]): Promise<ScopeCounts[]>;
  /** Tasks that need this one. */
  dependents(id: TaskId): Promise<TaskId[]>;

  update(id: TaskId, patch: TaskPatch, by: Actor): Promise<Task>;
  /** All of the edits or none; updates are made by `by`. Only what is there at the end may not go round in a cycle. */
  apply(edits: TaskEdits, by: Actor): Promise<void>;
  /** Does nothing when the edge is there. Throws, with the path, when it would close a cycle. */
  addDependency(id: TaskId, needs: TaskId): Promise<void>;
  /** Does nothing when the edge is not there. */
  removeDependency(id: TaskId, needs: TaskId): Promise<void>;
  /** Removes the task and all beneath it. Refused while others need one of them. Returns how many went. */
  remove(id: TaskId): Promise<number>;
  /** A change of state that needs no lease. Refused while somebody alive works on the task, or a verdict is open. */
  change(id: TaskId, change: StatusChange, by: Actor): Promise<Task>;

  /** Takes the next ready task, atomically. Undefined when there is none. */
  claim(request: ClaimRequest): Promise<Claim | undefined>;
  /** Keeps the lease alive. `fenced`: it is lost, and whatever comes of the work cannot be settled. */
  heartbeat(lease: Lease): Promise<"held" | "fenced">;
  /** Gives the task back, nothing counted. */
  release(lease: Lease, reason?: string): Promise<SettleResult>;
  /** Ends the claim. Doing it twice is doing it once. Durable, unless the task stays open. */
  settle(lease: Lease, settlement: Settlement): Promise<SettleResult>;
  /** Step 9 (a): what was proven, before it is committed. From now on nobody else may claim the task. Durable. */
  recordVerdict(lease: Lease, verdict: StoredVerdict): Promise<"recorded" | "fenced">;
  /** Verdicts whose claim was not settled: a run that ended between (a) and (c). */
  openVerdicts(): Promise<OpenVerdict[]>;
  /** Takes over a claim with an open verdict whose owner is gone, to finish it. Undefined when it is not to be had. */
  adopt(lease: Lease, owner: Owner): Promise<Lease | undefined>;

  note(id: TaskId, entry: NewLogEntry): Promise<void>;
  /** Oldest first; only entries of these kinds, or all. */
  log(id: TaskId, kinds?: readonly string[]): Promise<LogEntry[]>;
  /** Every claim of the task, oldest first; only those after the one with this fence, or all. */
  attempts(id: TaskId, after?: number): Promise<Attempt[]>;
  getMeta(key: string): Promise<unknown>;
  /** `undefined` removes the key. */
  setMeta(key: string, value: unknown): Promise<void>;
  /** Makes the next value of a key from the last one, so that nobody else's is lost. May be asked several times. */
  updateMeta(key: string, next: (value: unknown) => unknown): Promise<unknown>;

  /**
   * What the tasks are now, to be held against what they are later (W-02). Takes some milliseconds for 10,000. Of more
   * than 20,000, or 64 MB, long texts are not held; of more than 100,000, or 512 MB, only the tasks that somebody works
   * on and the next in line.
   */
  hold(): Promise<TaskSnapshot>;
  /**
   * Undoes what has happened to the tasks since, other than through a store: by SQL. Where somebody else has changed
   * the same task through a store too, it stays as it is. Costs nothing when no other process has written.
   */
  revertTampering(held: TaskSnapshot): Promise<RevertedTask[]>;

  /** Everything that is not as it must be. Reads the whole store. */
  check(): Promise<Problem[]>;
  /** Puts the store back if its file was deleted, replaced or damaged behind its back (W-03). */
  guard(): Promise<GuardReport>;
  /** A consistent copy, complete before it has its name. */
  backupTo(path: string): Promise<void>;
  /** The same for a copy that is not kept: nothing is written here, not even the name that a backup is known by. */
  copyTo(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface AddOptions {
  /**
   * What to do with a task whose id is taken: an error; leave the old one as it is; or put the new one in its place,
   * needs and parent included, if its `updatedAt` is later and nobody works on the old one.
   */
  readonly onExisting?: OnExisting | undefined;
  /** Called now and then with how many were read; where writing takes long, also with how many of them are written. */
  readonly onProgress?: ((tasks: number, step: "read" | "written") => void) | undefined;
}

export type OnExisting = "refuse" | "skip" | "newer";

export interface AddCounts {
  readonly added: number;
  readonly updated: number;
  /** Were there, and stay as they are. */
  readonly kept: number;
}

export interface TaskFilter {
  readonly scopes?: readonly string[] | undefined;
  readonly statuses?: readonly TaskStatus[] | undefined;
  readonly tag?: string | undefined;
  /** Occurs in title or description; A–Z and a–z are the same. */
  readonly text?: string | undefined;
  readonly parent?: TaskId | undefined;
  /** Came from this plan file. */
  readonly sourceFile?: string | undefined;
}

export interface PageRequest {
  /** Default 1000. */
  readonly limit?: number | undefined;
  /** From the page before. */
  readonly cursor?: string | undefined;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  /** Undefined: this was the last page. */
  readonly cursor: string | undefined;
}

export interface ReadyFilter {
  readonly scopes?: readonly string[] | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
}

export interface TreeFilter {
  readonly scopes?: readonly string[] | undefined;
  readonly root?: TaskId | undefined;
}

export interface TreeEntry {
  readonly depth: number;
  readonly task: Task;
}

export interface ScopeCounts {
  readonly scope: string;
  /** All tasks, parents included. */
  readonly all: Readonly<Record<TaskStatus, number>>;
  /** Without parents: the work itself. */
  readonly leaves: Readonly<Record<TaskStatus, number>>;
  readonly ready: number;
  readonly blocked: number;
  /** Failed ones that the loop may try again. */
  readonly retry: number;
}

export interface ClaimRequest {
  /** Undefined: any. */
  readonly scopes?: readonly string[] | undefined;
  /** Only one of these. */
  readonly only?: readonly TaskId[] | undefined;
  /** A person's wish: a pending leaf of `only` is taken even while it is blocked. */
  readonly anyway?: boolean | undefined;
  readonly owner: Owner;
  readonly leaseMs: number;
  readonly run?: string | undefined;
  readonly iteration?: number | undefined;
}

/** What a claim gives: keep it, it is the only key to the task. */
export interface Lease {
  readonly task: TaskId;
  readonly fence: number;
  readonly owner: Owner;
}

export interface Claim {
  readonly task: Task;
  readonly lease: Lease;
}

export type SettleResult =
  | { readonly kind: "settled"; readonly task: Task; readonly repeated: boolean }
  /** Somebody else has, or had, the task since. Nothing was changed. */
  | { readonly kind: "fenced" };

/** What the gates said, of which tree. The evidence is JSON. */
export interface StoredVerdict {
  readonly tree: string;
  readonly commit?: string | undefined;
  readonly evidence?: unknown;
}

export interface OpenVerdict {
  readonly task: Task;
  readonly lease: Lease;
  readonly verdict: StoredVerdict;
  readonly run: string | undefined;
  readonly iteration: number | undefined;
  readonly recordedAt: number;
  /** Gone: its owner is dead, or its lease has run out. It can be adopted. */
  readonly holder: "live" | "gone";
}

export interface NewLogEntry {
  readonly by: Actor;
  readonly kind: string;
  readonly text: string;
}

export interface LogEntry extends NewLogEntry {
  readonly at: number;
}

export interface Attempt {
  readonly fence: number;
  readonly run: string | undefined;
  readonly iteration: number | undefined;
  readonly owner: Owner;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Undefined while it lasts. `lost`: its owner died or was too late. */
  readonly outcome: string | undefined;
  readonly counted: boolean;
  readonly reason: string | undefined;
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
  readonly session: string | undefined;
  readonly verdict: StoredVerdict | undefined;
  readonly details: unknown;
}

/** What a store holds of its tasks. Only the store that made it can read it. */
export interface TaskSnapshot {
  readonly at: number;
}

/** A task that was changed behind the store's back and is again what it was. */
export interface RevertedTask {
  readonly id: TaskId;
  readonly title: string;
  /** `inserted`: it was nobody's, and is gone. `counted`: what follows for it from other tasks was wrong. */
  readonly kind: "changed" | "deleted" | "inserted" | "counted";
  /** Of one that was changed: what, by the names of a task's fields. */
  readonly fields: readonly string[];
  /** Where its state is among them: what it is again, and what was found. */
  readonly status?: { readonly held: string; readonly found: string };
}

export interface Problem {
  /** `stuck` is for people to solve; `lease` solves itself; the others are damage. */
  readonly kind: "integrity" | "counter" | "status" | "ready" | "cycle" | "lease" | "stuck";
  readonly task: TaskId | undefined;
  /** Of a stuck task: the one that a person must do something about, and what it is in. */
  readonly cause?: { readonly id: TaskId; readonly status: "parked" | "failed" };
  readonly message: string;
  /** Of a lease: what can be done about it now; begins with a verb. */
  readonly advice?: string;
}

export type GuardReport =
  | { readonly kind: "intact" }
  /** `from`: the open handle, or the copy that was used because the handle saw the damage too. */
  | { readonly kind: "restored"; readonly why: "deleted" | "replaced" | "damaged"; readonly from: "handle" | "copy" };
