import { kindOf } from "../folder.ts";
import { AGAIN, followInTree, refused, type FollowRefusal } from "./follow-tree.ts";
import { gitBytes, gitRefused } from "./git.ts";
import { branchRef, branchState, mergeCommand, setFollowed, type BranchState, type LandingTarget } from "./landing.ts";
import { openRepository, QUIET, type Repository } from "./repository.ts";
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
  const state = await branchState(home, target);
  if (state.kind !== "behind") return notBehind(target, state);
  const { branch, landing } = state;
  const ref = branchRef(target);
  const tree = ref === undefined ? home : await findTree(home, ref);
  if (tree !== undefined && "kind" in tree) return tree;
  const refusal =
    tree === undefined
      ? await moveRef(home, { ref: ref!, from: branch, to: landing })
      : await followInTree(tree, target, { branch, landing, planFiles: tree === home ? planFiles : [] });
  if (refusal !== undefined) return refusal;
  await setFollowed(home, target, landing);
  return { kind: "followed", commit: landing };
}

function notBehind(target: LandingTarget, { kind }: Exclude<BranchState, { kind: "behind" }>): BranchFollow {
  const name = target.branch ?? "HEAD";
  if (kind === "diverged") {
    return refused(`${name} has commits of its own`, "Run ralphctl land: it merges and proves them first");
  }
  if (kind === "rewound") {
    const back = `${mergeCommand(target)} brings them back`;
    const without = `git update-ref ${target.ref} ${branchRef(target) ?? "HEAD"} leaves them out for good`;
    return refused(`Commits that had landed were taken off ${name}`, `${back}; ${without}`);
  }
  if (kind !== "gone") return { kind: "nothing" };
  return target.branch === undefined
    ? refused("HEAD was detached, and is on a branch now", `Take over the work: ${mergeCommand(target)}`)
    : refused(`The branch ${name} no longer exists`, `Make it again: git branch ${name} ${target.ref}`);
}

/** The working tree with the branch; undefined: it is checked out nowhere. */
async function findTree(home: Repository, ref: string): Promise<Repository | FollowRefusal | undefined> {
  const folders = await treesWithBranch(home, ref);
  const [folder] = folders;
  if (folder === undefined) {
    if (!(await isRebased(home, ref))) return undefined;
    return refused("A rebase of the branch is in progress", `Finish or abort it, ${AGAIN}`);
  }
  if (folders.length > 1) {
    return refused(`The branch is checked out in ${folders.join(" and in ")}`, `Switch one of them, ${AGAIN}`);
  }
  if (folder === home.folder) return home;
  if ((await kindOf(folder)) !== "folder") {
    const why = `The branch is checked out in ${folder}, which does not exist`;
    return refused(why, `If it was removed, run git worktree prune, ${AGAIN}`);
  }
  return await openRepository({ ...home, folder });
}

/** For a branch that is checked out nowhere. */
async function moveRef(
  home: Repository,
  { ref, from, to }: { readonly ref: string; readonly from: string; readonly to: string },
): Promise<FollowRefusal | undefined> {
  const args = [...QUIET, "update-ref", "-m", "ralphctl: follow", ref, to, from];
  const answer = await gitBytes(home, args);
  return answer.code === 0 ? undefined : refused(gitRefused(args, answer).message, "Run ralphctl land");
}
