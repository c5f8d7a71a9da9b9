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
 * What the run knows of its working tree: the last verified state, and whose work lies on top of it. Written down, so
 * that after any kill the next run knows what is its own and what is the user's.
 */
export interface WorkTree {
  readonly repository: Repository;
  /** The last verified state; at first, the state in which the run began. */
  readonly base: Snapshot;
  /** The tree when we last looked. */
  readonly last: Snapshot;
  /** Whose unproven work lies on top of `base`. */
  readonly task: TaskId | undefined;
  /** The work on top of `base` is that of a planning session which was killed with its run. */
  readonly planInterrupted: boolean;
  /** Paths with changes of the user's: never committed, never restored. */
  readonly userPaths: readonly string[];
  /** The commit that the user's index is at, while it may not know HEAD yet. */
  readonly indexSyncedTo: IndexPosition | undefined;
  /** Resolves when the user's index knows all commits; false: somebody holds its lock. */
  readonly indexing: Promise<boolean>;
  /** Written down with the work, for the run that finds it. */
  readonly rules: Rules;
}

/** Only the functions of this file change the record of a tree. */
function set(work: WorkTree, changed: Partial<Omit<WorkTree, "repository" | "rules">>): void {
  Object.assign(work, changed);
}

export interface OpenedTree {
  readonly work: WorkTree;
  /** P-31: tracked files with changes that are nobody's but the user's. */
  readonly dirty: readonly string[];
  /** The last run ended in the middle of a session. */
  readonly wasInterrupted: boolean;
  /** What gates and hooks of a run that was cut off had changed. */
  readonly undone: Pick<CrashRecovery, "restored" | "kept">;
}

export interface OpenRequest {
  /** Patterns that never count as dirty. */
  readonly except: readonly string[];
  /** Whether a task's unproven work may still be in the tree. */
  readonly isOpen: (task: TaskId) => Promise<boolean>;
  /** Whether this run commits: then verified work that an earlier one left uncommitted is in its way. */
  readonly commits: boolean;
  /** When runs that were cut off were gone, at the latest. */
  readonly crashedBeforeMs: number | undefined;
  readonly run: string;
  /** By what this run judges. */
  readonly rules: Rules;
}

/** Looks at the working tree, and takes up what an earlier run left in it. */
export async function openWorkTree(repository: Repository, request: OpenRequest): Promise<OpenedTree> {
  const { except, isOpen, commits, rules } = request;
  const found = await snapshot(repository);
  const record = readWorkRecord(repository);
  const checked = record && (await revertGateChangesAfterCrash(repository, { ...request, record, now: found }));
  const { now, theirs, ...undone } = checked ?? { now: found, theirs: NOBODYS, restored: [], kept: undefined };
  await tellIndex(repository, record, now.head);
  const ours = record === undefined ? new Set<string>() : await ourPaths(repository, { record, now, commits, theirs });
  const isOurs = (path: string): boolean => ours.has(path) && !(record?.userPaths.includes(path) ?? false);
  const dirty = (await dirtyPaths(repository, now, except)).filter((path) => !isOurs(path) && !theirs.has(path));
  const wasInterrupted =
    record !== undefined && (record.left === undefined || (record.isChecked && record.task !== undefined));
  const isTask = record?.task !== undefined && ours.size > 0 && (await isOpen(record.task));
  const planInterrupted =
    record !== undefined && record.left === undefined && record.task === undefined && ours.size > 0;
  const isWork = isTask || planInterrupted;
  const carried = isWork ? await carriedAway(repository, record, now) : new Set<string>();
  const isBelow = (path: string): boolean => isOurs(path) || carried.has(path);
  const base = isWork ? await baseUnder(repository, { record, now, isOurs: isBelow }) : now;
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

const NOBODYS: ReadonlySet<string> = new Set();

/** Changes of the user's that a commit of the session's holds: to return to where it began is to give them back. */
async function carriedAway(repository: Repository, record: WorkRecord, now: Snapshot): Promise<Set<string>> {
  const { left, userPaths } = record;
  if (left !== undefined && left.head !== now.head) return new Set();
  const open = new Set(now.changed.map(({ path }) => path));
  const touched = left === undefined ? new Set<string>() : await pathsBetween(repository, left, now);
  return new Set(userPaths.filter((path) => !open.has(path) && !touched.has(path)));
}

/** A run that was cut off may not have told the user's index what it committed, or took back. */
async function tellIndex(
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

/** The paths that our sessions changed and nobody has touched since. A session that was cut owns all that changed. */
export async function ourPaths(
  repository: Repository,
  about: Pick<OpenRequest, "commits"> & Pick<CrashRecovery, "now" | "theirs"> & { readonly record: WorkRecord },
): Promise<Set<string>> {
  const { record, now, commits, theirs } = about;
  const { base, left, task } = record;
  if (left === undefined) {
    // Where commits of its own were being taken back, the files were first: they differ from HEAD by that alone.
    const before = new Set(base.changed.map(({ path }) => path));
    const behindHead = now.changed.map(({ path }) => path).filter((path) => !before.has(path));
    return new Set([...(await pathsBetween(repository, base, now)), ...behindHead]);
  }
  // What gates did to a file of the session does not make it somebody else's.
  const touched = await pathsBetween(repository, left, now);
  for (const path of theirs) touched.delete(path);
  // Without a task nothing is unproven: what is there but not committed was verified, and left out on purpose. With
  // gates that see it and commits that do not have it, nothing of what follows would be proven.
  const uncommitted = commits ? [] : left.changed;
  const all = task === undefined ? uncommitted : await changesBetween(repository, base, left);
  return new Set(all.map(({ path }) => path).filter((path) => !touched.has(path)));
}

/** The verified state below our work, as it is now: what others changed since belongs to it. */
async function baseUnder(
  repository: Repository,
  about: { readonly record: WorkRecord; readonly now: Snapshot; readonly isOurs: (path: string) => boolean },
): Promise<Snapshot> {
  const { record, now, isOurs } = about;
  // Commits since the session are somebody else's; those of the session itself are part of the work.
  const isOthers = record.left !== undefined && record.left.head !== now.head;
  const { head, branch } = isOthers ? now : record.base;
  const changed = [
    ...now.changed.filter(({ path }) => !isOurs(path)),
    ...record.base.changed.filter(({ path }) => isOurs(path)),
  ].sort(byPath);
  const { tree } = await nameTree(repository, head, changed);
  return { head, branch, tree, changed, takenAtMs: now.takenAtMs };
}

/** How old a look may be and still say what a session starts from: between two iterations nobody else works here. */
const FRESH_MS = 2000;

/** Step 5: what the session starts from. What was changed since the last look is not the session's. */
export async function beginSession(work: WorkTree, task: TaskId | undefined): Promise<void> {
  await refreshIfStale(work);
  set(work, { task, planInterrupted: false });
  writeRecord(work, { left: undefined });
}

/** What was changed since the last look is somebody else's, unless that was just now. */
export async function refreshIfStale(work: WorkTree): Promise<void> {
  const ageMs = Date.now() - work.last.takenAtMs;
  // From the future: the clock was put back.
  if (ageMs < 0 || ageMs > FRESH_MS) await refresh(work);
}

/** Before gates or hooks run on what is there: what they change is nobody's work. */
export function beginChecks(work: WorkTree, now: Snapshot): void {
  writeRecord(work, { left: now, isChecked: true });
}

/** Before work is taken back: files first, then the branch, then the user's index. */
export function beginRollback(work: WorkTree, head: string | undefined): void {
  set(work, { indexSyncedTo: { head } });
  writeRecord(work, { left: undefined });
}

/** A look between sessions: what was changed since the last one is nobody's work. */
export async function refresh(work: WorkTree): Promise<void> {
  const { repository, last } = work;
  const now = await snapshot(repository, last);
  const others = await changesBetween(repository, last, now);
  if (others.length > 0 || last.head !== now.head) {
    const ours = new Set((await changesBetween(repository, work.base, last)).map(({ path }) => path));
    for (const { path } of others) ours.delete(path);
    const record = recordOf(work, { left: last });
    set(work, { base: await baseUnder(repository, { record, now, isOurs: (path) => ours.has(path) }) });
  }
  set(work, { last: now });
}

/** The tree as it is now, whoever changed it. */
export function noteLook(work: WorkTree, now: Snapshot): void {
  set(work, { last: now });
}

/** After a session whose work stays in the tree, unproven. */
export function leaveWork(work: WorkTree): void {
  writeRecord(work, { left: work.last });
}

/** What is there now is the verified state. */
export function acceptWork(work: WorkTree, now: Snapshot): void {
  set(work, { base: now, last: now, task: undefined, planInterrupted: false });
  writeRecord(work, { left: now });
}

/** A plan that is not committed: it lies on top of the verified state, and is nobody's unproven work. */
export function acceptPlan(work: WorkTree, now: Snapshot): void {
  acceptWork(work, { ...work.base, head: now.head });
  set(work, { last: now });
}

/** After gates that ran on the verified state itself. */
export function acceptChecks(work: WorkTree, after: Snapshot): void {
  set(work, { base: after, last: after });
  leaveWork(work);
}

/** Before a commit on top of `head`: the user's index does not know it yet. */
export function beginCommit(work: WorkTree, head: string | undefined): void {
  if (work.indexSyncedTo === undefined) set(work, { indexSyncedTo: { head } });
}

/** The next iteration may begin meanwhile; its session does not, and the run does not end. */
export function syncIndexInBackground(work: WorkTree, indexed: Promise<boolean>): void {
  set(work, { indexing: Promise.all([work.indexing, indexed]).then((synced) => !synced.includes(false)) });
}

/** The user's index knows HEAD. */
export function noteIndexSynced(work: WorkTree): void {
  set(work, { indexSyncedTo: undefined });
}

/**
 * Before a session, and at the end of a run: the user's index knows all our commits. The next commit starts from it, and
 * would take out again what it does not know. True when it was behind.
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

/** What gates wrote beside the work (reports, caches) was there before, as far as the next look is concerned. */
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

/** Those of the paths that count as work: not plan files, `.ralph/`, nor notes for agents. */
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
