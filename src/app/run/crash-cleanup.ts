import { dirname } from "node:path";
import { removeDrafts } from "../../system/folder.ts";
import { removeAbandonedFolders } from "../../system/temporary-folder.ts";
import { noteKill } from "../../system/git/loan.ts";
import type { Repository } from "../../system/git/repository.ts";
import { repairLocks } from "../../system/git/locks.ts";
import type { LeftTree } from "./hold-tree.ts";

/** P-41: cleans up after killed runs before anything else. Returns notices. */
export async function cleanUpAfterCrash(
  tree: LeftTree,
  repository: Repository,
  planFiles: readonly string[],
): Promise<string[]> {
  const { left, crashedBeforeMs } = tree;
  if (left.length === 0 || crashedBeforeMs === undefined) return [];
  for (const file of planFiles) await removeDrafts(dirname(file));
  const repaired = await repairAfterCrash(tree, repository);
  return [...left.map((each) => `The run ${each} was killed; this run continues from there`), ...repaired];
}

/** Removes stale git locks and abandoned folders. Returns notices. */
export async function repairAfterCrash(tree: LeftTree, repository: Repository): Promise<string[]> {
  const { left, crashedBeforeMs } = tree;
  const run = left.at(-1);
  if (run !== undefined && crashedBeforeMs !== undefined) await noteKill(repository, { run, atMs: crashedBeforeMs });
  const repaired = await repairLocks(repository);
  await removeAbandonedFolders();
  return repaired;
}
