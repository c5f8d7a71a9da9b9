import { git, mustBytes } from "./git.ts";
import { commitTree, writeCommit, writeTree, type SnapshotRange } from "./commit.ts";
import { NESTED } from "./hash.ts";
import { updateUserIndex, type IndexEntry } from "./index-file.ts";
import { restoreFiles } from "./restore.ts";
import { noObject, QUIET, type Repository } from "./repository.ts";
import { changesBetween, committedBetween } from "./snapshot.ts";
import { resetOwnIndex } from "./status.ts";
import { nameTree } from "./tree.ts";

/** The ref that saves the work of a failed task. */
export const savedRef = (run: string, task: string): string => `refs/ralph/${refPart(run)}/${refPart(task)}`;

// Our ids may have dots where git's names may not.
const refPart = (id: string): string => (/^\.|\.\.|\.$|\.lock$/.test(id) ? id.replaceAll(".", "%2E") : id);

/**
 * P-33: keeps everything of the session, its commits and what is not committed, under a name that `git log` and
 * `git gc` know. Working tree, branch and index stay as they are. Undefined when there is nothing to keep.
 */
export async function saveAsRef(
  repository: Repository,
  { base, now }: SnapshotRange,
  { ref, message }: { readonly ref: string; readonly message: string },
): Promise<string | undefined> {
  const own = new Set((await changesBetween(repository, base, now)).map(({ path }) => path));
  if (own.size === 0 && base.head === now.head) return undefined;
  const states = now.changed.filter(({ path, now }) => own.has(path) && now?.mode !== NESTED.mode);
  const tree = await writeTree(repository, now.head, states);
  const older = (await git(repository, ["rev-parse", "--verify", "--quiet", ref])).stdout.trim();
  const parents = [now.head, older === "" ? undefined : older].filter((parent) => parent !== undefined);
  const commit = await writeCommit(repository, { tree, parents, message });
  const change = [ref, commit, older || noObject(repository)];
  await mustBytes(repository, [...QUIET, "update-ref", "-m", "ralphctl: keep", ...change]);
  return commit;
}

export type RollbackResult =
  | {
      readonly kind: "returned";
      /** How the branch got there: it already was, it moved back, or one commit reverts what it has. */
      readonly branch: "unmoved" | "moved back" | "reverted";
      readonly head: string | undefined;
      /** Files that stay as the session left them, because git does not have their content: untracked files of the user. */
      readonly left: readonly string[];
    }
  /** The session changed paths that had changes of the user's: nothing was done. */
  | { readonly kind: "refused"; readonly paths: readonly string[] }
  /** HEAD moved while we worked. */
  | { readonly kind: "moved"; readonly head: string | undefined };

/** P-33: the session's own paths return to what they were at `base`, and so does the branch. */
export async function rollbackTo(
  repository: Repository,
  { base, now }: SnapshotRange,
  { userPaths, message }: { readonly userPaths: readonly string[]; readonly message: string },
): Promise<RollbackResult> {
  const own = await changesBetween(repository, base, now);
  const touched = own.map(({ path }) => path).filter((path) => userPaths.includes(path));
  if (touched.length > 0) return { kind: "refused", paths: touched };

  const before = own.map(({ path, before }) => ({ path, state: before }));
  const { left } = await restoreFiles(repository, before);
  const committed = await committedBetween(repository, now.head, base.head);
  const heads = new Map([...base.changed, ...now.changed].map(({ path, head }) => [path, head]));
  const paths = new Set([...own.map(({ path }) => path), ...committed.keys()]);
  const entries: IndexEntry[] = Array.from(paths, (path) => {
    const change = committed.get(path);
    return { path, state: change === undefined ? heads.get(path) : change.after };
  });

  const branch = await returnBranch(repository, { base, now }, message);
  if (branch.kind === "moved") return branch;
  await Promise.all([updateUserIndex(repository, entries), resetOwnIndex(repository)]);
  return { ...branch, left };
}

async function returnBranch(
  repository: Repository,
  { base, now }: SnapshotRange,
  message: string,
): Promise<Omit<Extract<RollbackResult, { kind: "returned" }>, "left"> | Extract<RollbackResult, { kind: "moved" }>> {
  if (base.head === now.head) return { kind: "returned", branch: "unmoved", head: now.head };
  if (now.head !== undefined && (await canDrop(repository, base.head, now.head))) {
    const reason = ["-m", "ralphctl: return to the last verified state"];
    const move = base.head === undefined ? ["-d", "HEAD", now.head] : ["HEAD", base.head, now.head];
    await mustBytes(repository, [...QUIET, "update-ref", ...reason, ...move]);
    return { kind: "returned", branch: "moved back", head: base.head };
  }
  const { tree } = await nameTree(repository, base.head, []);
  const result = await commitTree(repository, { tree, head: now.head, message });
  if (result.kind === "moved") return result;
  await result.indexed;
  return { kind: "returned", branch: "reverted", head: result.commit };
}

/** Whether a branch may move back: it only grew, and the commits are not published. */
async function canDrop(repository: Repository, to: string | undefined, from: string): Promise<boolean> {
  if (to !== undefined && !(await isAncestor(repository, to, from))) return false;
  const without = to === undefined ? [] : [`^${to}`];
  const dropped = await mustBytes(repository, ["rev-list", "--count", from, ...without]);
  const unpublished = await mustBytes(repository, ["rev-list", "--count", from, ...without, "--not", "--remotes"]);
  return dropped.stdout.equals(unpublished.stdout);
}

/** Whether everything that one commit has is in the other. */
export const isAncestor = async (repository: Repository, older: string, newer: string): Promise<boolean> =>
  (await git(repository, ["merge-base", "--is-ancestor", older, newer])).code === 0;
