import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { RalphError } from "../../domain/error.ts";
import { pathExists, writeAtomicUnsynced } from "../folder.ts";
import { findOverlap, type FollowStep, type Overlap } from "./follow-overlap.ts";
import { type GitBytes, gitBytes, gitRefused } from "./git.ts";
import { updateUserIndex } from "./index-file.ts";
import { beginFollow, endFollow, isInterrupted, undoInterrupted } from "./interrupted-follow.ts";
import { branchRef, type LandingTarget } from "./landing.ts";
import { locksOf, removeLock } from "./locks.ts";
import { readHead } from "./ref-files.ts";
import { readRefs } from "./ref.ts";
import { QUIET, type Repository } from "./repository.ts";
import { findUnfinishedOperations } from "./unfinished-operation.ts";

/** Why a branch did not follow, and what the person can do about it. */
export interface FollowRefusal {
  readonly kind: "refused";
  readonly why: string;
  readonly remedy: string;
}

export const refused = (why: string, remedy: string): FollowRefusal => ({ kind: "refused", why, remedy });

export const AGAIN = "then run ralphctl land";

/** Fast-forwards a working tree, with all that is not committed in it; refused whole if that is in the way. */
export async function followInTree(
  tree: Repository,
  target: LandingTarget,
  step: FollowStep,
): Promise<FollowRefusal | undefined> {
  const [operation] = findUnfinishedOperations(tree);
  if (operation !== undefined) {
    const remedy = `Finish it, or give it up with git ${operation.abortArgs.join(" ")}, ${AGAIN}`;
    return refused(`A ${operation.what} is in progress in ${tree.folder}`, remedy);
  }
  const wasKilled = isInterrupted(tree);
  if (await isLocked(tree, target, wasKilled ? "killed" : "living")) return lockRefusal(tree, target.branch);
  if (wasKilled && !(await undoInterrupted(tree, step))) return lockRefusal(tree);
  const overlap = await findOverlap(tree, step);
  if (overlap.kind === "moved") return HEAD_MOVED;
  if (overlap.kind !== "none") return overlapRefusal(overlap);
  try {
    beginFollow(tree, step.landing);
    const refusal = await mergeWith(overlap, tree, { target, landing: step.landing });
    endFollow(tree);
    return refusal;
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // Git may have done a part of it, so the mark stays.
    return refused(error.message, `${error.hint ?? "Look at git status"}, ${AGAIN}`);
  }
}

const HEAD_MOVED = refused("HEAD moved meanwhile", "Run ralphctl land");

function overlapRefusal({ kind, paths }: Exclude<Overlap, { kind: "none" | "moved" }>): FollowRefusal {
  return kind === "staged"
    ? refused(
        `You staged other changes of ${shownPaths(paths)} than those that landed`,
        `Commit them, or take them off the index with git restore --staged, ${AGAIN}`,
      )
    : refused(
        `You changed ${shownPaths(paths)} without a commit, and other changes of it landed`,
        `Commit or stash yours, ${AGAIN}`,
      );
}

function lockRefusal(tree: Repository, branch?: string): FollowRefusal {
  const lock = locksOf(tree, branch).find(pathExists);
  const killed = lock === undefined ? "" : `; if it was killed, remove ${lock} first`;
  return refused(`Another git is at work in ${tree.folder}`, `Wait for it, ${AGAIN}${killed}`);
}

const TRIES = 10;
const PAUSE_MS = 50;

/** Whether a git holds a lock for longer than a moment. Those of a killed follow are removed. */
async function isLocked(tree: Repository, { branch }: LandingTarget, holder: "living" | "killed"): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const locks = locksOf(tree, branch).filter(pathExists);
    if (locks.length === 0) return false;
    if (tries === TRIES) return true;
    if (holder === "living") await wait(PAUSE_MS);
    else if ((await Promise.all(locks.map((path) => removeLock(tree, path)))).some(({ why }) => why)) return true;
  }
}

async function mergeWith(
  { entries, entriesNow }: Extract<Overlap, { kind: "none" }>,
  tree: Repository,
  { target, landing }: { readonly target: LandingTarget; readonly landing: string },
): Promise<FollowRefusal | undefined> {
  if (!(await updateUserIndex(tree, entries))) return lockRefusal(tree);
  let isThere = false;
  try {
    const refusal = await fastForward(tree, target, landing);
    isThere = refusal === undefined;
    return refusal;
  } finally {
    if (!isThere) await updateUserIndex(tree, entriesNow);
  }
}

/** The flags undo settings that a person may have for this branch, for merges or for everything. */
const MERGE = ["-c", "gc.auto=0", "-c", "maintenance.auto=false", "merge", "--ff-only", "--no-overwrite-ignore"];
const FLAGS = ["--no-autostash", "--no-squash", "--commit", "--no-edit", "--no-verify-signatures", "--no-stat"];

async function fastForward(
  tree: Repository,
  target: LandingTarget,
  landing: string,
): Promise<FollowRefusal | undefined> {
  const ref = branchRef(target);
  if ((await readHead(tree)).ref !== ref) return HEAD_MOVED;
  const env = { GIT_REFLOG_ACTION: "ralphctl: follow" };
  const args = [...QUIET, ...MERGE, ...FLAGS, "--quiet", landing];
  const answer = await keepingOrigHead(tree, async () => await gitBytes(tree, args, { env }));
  if (answer.code !== 0) return mergeRefusal(tree, args, answer);
  if (ref === undefined || (await readRefs(tree, [ref])).get(ref) === landing) return undefined;
  return refused(`${target.branch} moved meanwhile`, "Run ralphctl land");
}

/** A person may still need theirs, which a merge replaces: it is how they undo their last reset or rebase. */
async function keepingOrigHead<Result>({ gitFolder }: Repository, action: () => Promise<Result>): Promise<Result> {
  const file = join(gitFolder, "ORIG_HEAD");
  const before = pathExists(file) ? readFileSync(file, "utf8") : undefined;
  const result = await action();
  if (before === undefined) rmSync(file, { force: true });
  else writeAtomicUnsynced(file, before);
  return result;
}

function mergeRefusal(tree: Repository, args: readonly string[], answer: GitBytes): FollowRefusal {
  if (/index\.lock/.test(answer.stderr)) return lockRefusal(tree);
  const paths = answer.stderr.split("\n").filter((line) => line.startsWith("\t"));
  if (paths.length === 0) throw gitRefused(args, answer);
  const names = shownPaths(paths.map((line) => line.trim()));
  return refused(`What landed would overwrite ${names}`, `Commit, stash or move that, ${AGAIN}`);
}

const SHOWN = 5;

const shownPaths = (paths: readonly string[]): string =>
  paths.length > SHOWN ? `${paths.slice(0, SHOWN).join(", ")} and ${paths.length - SHOWN} more` : paths.join(", ");
