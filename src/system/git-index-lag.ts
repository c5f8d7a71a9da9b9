import type { FileState } from "../domain/change.ts";
import { mustBytes } from "./git.ts";
import { updateUsersIndex } from "./git-index.ts";
import { decodePath, splitNul } from "./git-path.ts";
import { QUIET, type Repository } from "./git-repository.ts";
import { committedBetween } from "./git-snapshot.ts";

/**
 * Tells the user's index about what was committed between two commits, where it still says what the first one says: a
 * run that was cut off had no time for it. Left behind, it would have the next `git commit` take that work out again.
 * False when somebody holds its lock.
 */
export async function bringIndexAlong(
  repository: Repository,
  from: string | undefined,
  to: string | undefined,
): Promise<boolean> {
  const changes = await committedBetween(repository, from, to);
  if (changes.size === 0) return true;
  const staged = await stagedStates(repository);
  const lagging = [...changes.values()].filter(({ path, before }) => isSame(staged.get(path), before));
  const entries = lagging.map(({ path, after }) => ({ path, state: after }));
  return await updateUsersIndex(repository, entries);
}

const isSame = (one: FileState | undefined, other: FileState | undefined): boolean =>
  one?.mode === other?.mode && one?.hash === other?.hash;

/** What the user's index says, by path. Lines are `mode hash stage<TAB>path`. */
async function stagedStates(repository: Repository): Promise<Map<string, FileState>> {
  const answer = await mustBytes(repository, [...QUIET, "ls-files", "--stage", "-z", "--full-name"]);
  return new Map(
    splitNul(answer.stdout).map((field) => {
      const tab = field.indexOf("\t");
      const [mode = "", hash = ""] = field.toString("latin1", 0, tab).split(" ");
      return [decodePath(field.subarray(tab + 1)), { mode, hash }];
    }),
  );
}
