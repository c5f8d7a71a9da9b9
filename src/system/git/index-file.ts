import { copyFile, stat, utimes } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { FileState } from "../../domain/change.ts";
import { gitBytes, gitRefused, type GitInput } from "./git.ts";
import { encodePath } from "./path.ts";
import { noObject, QUIET, type Repository } from "./repository.ts";

/**
 * Copies an index with its age. Git compares files by size and second; one that was written in the second of its index
 * or later it reads again. A copy that looks younger would hide such changes.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  // Asked first: an index that is replaced meanwhile is then only thought to be older.
  const { mtimeMs } = await stat(from);
  await copyFile(from, to);
  const seconds = Math.floor(mtimeMs) / 1000;
  await utimes(to, seconds, seconds);
}

/** The new state of a path in an index; undefined removes it. */
export interface IndexEntry {
  readonly path: string;
  readonly state: FileState | undefined;
}

/** Entries as `update-index --index-info -z` reads them; removals first, so that a folder may become a file. */
export function indexInfo(repository: Repository, entries: readonly IndexEntry[]): Buffer {
  const line = ({ path, state }: IndexEntry): Buffer =>
    Buffer.concat([
      Buffer.from(`${state?.mode ?? "0"} ${state?.hash ?? noObject(repository)}\t`),
      encodePath(path),
      Buffer.from([0]),
    ]);
  const gone = entries.filter(({ state }) => state === undefined);
  const there = entries.filter(({ state }) => state !== undefined);
  return Buffer.concat([...gone, ...there].map(line));
}

const TRIES = 10;
const PAUSE_MS = 50;

/**
 * Updates the user's index for paths that we committed or restored; everything else in it stays. False if another
 * process holds its lock: then it only lags behind, and nothing is lost.
 */
export async function updateUserIndex(repository: Repository, entries: readonly IndexEntry[]): Promise<boolean> {
  if (entries.length === 0) return true;
  if (entries.length <= MAX_ARGUMENTS && entries.every(isArgument)) {
    const told = entries.flatMap(({ path, state }) => ["--cacheinfo", `${state!.mode},${state!.hash},${path}`]);
    return await patiently(repository, ["update-index", "-q", "--add", "--replace", ...told, "--refresh"], {});
  }
  const input = { stdin: indexInfo(repository, entries) };
  const isWritten = await patiently(repository, ["update-index", "-z", "--index-info"], input);
  // Refreshes file times, or git's plumbing would report the files as changed. Some may be: that is not an error.
  if (isWritten) await gitBytes(repository, [...QUIET, "update-index", "-q", "--refresh"]);
  return isWritten;
}

/** So few that one git can be told on its command line and look at the files too. */
const MAX_ARGUMENTS = 50;

/** Whether an entry can be an argument: removals and paths that are not UTF-8 cannot. */
const isArgument = ({ path, state }: IndexEntry): boolean =>
  state !== undefined && encodePath(path).toString() === path;

async function patiently(repository: Repository, args: readonly string[], input: GitInput): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const answer = await gitBytes(repository, [...QUIET, ...args], input);
    if (answer.code === 0) return true;
    if (!/index\.lock/.test(answer.stderr)) throw gitRefused(args, answer);
    if (tries === TRIES) return false;
    await wait(PAUSE_MS);
  }
}
