import { matchesAny } from "../domain/glob.ts";
import { isSettled, type Task, type TaskId } from "../domain/task.ts";
import type { Lane } from "../lane/lane.ts";
import { mergeTrees } from "../system/git/merge-trees.ts";
import { savedRef } from "../system/git/saved-ref.ts";
import { changesBetween, type Snapshot } from "../system/git/snapshot.ts";
import { nameTree } from "../system/git/tree.ts";
import { dropWork, type KeptWork, readWork, renameWork } from "../system/git/work-ref.ts";
import { keepSessionWork, shelveWork } from "./keep-work.ts";
import { laneInScopeOf } from "./open-lane.ts";
import { shelvePlanning } from "./land-plan.ts";
import { asOwnWrite } from "./plan-texts.ts";
import type { RunDeps } from "./run-deps.ts";
import { type LaneState, tell, warn } from "./run-state.ts";
import { followAfter } from "./session-effects.ts";

// L-41: what a session was doing is written down before it starts, so that the next run can keep its work after a kill.

interface Begun {
  /** Undefined for planning. */
  readonly task?: TaskId | undefined;
  /** The landing commit on which it began. */
  readonly head: string;
  /** The plan files that were laid over the lane, by path. */
  readonly plans?: Readonly<Record<string, string>> | undefined;
  /** The files that differed from that commit when planning began: plans and specs of the person. */
  readonly laid?: Snapshot["changed"] | undefined;
}

export async function rememberBegun(lane: LaneState, task: TaskId | undefined): Promise<void> {
  // The loan of the person's tree has a record of its own.
  if (lane.place.number === 0) return;
  const common = { head: lane.base.head!, plans: Object.fromEntries(lane.laidPlans) };
  const begun: Begun = task === undefined ? { ...common, laid: lane.last.changed } : { ...common, task };
  await lane.deps.store.setMeta(keyOf(lane), begun);
}

export async function forgetBegun(lane: LaneState): Promise<void> {
  await lane.deps.store.setMeta(keyOf(lane), undefined);
}

/** P-04: the plan may be incomplete, even if it has tasks. */
export async function wasPlanningKilled(deps: RunDeps, place: Lane): Promise<boolean> {
  const begun = await readBegun({ deps, place });
  return begun !== undefined && begun.task === undefined;
}

/** On start: keeps the work that a killed session left in the lane. Returns its task. */
export async function rescueWork(found: LaneState): Promise<Task | undefined> {
  const { deps, place } = found;
  const begun = await readBegun(found);
  if (begun === undefined) return undefined;
  const task = begun.task === undefined ? undefined : await deps.store.get(begun.task);
  const lane = task === undefined ? found : laneInScopeOf(found, task);
  const { tree } = await nameTree(deps.home, begun.head, []);
  const now = await place.collect();
  lane.base = { ...now, head: begun.head, tree, changed: [] };
  if (begun.task === undefined) await rescuePlanning(lane, begun, now);
  else await rescueTask(lane, begun.task, now);
  await rescuePlans(lane, begun);
  await forgetBegun(lane);
  return begun.task === undefined ? undefined : await deps.store.get(begun.task);
}

/** The next attempt begins with the work. */
async function rescueTask(lane: LaneState, id: TaskId, now: Snapshot): Promise<void> {
  const { deps, base, place } = lane;
  const all = await changesBetween(place.repository, base, now);
  const changes = all.filter(({ path }) => !matchesAny(deps.rules.inputs, path));
  if (changes.length === 0 && now.head === base.head) return;
  const task = await deps.store.get(id);
  const assigned = { id, title: task?.title ?? id };
  await keepSessionWork(lane, assigned, { changes, now });
  const work = await readWork(deps.home, id);
  if (work !== undefined && (await hasLanded(lane, work))) {
    // L-23: the agent's own commits stay under a ref of the run.
    if (now.head === base.head) await dropWork(deps.home, id);
    else await renameWork(deps.home, id, savedRef(deps.runId, id));
    return;
  }
  const hasFailed = task?.status === "failed" && !task.retry;
  if (hasFailed) await shelveWork(lane, assigned, "the task failed");
  else if (task === undefined || isSettled(task.status)) await shelveWork(lane, assigned, "the run was killed");
  else tell(lane, `Kept the work of ${id} that a killed session left in lane ${place.number}`);
}

/** Whether the landing has all of the work already. */
async function hasLanded({ deps, run }: LaneState, { base, tree }: KeptWork): Promise<boolean> {
  const merged = await mergeTrees(deps.home, { base, ours: run.landing, theirs: tree });
  return merged.kind === "clean" && merged.tree === (await nameTree(deps.home, run.landing, [])).tree;
}

async function rescuePlanning(lane: LaneState, { laid = [] }: Begun, now: Snapshot): Promise<void> {
  const changes = await changesBetween(lane.place.repository, { ...lane.base, changed: laid }, now);
  if (changes.length > 0) await shelvePlanning(lane, { changes, now }, "the run was killed while planning");
}

/** L-03: the session's edits of plan files count as an agent's. */
async function rescuePlans(lane: LaneState, { plans = {} }: Begun): Promise<void> {
  const { deps, place } = lane;
  const laid = new Map(Object.entries(plans));
  const refused = await asOwnWrite(lane, async () => await deps.plans.bringHome(place.root, laid));
  for (const text of refused) warn(lane, text);
  await followAfter(lane, undefined);
}

const keyOf = ({ deps, place }: Pick<LaneState, "deps" | "place">): string => begunKey(deps, place.number);

/** Where the store has what a lane is doing. */
export const begunKey = ({ target }: Pick<RunDeps, "target">, lane: number): string => `begun/${target.ref}/${lane}`;

async function readBegun(lane: Pick<LaneState, "deps" | "place">): Promise<Begun | undefined> {
  const meta = (await lane.deps.store.getMeta(keyOf(lane))) as Partial<Begun> | undefined;
  return typeof meta?.head === "string" ? { ...meta, head: meta.head } : undefined;
}
