import { isSettled } from "../domain/task.ts";
import { dropCandidates, listCandidates } from "../system/git/remote.ts";
import { dropProving, listProving, listWork } from "../system/git/work-ref.ts";
import { shelveWork } from "./keep-work.ts";
import type { LaneState } from "./run-state.ts";

// F-03: machines of a fleet die in the middle of a task, and another one does it. What they began has no owner then.

/** At the end of a run: candidates on the remote that no open claim has. Those of tasks that nobody here knows stay. */
export async function dropUnowned({ deps }: LaneState): Promise<void> {
  const { remote } = deps.fleet!;
  const unowned = [];
  for (const candidate of await listCandidates(deps.home, remote)) {
    const isKnown = (await deps.store.get(candidate.task)) !== undefined;
    const claims = isKnown ? await deps.store.attempts(candidate.task) : [];
    const isOpen = claims.some(({ fence, endedAt }) => fence === candidate.fence && endedAt === undefined);
    if (isKnown && !isOpen) unowned.push(candidate);
  }
  await dropCandidates(deps.home, remote, unowned);
}

/** Before the work here ends: what this clone has of tasks that others have settled. Unproven work is kept for a person. */
export async function shelveSettled(lane: LaneState): Promise<void> {
  const { home, store } = lane.deps;
  for (const { task: id } of await listWork(home)) {
    const task = await store.get(id);
    if (task !== undefined && isSettled(task.status)) await shelveWork(lane, task, "another machine settled the task");
  }
  for (const id of await listProving(home)) {
    const task = await store.get(id);
    if (task !== undefined && isSettled(task.status)) await dropProving(home, id);
  }
}
