import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FileChange, FileState } from "../../domain/change.ts";
import { pathExists, writeAtomicUnsynced } from "../folder.ts";
import { git, gitBytes } from "./git.ts";
import { absolute } from "./hash.ts";
import { updateUserIndex } from "./index-file.ts";
import { encodePaths } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import { isSame, statesNow, type FollowStep } from "./follow-overlap.ts";
import { committedBetween, rawChanges } from "./snapshot.ts";

// A git that is killed while it follows leaves files of the new commit: whole, in part or missing. This mark tells them
// from changes of the person's. It is there from before git begins until it is through.
const markOf = ({ gitFolder }: Repository): string => join(gitFolder, "ralphctl-following");

export const beginFollow = (tree: Repository, commit: string): void => writeAtomicUnsynced(markOf(tree), `${commit}\n`);

export const endFollow = (tree: Repository): void => rmSync(markOf(tree), { force: true });

export const isInterrupted = (tree: Repository): boolean => pathExists(markOf(tree));

/**
 * Returns what a killed git has written to what the branch has, as if it had not begun. Everything that it wrote is in
 * the commit that it was on its way to; files with anything else in them are the person's. False: the index is locked.
 */
export async function undoInterrupted(tree: Repository, step: FollowStep): Promise<boolean> {
  const commit = readFileSync(markOf(tree), "utf8").trim();
  const isKnown = (await git(tree, ["cat-file", "-e", `${commit}^{commit}`])).code === 0;
  if (isKnown && !(await undo(tree, commit, step))) return false;
  endFollow(tree);
  return true;
}

async function undo(tree: Repository, commit: string, { branch, landing, planFiles }: FollowStep): Promise<boolean> {
  const [half, landed, staged] = await Promise.all([
    committedBetween(tree, branch, commit),
    committedBetween(tree, branch, landing),
    rawChanges(tree, ["diff-index", "--cached"], [branch]),
  ]);
  const changes = [...half.values()];
  const entries = changes
    .filter(({ path, after }) => staged.has(path) && isSame(staged.get(path)?.after, after))
    .map(({ path, before }) => ({ path, state: before }));
  if (!(await updateUserIndex(tree, entries))) return false;

  const now = await statesNow(tree, changes);
  const leftovers: string[] = [];
  for (const change of changes) {
    const { path, before } = change;
    const state = now.get(path);
    const wanted = landed.has(path) ? landed.get(path)?.after : before;
    if (isSame(state, before) || isSame(state, wanted)) continue;
    const isWhole = isSame(state, change.after) && !planFiles.includes(path);
    if (isWhole || (await isPart(tree, `${commit}:${path}`, { change, state }))) leftovers.push(path);
  }
  for (const path of leftovers.filter((path) => now.get(path) !== undefined)) rmSync(absolute(tree, path));
  // Makes missing files, and touches no other.
  await gitBytes(tree, [...QUIET, "checkout-index", "-q", "-z", "--stdin"], { stdin: encodePaths(leftovers) });
  return true;
}

/** Whether a file is missing, or is the beginning of what the killed git was writing. */
async function isPart(
  tree: Repository,
  object: string,
  { change, state }: { readonly change: FileChange; readonly state: FileState | undefined },
): Promise<boolean> {
  if (state === undefined) return true;
  if (!state.mode.startsWith("100") || isSame(state, change.after)) return false;
  const { code, stdout } = await gitBytes(tree, [...QUIET, "cat-file", "--filters", object]);
  const file = readFileSync(absolute(tree, change.path));
  return code === 0 && stdout.subarray(0, file.length).equals(file);
}
