import { dirname, join } from "node:path";
import { endHalfDone } from "../../loop/half-done-cut.ts";
import type { Scope } from "../../scope/scope.ts";
import { removeDrafts } from "../../system/folder.ts";
import { removeAbandonedCheckouts } from "../../system/git-checkout.ts";
import type { Repository } from "../../system/git-repository.ts";
import { mendLocks } from "../../system/git-locks.ts";
import type { LeftTree } from "./hold-tree.ts";

export interface CutRuns extends LeftTree {
  readonly repository: Repository;
  /** The workspace. */
  readonly root: string;
  readonly scope: Pick<Scope, "planFiles">;
}

/** P-41: what runs that were killed left half written, before anything is looked at. Sentences about it. */
export async function clearAfterCut({ left, cutBeforeMs, repository, root, scope }: CutRuns): Promise<string[]> {
  const run = left.at(-1);
  if (run === undefined || cutBeforeMs === undefined) return [];
  for (const file of scope.planFiles) await removeDrafts(dirname(join(root, file)));
  const mended = await mendAfterCut(repository);
  const ended = await endHalfDone({ repository, run, untilMs: cutBeforeMs });
  return [...left.map((each) => `The run ${each} was cut off; this one goes on from there`), ...mended, ...ended];
}

/** What git was in the middle of, and checkouts that nobody uses any more. Sentences about what was in the way. */
export async function mendAfterCut(repository: Repository): Promise<string[]> {
  const mended = await mendLocks(repository);
  await removeAbandonedCheckouts(repository);
  return mended;
}
