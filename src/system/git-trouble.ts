import { rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { RalphError } from "../domain/error.ts";
import { entriesIn, filesBelow, isTaken } from "./folder.ts";
import { git, mustBytes } from "./git.ts";
import { currentHead } from "./git-commit.ts";
import { abortHalfDone, findHalfDone, type HalfDone, isHalfDone } from "./git-half-done.ts";
import { gitsIn, holderText } from "./git-holders.ts";
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
  | ({ readonly kind: "half done" } & HalfDone)
  | { readonly kind: "branch switched"; readonly from: string | undefined; readonly to: string | undefined }
  | { readonly kind: "history rewritten"; readonly from: string; readonly to: string | undefined };

export interface Mended {
  readonly trouble: Trouble;
  /** What was done about it, as a sentence; undefined when it is left to a person. */
  readonly done: string | undefined;
  /** Why it is left to a person, where there is more to say than that it is not safe. */
  readonly why?: string;
}

/** Files that git makes while it writes, and that a killed one leaves: with them it refuses to write again. */
const locksOf = ({ gitFolder, commonFolder }: Repository, branch: string | undefined): string[] => [
  join(gitFolder, "index.lock"),
  join(gitFolder, "HEAD.lock"),
  ...(branch === undefined ? [] : [join(commonFolder, "refs", "heads", `${branch}.lock`)]),
];

/** Whether anything is wrong: in the normal case a few looks at files, and no git. `now`: where HEAD is. */
export async function hasTrouble(repository: Repository, before: Stand, now: Stand): Promise<boolean> {
  if (now.branch !== before.branch) return true;
  if (before.head !== undefined && !(await hasGrown(repository, before.head, now.head))) return true;
  return isHalfDone(repository) || locksOf(repository, now.branch).some(isTaken);
}

/** What is wrong now, compared with what was recorded. */
export async function findTroubles(repository: Repository, before: Stand): Promise<Trouble[]> {
  const now = await standOf(repository);
  const troubles: Trouble[] = [];
  for (const path of locksOf(repository, now.branch)) {
    if (isTaken(path)) troubles.push({ kind: "lock", file: relative(repository.commonFolder, path) });
  }
  for (const { what, wayOut } of findHalfDone(repository)) troubles.push({ kind: "half done", what, wayOut });
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
      mended.push({ trouble, ...(await mend(repository, trouble, before)) });
    }
  }
  return mended;
}

/**
 * All locks, for the start of a run after one that was killed: its git and that of its agent were killed with it, and
 * what they were writing nobody knows. Sentences about what was removed; what lies beside our own index is not worth one.
 * An error when a git that lives may hold one: somebody commits in this tree.
 */
export async function mendLocks(repository: Repository): Promise<string[]> {
  const own = ownIndex(repository);
  const beside = (await entriesIn(dirname(own))).map((name) => join(dirname(own), name));
  const drafts = beside.filter((path) => path.startsWith(own) && path !== own);
  await Promise.all(drafts.map((path) => rm(path, { force: true })));
  const locks = await locksIn(repository);
  const mended = await Promise.all(locks.map((path) => removeLock(repository, path)));
  const held = mended.find(({ why }) => why !== undefined);
  if (held?.why !== undefined) throw new RalphError("busy", held.why, { hint: HELD_HINT });
  return mended.flatMap(({ done }) => (done === undefined ? [] : [done]));
}

const HELD_HINT = "Finish that command or end it, then run this one again";

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

type Mending = Omit<Mended, "trouble">;

async function mend(repository: Repository, trouble: Trouble, before: Stand): Promise<Mending> {
  if (trouble.kind === "lock") return await removeLock(repository, join(repository.commonFolder, trouble.file));
  if (trouble.kind === "branch switched") return { done: await switchBack(repository, before) };
  if (trouble.kind === "history rewritten") return { done: await bringBack(repository, trouble.from) };
  const isAborted = await abortHalfDone(repository, trouble);
  return { done: isAborted ? `The half-done ${trouble.what} was aborted` : undefined };
}

/** A lock that is the same after this long is not held by a git that writes; one that waits for its editor may hold it. */
const LOCK_PATIENCE_MS = 1000;

async function removeLock(repository: Repository, path: string): Promise<Mending> {
  const { folder, gitFolder, commonFolder } = repository;
  const name = relative(commonFolder, path);
  const before = await identity(path);
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  while (performance.now() < deadline) {
    if ((await identity(path)) !== before) return { done: undefined }; // somebody works with it
    await wait(50);
  }
  const isOfTree = dirname(path) === gitFolder && !SHARED_LOCKS.has(basename(path));
  const [holder] = gitsIn(folder, isOfTree ? "tree" : "repository");
  if (holder !== undefined) return { done: undefined, why: `The lock ${name} may be held by ${holderText(holder)}` };
  await rm(path, { force: true });
  return { done: `The lock ${name}, which nobody held, was removed` };
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
