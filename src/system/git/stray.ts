import { statSync } from "node:fs";
import { join } from "node:path";
import { branchRef, readLanding, type LandingTarget } from "./landing.ts";
import { isAncestor, readRefs } from "./ref.ts";
import { entriesSince, isLanes, isPersons, lastEntry, type ReflogEntry } from "./reflog.ts";
import type { Repository } from "./repository.ts";
import { markUnproven, unprovenOn } from "./unproven.ts";

// T-41: a session belongs into its lane, but nothing keeps a program of the same user out of the person's repository.
// Git writes who moved a branch into its reflog, so what a session did there never counts as the person's.

/** The person's repository when a session began: the last entries of its reflogs, and the time. */
export interface Watch {
  readonly atMs: number;
  readonly head: string;
  readonly branch: string;
}

const refIn = (target: LandingTarget): string => branchRef(target) ?? "HEAD";

export const watchPerson = (home: Repository, target: LandingTarget): Watch => ({
  atMs: Date.now(),
  head: lastEntry(home, "HEAD"),
  branch: lastEntry(home, refIn(target)),
});

/** What a session did to HEAD and to the branch of the person since, each once, oldest first. */
export function sessionMoves(
  home: Repository,
  target: LandingTarget,
  { watch, lane }: { readonly watch: Watch; readonly lane: string },
): ReflogEntry[] {
  const isSessions = (entry: ReflogEntry): boolean =>
    isLanes(entry) || (isPersons(entry) && (entry.message === "" || isMadeIn(lane, entry.now, watch.atMs)));
  const found = [
    ...(entriesSince(home, "HEAD", watch.head) ?? []),
    ...(entriesSince(home, refIn(target), watch.branch) ?? []),
  ].filter(isSessions);
  return [...new Map(found.map((entry) => [`${entry.old} ${entry.now}`, entry])).values()];
}

/** Whether the clone got a commit since: then its session made it. What it has from the repository is older. */
function isMadeIn(lane: string, commit: string, atMs: number): boolean {
  const file = join(lane, ".git", "objects", commit.slice(0, 2), commit.slice(2));
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > atMs - CLOCK_MS;
}

/** The time of a file may lag behind the clock by so much. */
const CLOCK_MS = 20;

/**
 * Marks commits of sessions that are on the person's branch and not on the landing. `moves`: those of a session that has
 * just ended; otherwise the reflog tells, for example after a kill. Returns the commits.
 */
export async function markStray(
  home: Repository,
  target: LandingTarget,
  { name, moves }: { readonly name: string; readonly moves?: readonly ReflogEntry[] },
): Promise<string[]> {
  const entries = moves ?? lanesEntries(home, target);
  if (entries.length === 0) return [];
  const ref = refIn(target);
  const [landing, refs] = await Promise.all([readLanding(home, target), readRefs(home, [ref])]);
  const branch = refs.get(ref);
  if (landing === undefined || branch === undefined) return [];
  const commits: string[] = [];
  for (const now of new Set(entries.map((entry) => entry.now))) {
    if ((await isAncestor(home, now, branch)) && !(await isAncestor(home, now, landing))) commits.push(now);
  }
  const isKnown = commits.length === 0 || (moves === undefined && (await unprovenOn(home, { branch, landing })));
  if (!isKnown) await markUnproven(home, name, { base: landing, commits });
  return commits;
}

/** Where the person went back to a commit of a session, it is theirs. */
function lanesEntries(home: Repository, target: LandingTarget): ReflogEntry[] {
  const all = entriesSince(home, refIn(target), "") ?? [];
  const last = new Map(all.map((entry) => [entry.now, entry]));
  return [...last.values()].filter(isLanes);
}

/** Whether a session in a lane put the branch where it is now. */
export function isMovedBySession(home: Repository, target: LandingTarget): boolean {
  const last = entriesSince(home, refIn(target), "")?.at(-1);
  return last !== undefined && isLanes(last);
}
