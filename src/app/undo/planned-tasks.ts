import { join, relative, sep } from "node:path";
import type { Task } from "../../domain/task.ts";
import { namesInLine } from "../../domain/verdict-report.ts";
import type { Store } from "../../store/store.ts";
import { type FollowRefusal, refused } from "../../system/git/follow-refusal.ts";
import { readFileAt } from "../../system/git/tree-texts.ts";
import { readPlan, tasksOf } from "../follow-plan.ts";
import { type PlanFile, planFile } from "../plan-file.ts";
import type { UndoPlace } from "./plan-undo.ts";

/** The tasks whose entries a tree has no more. */
export async function tasksGone(
  { store, home, root, head, planFiles }: UndoPlace,
  after: string,
): Promise<Task[] | FollowRefusal> {
  const gone: Task[] = [];
  for (const path of planFiles) {
    const file = planFile({ root, file: relative(root, join(home.folder, path)).split(sep).join("/") });
    const before = await keysIn(file, await readFileAt(home, head, path));
    const left = await keysIn(file, await readFileAt(home, after, path));
    const tasks = before.size === 0 ? [] : await tasksOf(store, file);
    gone.push(...tasks.filter(({ source }) => before.has(source!.key) && !left.has(source!.key)));
  }
  const done = gone.filter(({ status, isParent }) => status === "done" && !isParent);
  if (done.length === 0) return gone;
  const first = `ralphctl undo ${done[0]!.id}`;
  const names = namesInLine(
    done.map(({ id }) => id),
    3,
  );
  return refused(`Work of the plan is done: ${names}`, `Take that back first: ${first}`, [first]);
}

/** With all edges to them: each may need another, and the goal of a sprint needs each. */
export async function removeTasks(store: Store, tasks: readonly Task[]): Promise<void> {
  for (const { id } of tasks) {
    for (const dependent of await store.dependents(id)) await store.removeDependency(dependent, id);
  }
  // One that was beneath another of them has gone with it.
  for (const { id } of tasks) if ((await store.get(id)) !== undefined) await store.remove(id);
}

async function keysIn(file: PlanFile, text: string | undefined): Promise<ReadonlySet<string>> {
  const read = text === undefined ? undefined : await readPlan(file, text);
  return new Set(read !== undefined && "reading" in read ? read.reading.entries.map(({ key }) => key) : []);
}
