import { RalphError } from "../domain/error.ts";
import type { TaskId } from "../domain/task.ts";
import { LaneFailed, LaneTaken } from "../lane/lane.ts";
import { mergeTrees } from "../system/git/merge-trees.ts";
import { snapshot } from "../system/git/snapshot.ts";
import { nameTree } from "../system/git/tree.ts";
import { readWork, type KeptWork } from "../system/git/work-ref.ts";
import { rememberBegun } from "./rescue.ts";
import type { LaneState } from "./run-state.ts";
import { withTree } from "./unless-pruned.ts";

/**
 * Step 5: puts the head of the landing and the task's unproven work into the lane (L-07), and the person's plans and
 * specs over it (L-03).
 */
export async function startWork(lane: LaneState, task: TaskId | undefined): Promise<void> {
  const { deps, run, place } = lane;
  const head = run.landing;
  const { tree } = await nameTree(deps.home, head, []);
  const work = task === undefined ? undefined : await readWork(deps.home, task);
  // Set-up may take minutes.
  const begin = async (start: string) =>
    await lane.seat.aside(async () => await place.begin({ head, tree: start }, task)).catch(asLaneFailed);
  const build = async (): Promise<string> => await onLanding(lane, { ...work!, head });
  const begun =
    work === undefined
      ? await begin(tree)
      : await withTree(deps.home, { head, use: startRef(place.number), build }, begin);
  const { plans, hasWritten } = await deps.plans.layOver(place.root);
  lane.base = { head, branch: begun.branch, tree, changed: [], takenAtMs: begun.takenAtMs };
  lane.last = hasWritten ? await snapshot(place.repository, begun) : begun;
  lane.laidPlans = plans;
  await rememberBegun(lane, task);
}

function asLaneFailed(error: unknown): never {
  if (!(error instanceof RalphError) || error instanceof LaneTaken) throw error;
  throw new LaneFailed(error);
}

/** Names the tree with which a lane begins. */
export const startRef = (lane: number): `start-${number}` => `start-${lane}`;

/** The task's work merged onto the landing. If they conflict, the session begins without it and learns where it is. */
async function onLanding(lane: LaneState, work: KeptWork & { readonly head: string }): Promise<string> {
  const { home } = lane.deps;
  const merged = await mergeTrees(home, { base: work.base, ours: work.head, theirs: work.tree });
  if (merged.kind === "clean") return merged.tree;
  lane.lateNotes = [
    ...lane.lateNotes,
    `Your earlier work conflicts with work that landed since, in ${merged.paths.slice(0, 10).join(", ")}. It is not in ` +
      `the files; see it with: git show ${work.commit}`,
  ];
  return (await nameTree(home, work.head, [])).tree;
}
