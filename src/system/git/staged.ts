import type { FileState } from "../../domain/change.ts";
import { mustBytes } from "./git.ts";
import { updateUserIndex } from "./index-file.ts";
import { decodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import { committedBetween } from "./snapshot.ts";

/** Restores the user's index. Returns the paths that had changed. */
export async function restoreStaged(
  repository: Repository,
  before: ReadonlyMap<string, FileState>,
): Promise<readonly string[]> {
  const now = await stagedStates(repository);
  const paths = [...new Set([...before.keys(), ...now.keys()])];
  const wrong = paths.filter((path) => !isSameState(before.get(path), now.get(path)));
  if (wrong.length === 0) return [];
  const entries = wrong.map((path) => ({ path, state: before.get(path) }));
  return (await updateUserIndex(repository, entries)) ? wrong : [];
}

const isSameState = (one: FileState | undefined, other: FileState | undefined): boolean =>
  one?.mode === other?.mode && one?.hash === other?.hash;

/** What the user's index says, by path. Lines are `mode hash stage<TAB>path`. */
export async function stagedStates(repository: Repository): Promise<Map<string, FileState>> {
  const answer = await mustBytes(repository, [...QUIET, "ls-files", "--stage", "-z", "--full-name"]);
  return new Map(
    splitNul(answer.stdout).map((field) => {
      const tab = field.indexOf("\t");
      const [mode = "", hash = ""] = field.toString("latin1", 0, tab).split(" ");
      return [decodePath(field.subarray(tab + 1)), { mode, hash }];
    }),
  );
}

/**
 * Updates the user's index from one commit to the next, for entries that are still at the first: a killed run had no
 * time for it. Otherwise the next `git commit` would undo that work. False if another process holds its lock.
 */
export async function syncIndex(
  repository: Repository,
  from: string | undefined,
  to: string | undefined,
): Promise<boolean> {
  const changes = await committedBetween(repository, from, to);
  if (changes.size === 0) return true;
  const staged = await stagedStates(repository);
  const lagging = [...changes.values()].filter(({ path, before }) => isSameState(staged.get(path), before));
  const entries = lagging.map(({ path, after }) => ({ path, state: after }));
  return await updateUserIndex(repository, entries);
}
