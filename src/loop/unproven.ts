import type { Task, TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import { idsIn } from "./id-list.ts";

// P-19: what was done without proof is remembered, so that no later run calls it verified.

/** Written before such a task is settled: one that is named here but not done means nothing. */
export async function rememberUnproven(store: Store, { id, scope }: Pick<Task, "id" | "scope">): Promise<void> {
  await store.updateMeta(keyOf(scope), (before) => [...new Set([...idsIn(before), id])]);
}

/** A gate has proven these since. */
export async function forgetUnproven(store: Store, scope: string, ids: readonly TaskId[]): Promise<void> {
  const known = idsIn(await store.getMeta(keyOf(scope)));
  if (!known.some((id) => ids.includes(id))) return;
  await store.updateMeta(keyOf(scope), (before) => idsIn(before).filter((id) => !ids.includes(id)));
}

/** Tasks of a scope that are done and were never proven by a gate. */
export async function unprovenTasks(store: Store, scope: string): Promise<Task[]> {
  const tasks = await Promise.all(idsIn(await store.getMeta(keyOf(scope))).map((id) => store.get(id)));
  return tasks.filter((task) => task?.status === "done" && task.scope === scope).map((task) => task!);
}

const keyOf = (scope: string): string => `unproven/${scope}`;
