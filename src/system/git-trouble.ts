import { rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { entriesIn, filesBelow, isTaken } from "./folder.ts";
import { git, mustBytes } from "./git.ts";
import { currentHead } from "./git-commit.ts";
import { updateUsersIndex } from "./git-index.ts";
import { ownIndex, QUIET, type Repository } from "./git-repository.ts";
import { isAncestor } from "./git-return.ts";
import { committedBetween } from "./git-snapshot.ts";
import { resetOwnIndex } from "./git-status.ts";

/** Where a run stands: what it recorded before a session. */
export interface Stand {
  readonly head: string | undefined;
  readonly branch: string | undefined;
}

/** Something that a session did to the repository and should not have (P-34). */
export type Trouble =
  | { readonly kind: "lock"; readonly file: string }
  | { readonly kind: "half done"; readonly what: string; readonly wayOut: readonly string[] }
  | { readonly kind: "branch switched"; readonly from: string | undefined; readonly to: string | undefined }
  | { readonly kind: "history rewritten"; readonly from: string; readonly to: string | undefined };

export interface Mended {
  readonly trouble: Trouble;
  /** What was done about it, as a sentence; undefined when it is left to a person. */
  readonly done: string | undefined;
}

/** Files that git makes while it writes, and that a killed one leaves: with them it refuses to write again. */
const locksOf = ({ gitFolder, commonFolder }: Repository, branch: string | undefined): string[] => [
  join(gitFolder, "index.lock"),
  join(gitFolder, "HEAD.lock"),
  ...(branch === undefined ? [] : [join(commonFolder, "refs", "heads", `${branch}.lock`)]),
];

const HALF_DONE: readonly (readonly [file: string, what: string, wayOut: readonly string[]])[] = [
  ["MERGE_HEAD", "merge", ["merge", "--abort"]],
  ["CHERRY_PICK_HEAD", "cherry-pick", ["cherry-pick", "--abort"]],
  ["REVERT_HEAD", "revert", ["revert", "--abort"]],
  ["rebase-merge", "rebase", ["rebase", "--abort"]],
  ["rebase-apply/rebasing", "rebase", ["rebase", "--abort"]],
  ["rebase-apply/applying", "patch series", ["am", "--abort"]],
];

/** Whether anything is wrong: in the normal case a few looks at files, and no git. `now`: where HEAD is. */
export async function hasTrouble(repository: Repository, before: Stand, now: Stand): Promise<boolean> {
  if (now.branch !== before.branch) return true;
  if (before.head !== undefined && !(await hasGrown(repository, before.head, now.head))) return true;
  const halfDone = HALF_DONE.map(([file]) => join(repository.gitFolder, file));
  return [...locksOf(repository, now.branch), ...halfDone].some(isTaken);
}

/** What is wrong now, compared with what was recorded. */
export async function findTroubles(repository: Repository, before: Stand): Promise<Trouble[]> {
  const now = await standOf(repository);
  const troubles: Trouble[] = [];
  for (const path of locksOf(repository, now.branch)) {
    if (isTaken(path)) troubles.push({ kind: "lock", file: relative(repository.commonFolder, path) });
  }
  for (const [file, what, wayOut] of HALF_DONE) {
    if (isTaken(join(repository.gitFolder, file))) troubles.push({ kind: "half done", what, wayOut });
  }
  if (now.branch !== before.branch) troubles.push({ kind: "branch switched", from: before.branch, to: now.branch });
  if (before.head !== undefined && !(await hasGrown(repository, before.head, now.head))) {
    troubles.push({ kind: "history rewritten", from: before.head, to: now.head });
  }
  return troubles;
}

/**
 * Puts right what can be put right without losing anything: locks that nobody holds, half-done merges, a branch that
 * was left but only grew, commits that were taken away. Files stay as they are, but for what a half-done merge wrote.
 * Call it when the session's processes have ended.
 */
export async function mendTroubles(repository: Repository, before: Stand): Promise<Mended[]> {
  const mended: Mended[] = [];
  // One after the other: an aborted rebase may bring the branch back by itself.
  for (const kind of ["lock", "half done", "branch switched", "history rewritten"] as const) {
    for (const trouble of (await findTroubles(repository, before)).filter((found) => found.kind === kind)) {
      mended.push({ trouble, done: await mend(repository, trouble, before) });
    }
  }
  return mended;
}

/**
 * All locks, for the start of a run after one that was killed: its git and that of its agent were killed with it, and
 * what they were writing nobody knows. Sentences about what was removed; what lies beside our own index is not worth one.
 */
export async function mendLocks(repository: Repository): Promise<string[]> {
  const own = ownIndex(repository);
  const beside = (await entriesIn(dirname(own))).map((name) => join(dirname(own), name));
  const drafts = beside.filter((path) => path.startsWith(own) && path !== own);
  await Promise.all(drafts.map((path) => rm(path, { force: true })));
  const locks = await locksIn(repository);
  const mended = await Promise.all(locks.map((path) => removeLock(path, relative(repository.commonFolder, path))));
  return mended.filter((sentence) => sentence !== undefined);
}

async function locksIn({ gitFolder, commonFolder }: Repository): Promise<string[]> {
  const folders = [...new Set([gitFolder, commonFolder])];
  const found = await Promise.all([
    ...folders.map(async (folder) => (await entriesIn(folder)).map((name) => join(folder, name))),
    ...folders.map((folder) => filesBelow(join(folder, "refs"))),
  ]);
  // In a linked working tree: the main one has its own index and HEAD there, and somebody may be committing.
  const isOthers = (path: string): boolean =>
    gitFolder !== commonFolder && dirname(path) === commonFolder && !SHARED_LOCKS.has(basename(path));
  return found.flat().filter((path) => path.endsWith(".lock") && !isOthers(path));
}

/** Of what lies beside a repository's HEAD, all working trees share these. */
const SHARED_LOCKS: ReadonlySet<string> = new Set(["packed-refs.lock", "config.lock", "shallow.lock"]);

async function mend(repository: Repository, trouble: Trouble, before: Stand): Promise<string | undefined> {
  if (trouble.kind === "lock") return await removeLock(join(repository.commonFolder, trouble.file), trouble.file);
  if (trouble.kind === "branch switched") return await switchBack(repository, before);
  if (trouble.kind === "history rewritten") return await bringBack(repository, trouble.from);
  const answer = await git(repository, [...QUIET, ...trouble.wayOut]);
  return answer.code === 0 ? `The half-done ${trouble.what} was aborted` : undefined;
}

/** A lock that is the same after this long is held by nobody: git holds one for as long as it writes an index. */
const LOCK_PATIENCE_MS = 1000;

async function removeLock(path: string, name: string): Promise<string | undefined> {
  const before = await identity(path);
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  while (Date.now() < deadline) {
    if ((await identity(path)) !== before) return undefined; // somebody works with it
    await wait(50);
  }
  await rm(path, { force: true });
  return `The lock ${name}, which nobody held, was removed`;
}

async function identity(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return undefined; // it is gone
  }
}

/** Back to the branch that was left, if it is part of where HEAD is now: then it moves along, and no file changes. */
async function switchBack(repository: Repository, { branch, head }: Stand): Promise<string | undefined> {
  const current = await currentHead(repository);
  if (current === undefined) return undefined;
  if (branch === undefined) {
    if (head === undefined || !(await isAncestor(repository, head, current))) return undefined;
    await mustBytes(repository, [...QUIET, "update-ref", "--no-deref", "-m", "ralphctl: detach", "HEAD", current]);
    return "HEAD is detached again, at the same commit";
  }
  const ref = `refs/heads/${branch}`;
  const old = (await git(repository, ["rev-parse", "--verify", "--quiet", ref])).stdout.trim();
  if (old !== "" && !(await isAncestor(repository, old, current))) return undefined;
  if (old !== current) {
    await mustBytes(repository, [...QUIET, "update-ref", "-m", "ralphctl: take along", ref, current, old]);
  }
  await mustBytes(repository, [...QUIET, "symbolic-ref", "-m", "ralphctl: switch back", "HEAD", ref]);
  return `HEAD is on ${branch} again, with what was committed meanwhile`;
}

/** The recorded commit is HEAD again; what the files are now counts as changed on top of it. */
async function bringBack(repository: Repository, recorded: string): Promise<string | undefined> {
  const current = await currentHead(repository);
  const exists = await git(repository, ["cat-file", "-e", `${recorded}^{commit}`]);
  if (exists.code !== 0) return undefined;
  const old = current === undefined ? [] : [current];
  await mustBytes(repository, [...QUIET, "update-ref", "-m", "ralphctl: bring back", "HEAD", recorded, ...old]);
  const changes = await committedBetween(repository, current, recorded);
  const entries = Array.from(changes.values(), ({ path, after }) => ({ path, state: after }));
  await Promise.all([updateUsersIndex(repository, entries), resetOwnIndex(repository)]);
  return `HEAD is ${recorded.slice(0, 10)} again; the files stay as they are`;
}

async function standOf(repository: Repository): Promise<Stand> {
  const [branch, head] = await Promise.all([
    git(repository, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    currentHead(repository),
  ]);
  return { head, branch: branch.code === 0 ? branch.stdout.trim() : undefined };
}

async function hasGrown(repository: Repository, from: string, to: string | undefined): Promise<boolean> {
  if (from === to) return true;
  return to !== undefined && (await isAncestor(repository, from, to));
}
