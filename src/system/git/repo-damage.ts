import { join, relative } from "node:path";
import { pathExists } from "../folder.ts";
import { git, mustBytes } from "./git.ts";
import { currentHead } from "./commit.ts";
import { abortOperation, findUnfinishedOperations, hasUnfinishedOperation } from "./unfinished-operation.ts";
import type { UnfinishedOperation } from "./unfinished-operation.ts";
import { updateUserIndex } from "./index-file.ts";
import { locksOf, removeLock, type UnlockResult } from "./locks.ts";
import { QUIET, type Repository } from "./repository.ts";
import { isAncestor } from "./rollback.ts";
import { committedBetween, type Snapshot } from "./snapshot.ts";
import { resetOwnIndex } from "./status.ts";

/** HEAD and branch, as recorded before a session. */
export type HeadState = Pick<Snapshot, "head" | "branch">;

/** Something that a session did to the repository and should not have (P-34). */
export type Damage =
  | { readonly kind: "lock"; readonly file: string }
  | ({ readonly kind: "unfinished" } & UnfinishedOperation)
  | { readonly kind: "branch switched"; readonly from: string | undefined; readonly to: string | undefined }
  | { readonly kind: "history rewritten"; readonly from: string; readonly to: string | undefined };

export interface Repaired {
  readonly damage: Damage;
  /** A sentence about the repair; undefined if it is left to the user. */
  readonly done: string | undefined;
  /** Why it is left to a person, where there is more to say than that it is not safe. */
  readonly why?: string;
}

/** Whether anything is wrong: in the normal case a few looks at files, and no git. `now`: where HEAD is. */
export async function hasDamage(repository: Repository, before: HeadState, now: HeadState): Promise<boolean> {
  if (now.branch !== before.branch) return true;
  if (before.head !== undefined && !(await isFastForward(repository, before.head, now.head))) return true;
  return hasUnfinishedOperation(repository) || locksOf(repository, now.branch).some(pathExists);
}

/** What is wrong now, compared with what was recorded. */
export async function findDamage(repository: Repository, before: HeadState): Promise<Damage[]> {
  const now = await readHeadState(repository);
  const damages: Damage[] = [];
  for (const path of locksOf(repository, now.branch)) {
    if (pathExists(path)) damages.push({ kind: "lock", file: relative(repository.commonFolder, path) });
  }
  for (const found of findUnfinishedOperations(repository)) damages.push({ kind: "unfinished", ...found });
  if (now.branch !== before.branch) damages.push({ kind: "branch switched", from: before.branch, to: now.branch });
  if (before.head !== undefined && !(await isFastForward(repository, before.head, now.head))) {
    damages.push({ kind: "history rewritten", from: before.head, to: now.head });
  }
  return damages;
}

/**
 * Repairs what can be repaired without loss: stale locks, unfinished merges, a switched branch, removed commits. Files
 * stay as they are, except those of an aborted merge.
 * Call it when the session's processes have ended.
 */
export async function repairDamage(repository: Repository, before: HeadState): Promise<Repaired[]> {
  const repaired: Repaired[] = [];
  // One after the other: an aborted rebase may bring the branch back by itself.
  for (const kind of ["lock", "unfinished", "branch switched", "history rewritten"] as const) {
    for (const damage of (await findDamage(repository, before)).filter((found) => found.kind === kind)) {
      repaired.push({ damage, ...(await repair(repository, damage, before)) });
    }
  }
  return repaired;
}

async function repair(repository: Repository, damage: Damage, before: HeadState): Promise<UnlockResult> {
  if (damage.kind === "lock") return await removeLock(repository, join(repository.commonFolder, damage.file));
  if (damage.kind === "branch switched") return { done: await switchBack(repository, before) };
  if (damage.kind === "history rewritten") return { done: await restoreHead(repository, damage.from) };
  const isAborted = await abortOperation(repository, damage);
  return { done: isAborted ? "ralphctl aborted it" : undefined };
}

/** Back to the branch that was left, if it is part of where HEAD is now: then it moves along, and no file changes. */
async function switchBack(repository: Repository, { branch, head }: HeadState): Promise<string | undefined> {
  const current = await currentHead(repository);
  if (current === undefined) return undefined;
  if (branch === undefined) {
    if (head === undefined || !(await isAncestor(repository, head, current))) return undefined;
    await mustBytes(repository, [...QUIET, "update-ref", "--no-deref", "-m", "ralphctl: detach", "HEAD", current]);
    return "Detached HEAD again, at the same commit";
  }
  const ref = `refs/heads/${branch}`;
  const old = (await git(repository, ["rev-parse", "--verify", "--quiet", ref])).stdout.trim();
  if (old !== "" && !(await isAncestor(repository, old, current))) return undefined;
  if (old !== current) {
    await mustBytes(repository, [...QUIET, "update-ref", "-m", "ralphctl: take along", ref, current, old]);
  }
  await mustBytes(repository, [...QUIET, "symbolic-ref", "-m", "ralphctl: switch back", "HEAD", ref]);
  return `Switched back to ${branch}, keeping the new commits`;
}

/** The recorded commit is HEAD again; what the files are now counts as changed on top of it. */
async function restoreHead(repository: Repository, recorded: string): Promise<string | undefined> {
  const current = await currentHead(repository);
  const exists = await git(repository, ["cat-file", "-e", `${recorded}^{commit}`]);
  if (exists.code !== 0) return undefined;
  const old = current === undefined ? [] : [current];
  await mustBytes(repository, [...QUIET, "update-ref", "-m", "ralphctl: bring back", "HEAD", recorded, ...old]);
  const changes = await committedBetween(repository, current, recorded);
  const entries = Array.from(changes.values(), ({ path, after }) => ({ path, state: after }));
  await Promise.all([updateUserIndex(repository, entries), resetOwnIndex(repository)]);
  return `Moved HEAD back to ${recorded.slice(0, 10)}; the files stay as they are`;
}

async function readHeadState(repository: Repository): Promise<HeadState> {
  const [branch, head] = await Promise.all([
    git(repository, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    currentHead(repository),
  ]);
  return { head, branch: branch.code === 0 ? branch.stdout.trim() : undefined };
}

async function isFastForward(repository: Repository, from: string, to: string | undefined): Promise<boolean> {
  if (from === to) return true;
  return to !== undefined && (await isAncestor(repository, from, to));
}
