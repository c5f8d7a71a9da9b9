import { matchesAny } from "../../domain/glob.ts";
import { mustBytes } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { emptyTree, type Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * P-31: tracked files that differ from HEAD, in the working tree or only in what is staged, except those that match a
 * pattern. Untracked files do not count: they are in the snapshot, and do not matter unless a session
 * changes them.
 */
export async function dirtyPaths(
  repository: Repository,
  { head, changed }: Snapshot,
  except: readonly string[],
): Promise<string[]> {
  const against = head ?? emptyTree(repository);
  const answer = await mustBytes(repository, ["diff-index", "--cached", "--name-only", "-z", "--no-renames", against]);
  const staged = splitNul(answer.stdout).map(decodePath);
  const edited = changed.filter(({ head }) => head !== undefined).map(({ path }) => path);
  return [...new Set([...edited, ...staged])].filter((path) => !matchesAny(except, path)).sort();
}
