import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { NESTED } from "./hash.ts";
import { stagedOn } from "./put-back.ts";
import type { Repository } from "./repository.ts";
import { changedAtMs, type Snapshot } from "./snapshot.ts";
import { findUnfinishedOperations } from "./unfinished-operation.ts";

/**
 * The changes in a working tree that may be younger than a moment: all of them, if that is unknown. A deleted file is as
 * old as the last change of its folder, at most. The clock of a file system moves in steps, so "the same" may be later.
 */
export async function changedAfter(
  home: Repository,
  now: Snapshot,
  { atMs = -Infinity, isInput }: { readonly atMs: number | undefined; readonly isInput: (path: string) => boolean },
): Promise<string[]> {
  const files = now.changed
    .filter((state) => state.now?.hash !== NESTED.hash && state.now?.mode !== "160000" && !isInput(state.path))
    .filter((state) => (changedAtMs(state) ?? folderChangedAtMs(home, state.path)) >= atMs);
  const isIndexOlder = indexChangedAtMs(home) < atMs;
  const staged = isIndexOlder || now.head === undefined ? [] : await stagedOn(home, now.head);
  const operations = isIndexOlder ? [] : findUnfinishedOperations(home);
  const paths = [...files, ...staged].map(({ path }) => path).filter((path) => !isInput(path));
  return [...new Set(paths)].sort().concat(operations.map(({ what }) => `the ${what} in progress`));
}

export const indexChangedAtMs = ({ gitFolder }: Repository): number => statOf(join(gitFolder, "index")) ?? 0;

function folderChangedAtMs({ folder }: Repository, path: string): number {
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    const changed = statOf(join(folder, at));
    if (changed !== undefined) return changed;
  }
  return statOf(folder) ?? Infinity;
}

const statOf = (path: string): number | undefined => {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found && Number(found.ctimeNs / 1_000_000n);
};
