import type { Settlement } from "../domain/settlement.ts";
import type { DoneRecord } from "../domain/standing.ts";
import type { TaskEdits } from "../domain/task-edits.ts";
import type { NewTask, TaskPatch } from "../domain/task-input.ts";
import type { Owner, Task, TaskId, TaskStatus } from "../domain/task.ts";
import type { Actor, StatusChange } from "../domain/transition.ts";

export type * from "./fleet.ts";
export type { GuardReport, Problem, RevertedTask, StoreFile, TaskSnapshot } from "./store-file.ts";

/**
 * Where tasks live. Processes may share it; every method is one transaction. It throws a `RalphError` for a mistake of
 * the caller and returns a value for everything that can happen in normal use.
 */
export interface Store extends AsyncDisposable {
  /**
   * Adds all or none. Parents and needs may name tasks of the same call, in any order. Age is the order of entry:
   * tasks enter by `createdAt`, those without one last. Returns the ids in the order of `tasks`. `by` is logged as the
   * one who added them.
   */
  add(tasks: readonly NewTask[], options?: AddOptions & { readonly by?: Actor | undefined }): Promise<TaskId[]>;
  /** The same for very many tasks. None is visible before all chunks were read. */
  addStream(chunks: AsyncIterable<readonly NewTask[]>, options?: AddOptions): Promise<AddCounts>;
  get(id: TaskId): Promise<Task | undefined>;
  /**
   * The task whose id is, or begins with, this text (with or without `t-`). Throws if none or several match; the
   * error's cause lists the first matches as `matches`.
   */
  resolve(text: string): Promise<TaskId>;
  /** Oldest first. */
  list(filter?: TaskFilter, page?: PageRequest): Promise<TaskPage>;
  /** Like `list`, for any number of tasks, or by id. It may or may not see changes that are made meanwhile. */
  each(filter?: TaskFilter, order?: "age" | "id"): AsyncIterable<Task>;
  /** In the order in which they would be claimed. */
  ready(filter?: ReadyFilter): Promise<Task[]>;
  /** Parents before their children, siblings oldest first, each with its depth. */
  tree(filter?: TreeFilter): Promise<TreeEntry[]>;
  /** All scopes that have tasks, sorted. Much cheaper than `counts`. */
  scopes(): Promise<string[]>;
  /** One entry per scope that has tasks. */
  counts(scopes?: readonly string[]): Promise<ScopeCounts[]>;
  /** Done leaves, and done parents that have gates, each with the record of how it became so; oldest first. */
  done(filter?: DoneFilter): AsyncIterable<DoneTask>;
  /** Tasks that need this one. */
  dependents(id: TaskId): Promise<TaskId[]>;

  update(id: TaskId, patch: TaskPatch, by: Actor): Promise<Task>;
  /** Applies all edits or none; `by` is logged with the updates. Only the final state must be free of cycles. */
  apply(edits: TaskEdits, by: Actor): Promise<void>;
  /** Does nothing if the edge exists. Throws, with the path, if it would close a cycle. */
  addDependency(id: TaskId, needs: TaskId): Promise<void>;
  /** Does nothing if there is no such edge. */
  removeDependency(id: TaskId, needs: TaskId): Promise<void>;
  /** Removes the task and everything beneath it. Refused while other tasks need one of them. Returns the count. */
  remove(id: TaskId): Promise<number>;
  /** Changes the state without a lease. Refused while a live process works on the task or a verdict is open. */
  change(id: TaskId, change: StatusChange, by: Actor): Promise<Task>;

  /** Takes the next ready task, atomically. Undefined if there is none. */
  claim(request: ClaimRequest): Promise<Claim | undefined>;
  /** Extends the lease. `fenced`: the lease is lost and the work can no longer be settled. */
  heartbeat(lease: Lease): Promise<"held" | "fenced">;
  /** Gives the task back without counting the attempt. */
  release(lease: Lease, reason?: string): Promise<SettleResult>;
  /** Ends the claim; idempotent. Durable, unless the task stays open or a verdict is, by which it can be ended again. */
  settle(lease: Lease, settlement: Settlement): Promise<SettleResult>;
  /** Records the proof before the commit is made. Afterwards nobody else can claim the task. Durable. */
  recordVerdict(lease: Lease, verdict: StoredVerdict): Promise<"recorded" | "fenced">;
  /** Verdicts of claims that were never settled: their run died between proof and settling. */
  openVerdicts(): Promise<OpenVerdict[]>;
  /** Takes over a claim with an open verdict whose owner is gone, to finish it. Undefined if that is not possible. */
  adopt(lease: Lease, owner: Owner): Promise<Lease | undefined>;

  note(id: TaskId, entry: NewLogEntry): Promise<void>;
  /** Oldest first; entries of these kinds, or all. */
  log(id: TaskId, kinds?: readonly string[]): Promise<LogEntry[]>;
  /** Every claim of the task, oldest first; with `after`, those with a higher fence. */
  attempts(id: TaskId, after?: number): Promise<Attempt[]>;
  getMeta(key: string): Promise<unknown>;
  /** `undefined` removes the key. */
  setMeta(key: string, value: unknown): Promise<void>;
  /** Computes the next value from the current one in one transaction. May call `next` several times. */
  updateMeta(key: string, next: (value: unknown) => unknown): Promise<unknown>;

  /**
   * Tries something out: runs `work` on a store in which its changes are visible, and undoes them all at the end. Other
   * processes see none of them, can read meanwhile, and can write until `work` does. May call `work` twice.
   */
  preview<Result>(work: (store: Store) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface AddOptions {
  /**
   * What to do with a task whose id exists: throw; keep the old one; or replace it, needs and parent included, if the
   * new one has a later `updatedAt` and nobody works on the old one.
   */
  readonly onExisting?: OnExisting | undefined;
  /** Called now and then with the count of tasks read, and of tasks written if writing takes long. */
  readonly onProgress?: ((tasks: number, step: "read" | "written") => void) | undefined;
}

export type OnExisting = "refuse" | "skip" | "newer";

export interface AddCounts {
  readonly added: number;
  readonly updated: number;
  /** Existed before and stay as they are. */
  readonly kept: number;
}

export interface TaskFilter {
  readonly scopes?: readonly string[] | undefined;
  readonly statuses?: readonly TaskStatus[] | undefined;
  readonly tag?: string | undefined;
  /** Occurs in title or description; A–Z and a–z are the same. */
  readonly text?: string | undefined;
  readonly parent?: TaskId | undefined;
  /** The plan file they come from. */
  readonly sourceFile?: string | undefined;
}

export interface DoneFilter {
  readonly scopes?: readonly string[] | undefined;
  /** Only these. */
  readonly only?: readonly TaskId[] | undefined;
}

export interface DoneTask extends DoneRecord {
  readonly id: TaskId;
  readonly title: string;
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
  /** Failed tasks that the loop may try again. */
  readonly retry: number;
}

export interface ClaimRequest {
  /** Undefined: any. */
  readonly scopes?: readonly string[] | undefined;
  /** Only one of these. */
  readonly only?: readonly TaskId[] | undefined;
  /** A person asked for it: take a pending leaf of `only` even if it is blocked. */
  readonly anyway?: boolean | undefined;
  readonly owner: Owner;
  readonly leaseMs: number;
  readonly run?: string | undefined;
  readonly iteration?: number | undefined;
}

/** The key to a claimed task. */
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
  /** Another owner has claimed the task since. Nothing was changed. */
  | { readonly kind: "fenced" };

/** What the gates said about which tree. The evidence is JSON. */
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
  /** Gone: the owner is dead or the lease has expired, so it can be adopted. */
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
