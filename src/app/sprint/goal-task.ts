import { titleFromText } from "../../domain/run/task-title.ts";
import { isSettled, type Task, type TaskId } from "../../domain/task.ts";
import type { Store } from "../../store/store.ts";
import { unusedId } from "../run/ad-hoc-task.ts";

/**
 * The task of a sprint's goal (D-12): it needs every step, and a verified `RALPH_COMPLETE` completes it. A completed goal
 * stays so until the goal changes or new steps are open.
 */
export async function ensureGoalTask(store: Store, scope: string, goal: string): Promise<TaskId> {
  const text = { title: `Goal: ${titleFromText(goal)}`, description: goal.trim() };
  const known = await goalTask(store, scope);
  if (known !== undefined && !isSettled(known.status)) {
    const isSame = known.title === text.title && known.description === text.description;
    return isSame ? known.id : (await store.update(known.id, text, "loop")).id;
  }
  if (known?.description === text.description && !(await hasOpenSteps(store, scope))) return known.id;
  const id = await unusedId(store);
  await store.setMeta(keyOf(scope), id);
  await store.add([{ id, scope, ...text, allowNoChange: true }]);
  return id;
}

/** The goal task of a sprint, if there is one. */
export async function goalTask(store: Store, scope: string): Promise<Task | undefined> {
  const id = await store.getMeta(keyOf(scope));
  const task = typeof id === "string" ? await store.get(id) : undefined;
  return task?.scope === scope ? task : undefined;
}

const keyOf = (scope: string): string => `sprint/goal/${scope}`;

async function hasOpenSteps(store: Store, scope: string): Promise<boolean> {
  const [counts] = await store.counts([scope]);
  if (counts === undefined) return false;
  const { pending, in_progress, parked, failed } = counts.leaves;
  return pending + in_progress + parked + failed > 0;
}
