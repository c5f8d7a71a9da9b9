import { writeCommit } from "./commit.ts";
import { garbageCollected } from "./garbage-collection.ts";
import { git, gitBytes, mustBytes } from "./git.ts";
import { isLoose } from "./object.ts";
import { noObject, QUIET, type Repository } from "./repository.ts";
import { mayHaveRefs } from "./ref-files.ts";
import { idIn, isAncestor, readRefs, refPart } from "./ref.ts";
import { removeRefs, saveRef, type SavedWork } from "./saved-ref.ts";
import { committedBetween } from "./snapshot.ts";
import { hasLooseObjects } from "./tree-changes.ts";

/** The unproven work of a task, as its last session left it. */
export interface KeptWork {
  readonly commit: string;
  readonly tree: string;
  /** The landing commit on which that session began. */
  readonly base: string;
}

export interface WorkToKeep {
  readonly task: string;
  /** The files that the session left. */
  readonly tree: string;
  readonly base: string;
  /** The last commit that the agent made itself. */
  readonly agentHead: string | undefined;
  readonly message: string;
}

/**
 * L-07: keeps the tree of a session under the task's work ref. Its parents are the landing commit, the agent's own
 * commits, and the work that was there before, so that nothing is lost. Returns its commit.
 */
export async function keepWork(home: Repository, work: WorkToKeep): Promise<string> {
  const { task, tree, base, agentHead, message } = work;
  const older = await readWork(home, task);
  const isSame = older !== undefined && older.tree === tree && older.base === base;
  if (isSame && (agentHead === undefined || (await isAncestor(home, agentHead, older.commit)))) {
    await dropProving(home, task);
    return older.commit;
  }
  const parents = new Set([base, agentHead, older?.commit].filter((parent) => parent !== undefined));
  const commit = await writeCommit(home, { tree, parents: [...parents], message });
  const update = `update ${workRef(task)} ${commit} ${older?.commit ?? noObject(home)}\n`;
  const stdin = `${update}delete ${provingRef(task)}\n`;
  await mustBytes(home, [...QUIET, "update-ref", "-m", "ralphctl: keep", "--stdin"], { stdin });
  return commit;
}

/** Undefined if there is none. */
export const readWork = async (home: Repository, task: string): Promise<KeptWork | undefined> =>
  await readWorkAt(home, workRef(task));

/** The work that a ref of ours holds. */
export async function readWorkAt(home: Repository, ref: string): Promise<KeptWork | undefined> {
  const names = [`${ref}^{commit}`, `${ref}^{tree}`, `${ref}^1`];
  if (!(await readRefs(home, [ref])).has(ref)) return undefined;
  const { code, stdout } = await git(home, ["rev-parse", ...names]);
  const [commit = "", tree = "", base = ""] = stdout.split("\n");
  return code === 0 ? { commit, tree, base } : undefined;
}

/** A work ref. */
export interface ListedWork {
  readonly task: string;
  readonly ref: string;
  readonly keptAtMs: number;
}

/** The tasks with unproven work, the oldest first. */
export async function listWork(home: Repository): Promise<ListedWork[]> {
  const format = ["--sort=committerdate", "--format=%(committerdate:unix) %(refname)"];
  if (!(await mayHaveRefs(home, WORK))) return [];
  const { stdout } = await mustBytes(home, ["for-each-ref", ...format, WORK]);
  return stdout
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const [seconds = "", ref = ""] = line.split(" ");
      return { task: idIn(ref.slice(WORK.length)), ref, keptAtMs: Number(seconds) * 1000 };
    });
}

/** The paths that a task's work changes. */
export const pathsOfWork = async (home: Repository, { base, tree }: KeptWork): Promise<string[]> => [
  ...(await committedBetween(home, base, tree)).keys(),
];

/** Moves the work to another ref, so that the next attempt begins without it. Undefined if there is none. */
export async function renameWork(home: Repository, task: string, ref: string): Promise<SavedWork | undefined> {
  const work = await readWork(home, task);
  if (work === undefined) return undefined;
  await saveRef(home, ref, work.commit);
  await dropWork(home, task);
  return { ref, commit: work.commit };
}

/** Forgets the work of a task, and the tree that was being proven. */
export const dropWork = async (home: Repository, task: string): Promise<void> => await removeRefs(home, workRefs(task));

/** The refs that a task has until its work has landed. */
export const workRefs = (task: string): string[] => [workRef(task), provingRef(task)];

/**
 * Names a tree from its proof until it has landed, so that `git gc --prune=now` keeps it meanwhile. False if some of it
 * is gone already.
 */
export async function keepProving(
  home: Repository,
  task: string,
  { tree, head }: { readonly tree: string; readonly head: string },
): Promise<boolean> {
  const named = await gitBytes(home, [...QUIET, "update-ref", provingRef(task), tree]);
  return named.code === 0 && (await isWhole(home, { tree, head }));
}

/** Forgets a tree that was rejected. */
export async function dropProving(home: Repository, ...tasks: readonly string[]): Promise<void> {
  if (tasks.length > 0) await removeRefs(home, tasks.map(provingRef));
}

/** Whatever is being proven, or was when a process died. */
export async function listProving(home: Repository): Promise<string[]> {
  if (!(await mayHaveRefs(home, PROVING))) return [];
  const { stdout } = await mustBytes(home, ["for-each-ref", "--format=%(refname)", PROVING]);
  const refs = stdout.toString().split("\n").slice(0, -1);
  return refs.map((ref) => idIn(ref.slice(PROVING.length)));
}

/** Whether the repository has all objects of a tree or commit that a ref names, as far as another commit does not have them. */
export const isWhole = async (
  home: Repository,
  { tree, head }: { readonly tree: string; readonly head: string | undefined },
): Promise<boolean> => {
  await garbageCollected(home);
  // A commit may be gone although its tree is there.
  const isThere = head !== undefined && isLoose(home, tree);
  if (isThere && (await hasLooseObjects(home, head, tree).catch(() => false))) return true;
  const known = head === undefined ? [] : ["--not", head, `${head}^{tree}`];
  return (await gitBytes(home, [...QUIET, "rev-list", "--objects", "--quiet", tree, ...known])).code === 0;
};

const WORK = "refs/ralph/work/";

const PROVING = "refs/ralph/proving/";

const provingRef = (task: string): string => `${PROVING}${refPart(task)}`;

export const workRef = (task: string): string => `${WORK}${refPart(task)}`;
