import type { Task } from "../domain/task.ts";
import { type Running, warn } from "./running.ts";
import { lookAgain } from "./work-tree.ts";

/** Takes back a mark that stood for a proof: the plan file says again what the task is. */
export async function markAsIs(running: Running, task: Task): Promise<void> {
  const { hasChanged, problems } = await running.parts.plans.mark(task, "is");
  for (const text of problems) warn(running, text);
  // What we have just written must not pass for work of the next session.
  if (hasChanged) await lookAgain(running.work);
}
