import { dirname } from "node:path";
import { abortInterruptedMerge } from "../../loop/abort-interrupted-merge.ts";
import { removeDrafts } from "../../system/folder.ts";
import { removeAbandonedCheckouts } from "../../system/git/checkout.ts";
import type { Repository } from "../../system/git/repository.ts";
import { repairLocks } from "../../system/git/locks.ts";
import type { LeftTree } from "./hold-tree.ts";

/** P-41: cleans up after killed runs before anything else. Returns notices. */
export async function cleanUpAfterCrash(
  { left, crashedBeforeMs }: LeftTree,
  repository: Repository,
  planFiles: readonly string[],
): Promise<string[]> {
  const run = left.at(-1);
  if (run === undefined || crashedBeforeMs === undefined) return [];
  for (const file of planFiles) await removeDrafts(dirname(file));
  const repaired = await repairAfterCrash(repository);
  const ended = await abortInterruptedMerge({ repository, run, untilMs: crashedBeforeMs });
  return [...left.map((each) => `The run ${each} was killed; this run continues from there`), ...repaired, ...ended];
}

/** Removes stale git locks and abandoned checkouts. Returns notices. */
export async function repairAfterCrash(repository: Repository): Promise<string[]> {
  const repaired = await repairLocks(repository);
  await removeAbandonedCheckouts(repository);
  return repaired;
}
