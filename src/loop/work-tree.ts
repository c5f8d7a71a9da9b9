import { byPath } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import type { TaskId } from "../domain/task.ts";
import { currentHead } from "../system/git/commit.ts";
import { dirtyPaths } from "../system/git/dirty.ts";
import { syncIndex } from "../system/git/staged.ts";
import type { Repository } from "../system/git/repository.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { nameTree } from "../system/git/tree.ts";
import { type CrashRecovery, revertGateChangesAfterCrash } from "./crash-recovery.ts";
import { type IndexPosition, readWorkRecord, type Rules, type WorkRecord, writeWorkRecord } from "./work-record.ts";

/**
 * The state of a working tree: the last verified state, and whose work is on top of it. It is also stored in the git
 * directory, so that the next run can tell its own work from the user's after a crash.
 */
export interface WorkTree {
  readonly repository: Repository;
  /** The last verified state; at first, the state at the start of the run. */
  readonly base: Snapshot;
  /** The last snapshot. */
  readonly last: Snapshot;
  /** The task whose unproven work is on top of `base`. */
  readonly task: TaskId | undefined;
  /** The work on top of `base` comes from a planning session that was killed with its run. */
  readonly planInterrupted: boolean;
  /** Paths with the user's changes: never committed, never restored. */
  readonly userPaths: readonly string[];
  /** The commit to which the user's index was last synced; undefined if it is up to date. */
  readonly indexSyncedTo: IndexPosition | undefined;
  /** Resolves when the user's index is synced; false if somebody holds its lock. */
  readonly indexing: Promise<boolean>;
  /** Stored with the work, for the next run. */
  readonly rules: Rules;
}

/** Only the functions of this file change the record of a tree. */
function set(work: WorkTree, changed: Partial<Omit<WorkTree, "repository" | "rules">>): void {
  Object.assign(work, changed);
}

export interface OpenedTree {
  readonly work: WorkTree;
  /** P-31: tracked files with changes by the user. */
  readonly dirty: readonly string[];
  /** The last run was killed during a session. */
  readonly wasInterrupted: boolean;
  /** Reverted changes by gates and hooks of a killed run. */
  readonly undone: Pick<CrashRecovery, "restored" | "kept">;
}

export interface OpenRequest {
  /** Patterns that never count as dirty. */
  readonly except: readonly string[];
  /** Whether a task's unproven work may still be in the tree. */
  readonly isOpen: (task: TaskId) => Promise<boolean>;
  /** If this run commits, verified work that an earlier run left uncommitted is in its way. */
  readonly commits: boolean;
  /** A time at which all killed runs had ended. */
  readonly crashedBeforeMs: number | undefined;
  readonly run: string;
  readonly rules: Rules;
}

/** Reads the working tree, and continues with the work that an earlier run left in it. */
export async function openWorkTree(repository: Repository, request: OpenRequest): Promise<OpenedTree> {
  const { except, isOpen, commits, rules } = request;
  const found = await snapshot(repository);
  const record = readWorkRecord(repository);
  const checked = record && (await revertGateChangesAfterCrash(repository, { ...request, record, now: found }));
  const { now, theirs, ...undone } = checked ?? { now: found, theirs: NO_PATHS, restored: [], kept: undefined };
  await syncIndexAfterCrash(repository, record, now.head);
  const ours = record === undefined ? new Set<string>() : await ourPaths(repository, { record, now, commits, theirs });
  const isOurs = (path: string): boolean => ours.has(path) && !(record?.userPaths.includes(path) ?? false);
  const dirty = (await dirtyPaths(repository, now, except)).filter((path) => !isOurs(path) && !theirs.has(path));
  const wasInterrupted =
    record !== undefined && (record.left === undefined || (record.isChecked && record.task !== undefined));
  const isTask = record?.task !== undefined && ours.size > 0 && (await isOpen(record.task));
  const planInterrupted =
    record !== undefined && record.left === undefined && record.task === undefined && ours.size > 0;
  const isWork = isTask || planInterrupted;
  const carried = isWork ? await committedUserPaths(repository, record, now) : new Set<string>();
  const isOnTop = (path: string): boolean => isOurs(path) || carried.has(path);
  const base = isWork ? await verifiedBase(repository, { record, now, isOurs: isOnTop }) : now;
  const task = isTask ? record.task : undefined;
  const userPaths = [...dirty, ...[...carried].filter((path) => !dirty.includes(path))];
  const work = {
    repository,
    base,
    last: now,
    task,
    planInterrupted,
    userPaths,
    indexSyncedTo: undefined,
    indexing: Promise.resolve(true),
    rules,
  };
  return { work, dirty, wasInterrupted, undone };
}

const NO_PATHS: ReadonlySet<string> = new Set();

/** The user's changes that a session committed. Rolling the session back makes them uncommitted again. */
async function committedUserPaths(repository: Repository, record: WorkRecord, now: Snapshot): Promise<Set<string>> {
  const { left, userPaths } = record;
  if (left !== undefined && left.head !== now.head) return new Set();
  const open = new Set(now.changed.map(({ path }) => path));
  const touched = left === undefined ? new Set<string>() : await pathsBetween(repository, left, now);
  return new Set(userPaths.filter((path) => !open.has(path) && !touched.has(path)));
}

/** A killed run may not have synced the user's index with its commits and rollbacks. */
async function syncIndexAfterCrash(
  repository: Repository,
  record: WorkRecord | undefined,
  head: string | undefined,
): Promise<void> {
  if (record === undefined) return;
  const isInterrupted = record.left === undefined || record.isChecked;
  const from = record.indexSyncedTo ?? (isInterrupted ? { head: record.base.head } : undefined);
  if (from !== undefined) await syncIndex(repository, from.head, head);
}

async function pathsBetween(repository: Repository, from: Snapshot, to: Snapshot): Promise<Set<string>> {
  return new Set((await changesBetween(repository, from, to)).map(({ path }) => path));
}

/** The paths that our sessions changed last. A killed session owns all changes. */
export async function ourPaths(
  repository: Repository,
  about: Pick<OpenRequest, "commits"> & Pick<CrashRecovery, "now" | "theirs"> & { readonly record: WorkRecord },
): Promise<Set<string>> {
  const { record, now, commits, theirs } = about;
  const { base, left, task } = record;
  if (left === undefined) {
    // A rollback restores files before it moves the branch, so files that are rolled back differ from HEAD.
    const before = new Set(base.changed.map(({ path }) => path));
    const behindHead = now.changed.map(({ path }) => path).filter((path) => !before.has(path));
    return new Set([...(await pathsBetween(repository, base, now)), ...behindHead]);
  }
  // A file of the session that gates changed still belongs to the session.
  const touched = await pathsBetween(repository, left, now);
  for (const path of theirs) touched.delete(path);
  // Without a task, uncommitted work was verified, and left uncommitted on purpose. A run that commits must not build on
  // it: its gates would see that work, but its commits would not contain it.
  const uncommitted = commits ? [] : left.changed;
  const all = task === undefined ? uncommitted : await changesBetween(repository, base, left);
  return new Set(all.map(({ path }) => path).filter((path) => !touched.has(path)));
}

/** The verified state below our work, including later changes by others. */
async function verifiedBase(
  repository: Repository,
  about: { readonly record: WorkRecord; readonly now: Snapshot; readonly isOurs: (path: string) => boolean },
): Promise<Snapshot> {
  const { record, now, isOurs } = about;
  // Commits after the session belong to others; the session's own commits are part of the work.
  const hasOtherCommits = record.left !== undefined && record.left.head !== now.head;
  const { head, branch } = hasOtherCommits ? now : record.base;
  const changed = [
    ...now.changed.filter(({ path }) => !isOurs(path)),
    ...record.base.changed.filter(({ path }) => isOurs(path)),
  ].sort(byPath);
  const { tree } = await nameTree(repository, head, changed);
  return { head, branch, tree, changed, takenAtMs: now.takenAtMs };
}

/** How old a snapshot may be at the start of a session: others rarely change files between two iterations. */
const FRESH_MS = 2000;

/** Step 5: records the state before a session. Changes since the last snapshot do not belong to the session. */
export async function beginSession(work: WorkTree, task: TaskId | undefined): Promise<void> {
  await refreshIfStale(work);
  set(work, { task, planInterrupted: false });
  writeRecord(work, { left: undefined });
}

export async function refreshIfStale(work: WorkTree): Promise<void> {
  const ageMs = Date.now() - work.last.takenAtMs;
  // Negative if somebody set the clock back.
  if (ageMs < 0 || ageMs > FRESH_MS) await refresh(work);
}

/** Before gates or hooks run: their changes do not count as work. */
export function beginChecks(work: WorkTree, now: Snapshot): void {
  writeRecord(work, { left: now, isChecked: true });
}

/** Before a rollback, which restores files first, then the branch, then the user's index. */
export function beginRollback(work: WorkTree, head: string | undefined): void {
  set(work, { indexSyncedTo: { head } });
  writeRecord(work, { left: undefined });
}

/** Takes a snapshot between sessions: changes since the last one belong to others. */
export async function refresh(work: WorkTree): Promise<void> {
  const { repository, last } = work;
  const now = await snapshot(repository, last);
  const others = await changesBetween(repository, last, now);
  if (others.length > 0 || last.head !== now.head) {
    const ours = new Set((await changesBetween(repository, work.base, last)).map(({ path }) => path));
    for (const { path } of others) ours.delete(path);
    const record = recordOf(work, { left: last });
    set(work, { base: await verifiedBase(repository, { record, now, isOurs: (path) => ours.has(path) }) });
  }
  set(work, { last: now });
}

export function noteSnapshot(work: WorkTree, now: Snapshot): void {
  set(work, { last: now });
}

/** After a session whose unproven work stays in the tree. */
export function leaveWork(work: WorkTree): void {
  writeRecord(work, { left: work.last });
}

/** Makes this snapshot the verified state. */
export function acceptWork(work: WorkTree, now: Snapshot): void {
  set(work, { base: now, last: now, task: undefined, planInterrupted: false });
  writeRecord(work, { left: now });
}

/** Accepts an uncommitted plan: it is on top of the verified state, but is not unproven work. */
export function acceptPlan(work: WorkTree, now: Snapshot): void {
  acceptWork(work, { ...work.base, head: now.head });
  set(work, { last: now });
}

/** After gates that ran on the verified state itself. */
export function acceptChecks(work: WorkTree, after: Snapshot): void {
  set(work, { base: after, last: after });
  leaveWork(work);
}

/** Before a commit on top of `head`: the user's index will be behind it. */
export function beginCommit(work: WorkTree, head: string | undefined): void {
  if (work.indexSyncedTo === undefined) set(work, { indexSyncedTo: { head } });
}

/** The next iteration may begin meanwhile, but `syncUserIndex` waits before its session and before the run ends. */
export function syncIndexInBackground(work: WorkTree, indexed: Promise<boolean>): void {
  set(work, { indexing: Promise.all([work.indexing, indexed]).then((synced) => !synced.includes(false)) });
}

export function noteIndexSynced(work: WorkTree): void {
  set(work, { indexSyncedTo: undefined });
}

/**
 * Brings the user's index up to date with our commits, before a session and at the end of a run: a commit from an
 * outdated index would revert them. Returns true if it was behind.
 */
export async function syncUserIndex(work: WorkTree): Promise<boolean> {
  const isSynced = await work.indexing;
  const { repository, indexSyncedTo } = work;
  if (indexSyncedTo === undefined) return false;
  const isDone = isSynced || (await syncIndex(repository, indexSyncedTo.head, await currentHead(repository)));
  if (isDone) noteIndexSynced(work);
  set(work, { indexing: Promise.resolve(isDone) });
  return true;
}

/** Adds new files of gates, such as reports and caches, to the base, so that they do not count as work. */
export async function ignoreGateOutput(work: WorkTree, paths: readonly string[], now: Snapshot): Promise<void> {
  if (paths.length === 0) return;
  const isTheirs = new Set(paths);
  const changed = [
    ...work.base.changed.filter(({ path }) => !isTheirs.has(path)),
    ...now.changed.filter(({ path }) => isTheirs.has(path)),
  ].sort(byPath);
  const { tree } = await nameTree(work.repository, work.base.head, changed);
  set(work, { base: { ...work.base, changed, tree } });
}

/** The paths that count as work: not plan files, `.ralph/`, or notes for agents. */
export const realWork = (paths: readonly string[], notWork: readonly string[]): string[] =>
  paths.filter((path) => !matchesAny(notWork, path));

interface Leaving {
  readonly left: Snapshot | undefined;
  readonly isChecked?: boolean;
}

const recordOf = (work: WorkTree, { left, isChecked = false }: Leaving): WorkRecord => {
  const { base, task, userPaths, indexSyncedTo, rules } = work;
  return { v: 1, base, task, userPaths, left, isChecked, indexSyncedTo, rules };
};

function writeRecord(work: WorkTree, leaving: Leaving): void {
  writeWorkRecord(work.repository, recordOf(work, leaving));
}
