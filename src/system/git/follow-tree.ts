import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { RalphError } from "../../domain/error.ts";
import { pathExists, textIn, writeAtomicUnsynced } from "../folder.ts";
import { findHidden, findOverlap, type FollowStep, type Overlap } from "./follow-overlap.ts";
import {
  AGAIN,
  type FollowRefusal,
  LAND,
  lockRefusal,
  operationRefusal,
  overlapRefusal,
  refused,
  unmergedRefusal,
} from "./follow-refusal.ts";
import { type GitBytes, gitBytes, gitRefused, mustBytes } from "./git.ts";
import { gitProcessesIn } from "./git-processes.ts";
import { updateUserIndex } from "./index-file.ts";
import { beginFollow, endFollow, isInterrupted, undoInterrupted } from "./interrupted-follow.ts";
import { branchRef, type LandingTarget } from "./landing.ts";
import { locksOf, removeLock } from "./locks.ts";
import { readHead } from "./ref-files.ts";
import { readRefs } from "./ref.ts";
import { QUIET, type Repository } from "./repository.ts";
import { findUnfinishedOperations } from "./unfinished-operation.ts";

/** Fast-forwards a working tree, with all that is not committed in it; refused whole if that is in the way. */
export async function followInTree(
  tree: Repository,
  target: LandingTarget,
  step: FollowStep,
): Promise<FollowRefusal | undefined> {
  const operation = unfinishedRefusal(tree, step);
  if (operation !== undefined) return operation;
  const wasKilled = isInterrupted(tree);
  if (await isLocked(tree, target, wasKilled ? "killed" : "living")) return lockRefusal(tree, target.branch);
  if (wasKilled && !(await undoInterrupted(tree, step))) return lockRefusal(tree);
  const overlap = await overlapInPeace(tree, step);
  if (overlap.kind === "moved") return HEAD_MOVED;
  if (overlap.kind !== "none") return overlapRefusal(overlap, step);
  const begun = unfinishedRefusal(tree, step);
  if (begun !== undefined) return begun;
  try {
    beginFollow(tree, step.landing);
    const refusal = await mergeWith(overlap, tree, { target, step });
    endFollow(tree);
    return refusal;
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // Git may have done a part of it, so the mark stays.
    return refused(error.message, `${error.hint ?? "Look at git status"}, ${AGAIN}`, [`${step.git} status`, LAND]);
  }
}

const MOST_LOOKS = 40;

/**
 * What is in the way, seen while no git sets the person's changes aside: a rebase that begins breaks off if somebody else
 * writes the index then, and nothing tells that it has begun but its process.
 */
async function overlapInPeace(tree: Repository, step: FollowStep): Promise<Overlap> {
  for (let looks = 1; ; looks += 1) {
    const overlap = await findOverlap(tree, step);
    if (looks === MOST_LOOKS || !isSettingAside(tree)) return overlap;
    await wait(PAUSE_MS);
  }
}

const isSettingAside = ({ folder }: Repository): boolean =>
  gitProcessesIn(folder, "tree").some(({ command }) => /\s(?:rebase|pull|stash)(?:\s|$)/.test(command));

/** What would refuse it now, as far as a look tells. Changes nothing, and waits for nobody. */
export async function refusalInTree(tree: Repository, step: FollowStep): Promise<FollowRefusal | undefined> {
  const operation = unfinishedRefusal(tree, step);
  if (operation !== undefined) return operation;
  const overlap = await findOverlap(tree, step);
  if (overlap.kind === "overlap") return overlapRefusal(overlap, step);
  const hidden = overlap.kind === "none" ? await findHidden(tree, step) : undefined;
  const isInTheWay = hidden !== undefined && hidden.assumed.length + hidden.skipped.length > 0;
  return isInTheWay ? overlapRefusal({ ...NOTHING, hidden }, step) : undefined;
}

const NOTHING = { staged: [], changed: [], untracked: [] };

function unfinishedRefusal(tree: Repository, { git }: FollowStep): FollowRefusal | undefined {
  const [operation] = findUnfinishedOperations(tree);
  if (operation === undefined) return undefined;
  const [what = ""] = operation.abortArgs;
  return operationRefusal(`A ${operation.what} is in progress in ${tree.folder}`, { git, what });
}

/** The person switched to another branch just now. */
export const HEAD_MOVED = refused("HEAD moved meanwhile", "Run ralphctl land", [LAND]);

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
  { target, step }: { readonly target: LandingTarget; readonly step: FollowStep },
): Promise<FollowRefusal | undefined> {
  if (!(await updateUserIndex(tree, entries))) return lockRefusal(tree);
  let isThere = false;
  try {
    const refusal = await fastForward(tree, target, step);
    isThere = refusal === undefined;
    return refusal;
  } finally {
    if (!isThere) await updateUserIndex(tree, entriesNow);
  }
}

/** The branch that HEAD may move in a git with `onlyMoving`; without one, HEAD itself. */
const MOVES = "RALPHCTL_MOVES";
const HOOK = `#!/bin/sh
if [ "$1" = prepared ]; then
  while read -r _ _ ref; do
    case $ref in "$${MOVES}") ;; refs/heads/*) exit 1 ;; esac
  done
fi
`;

/**
 * T-41: git moves whatever branch HEAD is on when it is through. The person may have switched since we looked, and then it
 * would be theirs: a hook of ours refuses that while git holds the locks.
 */
function onlyMoving({ gitFolder }: Repository): string[] {
  const folder = join(gitFolder, "ralphctl-hooks");
  const file = join(folder, "reference-transaction");
  if (textIn(file) !== HOOK) {
    writeAtomicUnsynced(file, HOOK);
    chmodSync(file, 0o755);
  }
  return ["-c", `core.hooksPath=${folder}`];
}

/** The flags undo settings that a person may have for this branch, for merges or for everything. */
const MERGE = ["-c", "gc.auto=0", "-c", "maintenance.auto=false", "merge", "--ff-only", "--no-overwrite-ignore"];
const FLAGS = ["--no-autostash", "--no-squash", "--commit", "--no-edit", "--no-verify-signatures", "--no-stat"];

async function fastForward(
  tree: Repository,
  target: LandingTarget,
  step: FollowStep,
): Promise<FollowRefusal | undefined> {
  const ref = branchRef(target);
  if ((await readHead(tree)).ref !== ref) return HEAD_MOVED;
  // The person may have begun one since the first look.
  const operation = unfinishedRefusal(tree, step);
  if (operation !== undefined) return operation;
  const env = { GIT_REFLOG_ACTION: "ralphctl: follow", [MOVES]: ref ?? "HEAD" };
  const args = step.isBack ? await filesBack(tree, step) : [...MERGE, ...FLAGS, "--quiet", step.landing];
  const whole = [...QUIET, ...onlyMoving(tree), ...args];
  const answer = await keepingOrigHead(tree, async () => await gitBytes(tree, whole, { env }));
  if (answer.code !== 0 && (await readHead(tree)).ref !== ref) {
    const isUndone = await undoInterrupted(tree, { ...step, landing: step.branch });
    return isUndone ? HEAD_MOVED : lockRefusal(tree);
  }
  if (answer.code !== 0) return await mergeRefusal(tree, whole, { answer, step });
  if (ref === undefined || (await readRefs(tree, [ref])).get(ref) === step.landing) return undefined;
  return refused(`${target.branch} moved meanwhile`, "Run ralphctl land", [LAND]);
}

/**
 * Like a switch of branches: git keeps everything that is not committed, or refuses. After a kill it can be repeated. What is
 * returned moves the branch.
 */
async function filesBack(tree: Repository, { branch, landing }: FollowStep): Promise<string[]> {
  await mustBytes(tree, [...QUIET, "read-tree", "-m", "-u", branch, landing]);
  return ["update-ref", "-m", "ralphctl: undo", "HEAD", landing, branch];
}

/** A person may still need theirs, which a merge replaces: it is how they undo their last reset or rebase. */
async function keepingOrigHead<Result>({ gitFolder }: Repository, action: () => Promise<Result>): Promise<Result> {
  const file = join(gitFolder, "ORIG_HEAD");
  const before = textIn(file);
  const result = await action();
  if (before === undefined) rmSync(file, { force: true });
  else writeAtomicUnsynced(file, before);
  return result;
}

async function mergeRefusal(
  tree: Repository,
  args: readonly string[],
  { answer, step }: { readonly answer: GitBytes; readonly step: FollowStep },
): Promise<FollowRefusal> {
  const { git } = step;
  const { stderr } = answer;
  if (/index\.lock/.test(stderr)) return lockRefusal(tree);
  if (/unmerged files/.test(stderr)) return unmergedRefusal(tree, git);
  const lines = stderr.split("\n").filter((line) => line.startsWith("\t"));
  if (lines.length === 0) throw gitRefused(args, answer);
  const paths = lines.map((line) => line.trim());
  const isUntracked = /untracked/.test(stderr);
  if (isUntracked) return overlapRefusal({ ...NOTHING, untracked: paths }, step);
  const hidden = await findHidden(tree, step);
  const changed = paths.filter((path) => !hidden.assumed.includes(path) && !hidden.skipped.includes(path));
  return overlapRefusal({ ...NOTHING, changed, hidden }, step);
}
