import { accessSync, constants, lstatSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { RalphError } from "../../domain/error.ts";
import { codeOf } from "../error-code.ts";
import { entriesIn, filesBelow } from "../folder.ts";
import { gitProcessesIn, describeGitProcess } from "./git-processes.ts";
import { ownIndex, type Repository } from "./repository.ts";

/** Files that git makes while it writes, and that a killed one leaves: with them it refuses to write again. */
export const locksOf = ({ gitFolder, commonFolder }: Repository, branch: string | undefined): string[] => [
  join(gitFolder, "index.lock"),
  join(gitFolder, "HEAD.lock"),
  ...(branch === undefined ? [] : [join(commonFolder, "refs", "heads", `${branch}.lock`)]),
];

/**
 * Removes all locks at the start of a run after one that was killed, together with its git and its agent's. Returns
 * messages about the removed locks, except those of our own index. An error if a living git may hold one.
 */
export async function repairLocks(repository: Repository): Promise<string[]> {
  const own = ownIndex(repository);
  const beside = (await entriesIn(dirname(own))).map((name) => join(dirname(own), name));
  const drafts = beside.filter((path) => path.startsWith(own) && path !== own);
  await Promise.all(drafts.map((path) => rm(path, { force: true, recursive: true })));
  const locks = await locksIn(repository);
  const repaired = await Promise.all(locks.map((path) => removeLock(repository, path)));
  await removeMaintenanceLocks(repository);
  const held = repaired.find(({ why }) => why !== undefined);
  if (held?.why !== undefined) throw new RalphError("busy", held.why, { hint: held.hint });
  return repaired.flatMap(({ done }) => (done === undefined ? [] : [done]));
}

async function locksIn({ gitFolder, commonFolder }: Repository): Promise<string[]> {
  const folders = [...new Set([gitFolder, commonFolder])];
  const found = await Promise.all([
    ...folders.map(async (folder) => (await entriesIn(folder)).map((name) => join(folder, name))),
    ...folders.map((folder) => filesBelow(join(folder, "refs"))),
  ]);
  // In a linked working tree, the main one has its index and HEAD there, and the user may be committing.
  const isOthers = (path: string): boolean =>
    gitFolder !== commonFolder && dirname(path) === commonFolder && !SHARED_LOCKS.has(basename(path));
  const isMaintenance = (path: string): boolean => MAINTENANCE_LOCKS.includes(relative(commonFolder, path));
  return found.flat().filter((path) => path.endsWith(".lock") && !isOthers(path) && !isMaintenance(path));
}

/** Of what lies beside a repository's HEAD, all working trees share these. */
const SHARED_LOCKS: ReadonlySet<string> = new Set(["packed-refs.lock", "config.lock", "shallow.lock"]);

/** With one of these git tidies its objects no more, and says nothing of it. */
const MAINTENANCE_LOCKS = [
  "gc.pid.lock",
  "objects/maintenance.lock",
  "objects/info/commit-graph.lock",
  "objects/info/commit-graphs/commit-graph-chain.lock",
  "objects/pack/multi-pack-index.lock",
];

/**
 * Removes the locks of a killed git maintenance: each commit may start one, and the end of a session kills it. Silent:
 * that is normal. A maintenance that still runs is left alone.
 */
export async function removeMaintenanceLocks(repository: Repository): Promise<void> {
  const left = MAINTENANCE_LOCKS.map((name) => join(repository.commonFolder, name)).filter(isRemovable);
  if (left.length === 0) return;
  const deadline = performance.now() + ENDING_MS;
  while (gitProcessesIn(repository.folder, "repository").length > 0) {
    if (performance.now() > deadline) return;
    await wait(20);
  }
  await Promise.all(left.map((path) => removeLock(repository, path)));
}

/** For so long a git of ours may still be on its way out that has answered. */
const ENDING_MS = 500;

/** Locks that cannot be removed are ignored: each session would wait for nothing. */
function isRemovable(path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return false;
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The result of removing a lock. */
export interface UnlockResult {
  /** A sentence about what was done; undefined if it was left alone. */
  readonly done: string | undefined;
  /** Why: who may hold it, or what keeps us from removing it. */
  readonly why?: string;
  /** What the user can do about it. */
  readonly hint?: string;
}

/** A lock that is the same after this long is not held by a git that writes; one that waits for its editor may hold it. */
const LOCK_PATIENCE_MS = 1000;

export async function removeLock(repository: Repository, path: string): Promise<UnlockResult> {
  const { folder, gitFolder, commonFolder } = repository;
  const name = relative(commonFolder, path);
  const before = await identity(path);
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  while (performance.now() < deadline) {
    if ((await identity(path)) !== before) return { done: undefined }; // somebody works with it
    await wait(50);
  }
  const isOfTree = dirname(path) === gitFolder && !SHARED_LOCKS.has(basename(path));
  const [holder] = gitProcessesIn(folder, isOfTree ? "tree" : "repository");
  if (holder !== undefined) {
    const why = `${describeGitProcess(holder)} may hold the lock ${name}`;
    return { done: undefined, why, hint: "Finish that command or end it, then run this one again" };
  }
  try {
    await rm(path, { force: true });
  } catch (cause) {
    // Git never creates a folder of that name, so its content is unknown.
    const why = `Cannot remove the stale lock ${name}: ${codeOf(cause)}`;
    return { done: undefined, why, hint: `Remove ${path}, then run this command again` };
  }
  return { done: `Removed the stale lock ${name}` };
}

async function identity(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return undefined; // it is gone
  }
}
