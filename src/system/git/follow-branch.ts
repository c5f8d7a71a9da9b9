import { join } from "node:path";
import { shellWord } from "../../domain/shell-word.ts";
import { pathExists } from "../folder.ts";
import type { FollowStep } from "./follow-overlap.ts";
import { AGAIN, type FollowRefusal, LAND, operationRefusal, refused, shownPaths } from "./follow-refusal.ts";
import { followInTree, HEAD_MOVED, refusalInTree } from "./follow-tree.ts";
import { gitBytes, gitRefused } from "./git.ts";
import {
  branchRef,
  type BranchState,
  branchState,
  compareBranch,
  type LandingTarget,
  mergeCommand,
  setFollowed,
} from "./landing.ts";
import { mergeTrees } from "./merge-trees.ts";
import { readHead } from "./ref-files.ts";
import { mergeBase } from "./ref.ts";
import { renamedTo } from "./reflog.ts";
import { openRepository, QUIET, type Repository } from "./repository.ts";
import { isMovedBySession } from "./stray.ts";
import { isRebased, treesWithBranch } from "./worktrees.ts";

export type BranchFollow =
  /** The branch is at the landing ref's commit now. */
  | { readonly kind: "followed"; readonly commit: string }
  /** It already has everything that landed. */
  | { readonly kind: "nothing" }
  /** Something of the person's is in the way. Nothing was changed. */
  | FollowRefusal;

/**
 * L-24: moves the person's branch to the landing ref, with the working tree that has it checked out. Changes of the
 * person's stay as they are; if they are in the way, nothing happens.
 *
 * `planFiles`: paths that ralphctl itself writes into the tree (L-03). They, too, stay as they are in the tree, but
 * they are never in the way.
 */
export async function followBranch(
  home: Repository,
  target: LandingTarget,
  { planFiles }: { readonly planFiles: readonly string[] },
): Promise<BranchFollow> {
  const first = await followOnce(home, target, { planFiles });
  // The branch is now checked out nowhere, or in another tree.
  return first === HEAD_MOVED ? await followOnce(home, target, { planFiles }) : first;
}

async function followOnce(
  home: Repository,
  target: LandingTarget,
  { planFiles }: { readonly planFiles: readonly string[] },
): Promise<BranchFollow> {
  const state = await branchState(home, target);
  const tree = await treeToFollow(home, target, state);
  if (tree !== undefined && "kind" in tree) return tree;
  const { branch, landing } = state as Behind;
  const refusal =
    tree === undefined
      ? await moveRef(home, { ref: branchRef(target)!, from: branch, to: landing })
      : await unlessRemoved(tree, home, () =>
          followInTree(tree, target, stepIn(tree, home, { branch, landing, planFiles })),
        );
  if (refusal === "removed") return await followBranch(home, target, { planFiles });
  if (refusal !== undefined) return refusal;
  await setFollowed(home, target, landing);
  return { kind: "followed", commit: landing };
}

/** Why the branch does not have what landed, as far as a look tells; undefined: nothing is in the way. */
export async function whyNotFollowing(
  home: Repository,
  target: LandingTarget,
  { planFiles }: { readonly planFiles: readonly string[] },
): Promise<FollowRefusal | undefined> {
  const state = await compareBranch(home, target);
  const conflict = state.kind === "diverged" ? await findConflict(home, target, state) : undefined;
  if (conflict !== undefined) return (await rebaseRefusal(home, target)) ?? conflict;
  const tree = await treeToFollow(home, target, state);
  if (tree === undefined || "kind" in tree) return tree?.kind === "refused" ? tree : undefined;
  const step = stepIn(tree, home, { ...(state as Behind), planFiles });
  const refusal = await unlessRemoved(tree, home, () => refusalInTree(tree, step));
  return refusal === "removed" ? await whyNotFollowing(home, target, { planFiles }) : refusal;
}

export interface Way {
  /** Where the branch would go. */
  readonly to: string;
  readonly planFiles: readonly string[];
  /** What the person types to try it again. */
  readonly again: string;
}

/** Why the branch, which has everything that landed, could not go to a commit now; undefined: it can. */
export async function whyNotTo(home: Repository, target: LandingTarget, way: Way): Promise<FollowRefusal | undefined> {
  const { tree, step } = await wayOf(home, target, way);
  if (tree === undefined || "kind" in tree) return tree;
  const refusal = await unlessRemoved(tree, home, () => refusalInTree(tree, step));
  return refusal === "removed" ? await whyNotTo(home, target, way) : refusal;
}

/** Moves the branch back to a commit, with the working tree that has it checked out. */
export async function moveBack(home: Repository, target: LandingTarget, way: Way): Promise<FollowRefusal | undefined> {
  const { tree, step } = await wayOf(home, target, way);
  if (tree !== undefined && "kind" in tree) return tree;
  if (tree === undefined) return await moveRef(home, { ref: branchRef(target)!, from: step.branch, to: way.to });
  const refusal = await unlessRemoved(tree, home, () => followInTree(tree, target, { ...step, isBack: true }));
  return refusal === "removed" ? await moveBack(home, target, way) : refusal;
}

async function wayOf(home: Repository, target: LandingTarget, { to, planFiles, again }: Way) {
  const state = await compareBranch(home, target);
  const ref = branchRef(target);
  const tree = (await rebaseRefusal(home, target)) ?? (ref === undefined ? home : await findTree(home, ref));
  const step = { branch: "branch" in state ? state.branch : "", landing: to, planFiles };
  const own = tree !== undefined && !("kind" in tree) ? tree : home;
  return { tree, step: { ...stepIn(own, home, step), again } };
}

async function findConflict(
  home: Repository,
  target: LandingTarget,
  { branch, landing }: { readonly branch: string; readonly landing: string },
): Promise<FollowRefusal | undefined> {
  const base = await mergeBase(home, landing, branch);
  const merged = await mergeTrees(home, { base, ours: landing, theirs: branch });
  return merged.kind === "conflict" ? conflictRefusal(target, merged.paths) : undefined;
}

type Behind = Extract<BranchState, { kind: "behind" }>;

const stepIn = (tree: Repository, home: Repository, step: Omit<FollowStep, "git">): FollowStep => ({
  ...step,
  planFiles: tree === home ? step.planFiles : [],
  git: tree === home ? "git" : `git -C ${shellWord(tree.folder)}`,
});

/** The working tree in which a branch that is behind follows; undefined: in none. */
async function treeToFollow(
  home: Repository,
  target: LandingTarget,
  state: BranchState,
): Promise<Repository | Exclude<BranchFollow, { kind: "followed" }> | undefined> {
  const ref = branchRef(target);
  const rebased = ref === undefined || state.kind === "even" ? undefined : await rebaseRefusal(home, target);
  if (rebased !== undefined) return rebased;
  if (state.kind !== "behind") return await notBehind(home, target, state);
  return ref === undefined ? home : await findTree(home, ref);
}

/** A rebase moves the branch at its end, to commits that nobody knows yet. */
export async function rebaseRefusal(home: Repository, target: LandingTarget): Promise<FollowRefusal | undefined> {
  const ref = branchRef(target);
  if (ref === undefined || !(await isRebased(home, ref))) return undefined;
  return operationRefusal(`A rebase of ${target.branch} is in progress`, { git: "git", what: "rebase" });
}

async function notBehind(
  home: Repository,
  target: LandingTarget,
  state: Exclude<BranchState, Behind>,
): Promise<Exclude<BranchFollow, { kind: "followed" }>> {
  const name = target.branch ?? "HEAD";
  if (state.kind === "diverged") {
    const remedy = "Run ralphctl land: it merges and proves them first";
    return { ...refused(`${name} has commits of its own`, remedy, [LAND]), isTakenIn: true };
  }
  if (state.kind === "rewound") return rewoundRefusal(home, target, state);
  if (state.kind !== "gone") return { kind: "nothing" };
  const merge = mergeCommand(target);
  if (target.branch === undefined) {
    return refused("HEAD was detached, and is on a branch now", `Take over the work: ${merge}`, [merge]);
  }
  const renamed = await renamedTo(home, name);
  if (renamed !== undefined) {
    const isThere = (await readHead(home)).ref === `refs/heads/${renamed}`;
    const line = isThere ? merge : `git switch ${shellWord(renamed)} && ${merge}`;
    return refused(`You renamed ${name} to ${renamed}`, `Take over the work there: ${line}`, [line]);
  }
  const again = `git branch ${shellWord(name)} ${target.ref}`;
  return refused(`The branch ${name} no longer exists`, `Make it again: ${again}`, [again]);
}

/** Only the person can merge them. */
export function conflictRefusal(target: LandingTarget, paths: readonly string[], what?: string): FollowRefusal {
  const merge = mergeCommand(target);
  return refused(
    `${what ?? `Your commits on ${target.branch ?? "HEAD"} conflict with work that landed`}, in ${shownPaths(paths)}`,
    `Run ${merge}, resolve the conflict and commit it, ${AGAIN}`,
    [merge, "git commit --all  # once the conflict is resolved", LAND],
  );
}

function rewoundRefusal(
  home: Repository,
  target: LandingTarget,
  { had, landing }: Extract<BranchState, { kind: "rewound" }>,
): FollowRefusal {
  const name = target.branch ?? "HEAD";
  if (had !== landing && !isMovedBySession(home, target)) {
    const remedy = "Run ralphctl land: it puts what landed since on top of it, and proves that first";
    return { ...refused(`You changed the history of ${name}`, remedy, [LAND]), isTakenIn: true };
  }
  const merge = mergeCommand(target);
  const without = `git update-ref ${target.ref} ${branchRef(target) ?? "HEAD"}`;
  const remedy = `${merge} brings them back; ${without} leaves them out for good`;
  const refusal = refused(`Commits that had landed were taken off ${name}`, remedy, [`${merge}  # or ${without}`]);
  return isMovedBySession(home, target) ? refusal : { ...refusal, isTakenIn: true };
}

/** The working tree with the branch; undefined: it is checked out nowhere. */
async function findTree(home: Repository, ref: string): Promise<Repository | FollowRefusal | undefined> {
  const folders = await treesWithBranch(home, ref);
  const [folder] = folders;
  if (folder === undefined) return undefined;
  if (folders.length > 1) {
    const why = `The branch is checked out in ${folders.join(" and in ")}`;
    return refused(why, `Switch one of them, ${AGAIN}`, [`git -C ${shellWord(folders.at(-1)!)} switch --detach`, LAND]);
  }
  if (folder === home.folder) return home;
  const tree = await unlessRemoved({ folder }, home, () => openRepository({ ...home, folder }));
  if (tree !== "removed") return tree;
  // Git removes the files of a working tree first, and its name afterwards.
  if (!(await treesWithBranch(home, ref)).includes(folder)) return await findTree(home, ref);
  const why = `The branch is checked out in ${folder}, which does not exist`;
  return refused(why, `If it was removed, run git worktree prune, ${AGAIN}`, ["git worktree prune", LAND]);
}

/** A person may remove another working tree at any moment: what git says there means nothing then. */
async function unlessRemoved<Result>(
  { folder }: Pick<Repository, "folder">,
  home: Repository,
  look: () => Promise<Result>,
): Promise<Result | "removed"> {
  const isRemoved = (): boolean => folder !== home.folder && !pathExists(join(folder, ".git"));
  try {
    const seen = await look();
    return isRemoved() ? "removed" : seen;
  } catch (error) {
    if (isRemoved()) return "removed";
    throw error;
  }
}

/** For a branch that is checked out nowhere. */
async function moveRef(
  home: Repository,
  { ref, from, to }: { readonly ref: string; readonly from: string; readonly to: string },
): Promise<FollowRefusal | undefined> {
  const args = [...QUIET, "update-ref", "-m", "ralphctl: follow", ref, to, from];
  const answer = await gitBytes(home, args);
  return answer.code === 0 ? undefined : refused(gitRefused(args, answer).message, "Run ralphctl land", [LAND]);
}
