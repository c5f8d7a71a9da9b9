import { updateUserIndex } from "./index.ts";
import type { Repository } from "./repository.ts";
import { committedBetween } from "./snapshot.ts";
import { isSameState, stagedStates } from "./staged.ts";

/**
 * Tells the user's index about what was committed between two commits, where it still says what the first one says: a
 * run that was cut off had no time for it. Left behind, it would have the next `git commit` take that work out again.
 * False when somebody holds its lock.
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
