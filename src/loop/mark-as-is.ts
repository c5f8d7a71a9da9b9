import type { Task } from "../domain/task.ts";
import { type LaneState, warn } from "./run-state.ts";
import { refresh } from "./work-tree.ts";

/** Takes back a mark that stood for a proof: the plan file says again what the task is. */
export async function markAsIs(lane: LaneState, task: Task): Promise<void> {
  const { hasChanged, problems } = await lane.deps.plans.mark(task, "is");
  for (const text of problems) warn(lane, text);
  // What we have just written must not pass for work of the next session.
  if (hasChanged) await refresh(lane.work);
}
