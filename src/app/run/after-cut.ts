import { dirname, join } from "node:path";
import type { Scope } from "../../scope/scope.ts";
import { removeDrafts } from "../../system/folder.ts";
import { removeAbandonedCheckouts } from "../../system/git-checkout.ts";
import type { Repository } from "../../system/git-repository.ts";
import { mendLocks } from "../../system/git-trouble.ts";

export interface CutRuns {
  /** Runs that ended without giving the tree back, oldest first. */
  readonly left: readonly string[];
  readonly repository: Repository;
  /** The workspace. */
  readonly root: string;
  readonly scope: Pick<Scope, "planFiles">;
}

/** P-41: what runs that were killed left half written, before anything is looked at. Sentences about it. */
export async function clearAfterCut({ left, repository, root, scope }: CutRuns): Promise<string[]> {
  if (left.length === 0) return [];
  for (const file of scope.planFiles) await removeDrafts(dirname(join(root, file)));
  const mended = await mendAfterCut(repository);
  return [...left.map((run) => `The run ${run} was cut off; this one goes on from there`), ...mended];
}

/** What git was in the middle of, and checkouts that nobody uses any more. Sentences about what was in the way. */
export async function mendAfterCut(repository: Repository): Promise<string[]> {
  const mended = await mendLocks(repository);
  await removeAbandonedCheckouts(repository);
  return mended;
}
