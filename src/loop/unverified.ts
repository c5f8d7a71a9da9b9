import type { Store } from "../store/store.ts";
import { idsIn, type Task, type TaskId } from "../domain/task.ts";
import type { RunDeps } from "./run-deps.ts";

// P-19: the store remembers tasks that were done without proof, so that no later run calls them verified.

/** Called before the task is settled: readers ignore a task that is not done. */
export async function rememberUnverified(store: Store, { id, scope }: Pick<Task, "id" | "scope">): Promise<void> {
  await store.updateMeta(keyOf(scope), (before) => [...new Set([...idsIn(before), id])]);
}

/** Call this when a gate has proven the tasks. */
export async function forgetUnverified(store: Store, scope: string, ids: readonly TaskId[]): Promise<void> {
  const known = idsIn(await store.getMeta(keyOf(scope)));
  if (!known.some((id) => ids.includes(id))) return;
  await store.updateMeta(keyOf(scope), (before) => idsIn(before).filter((id) => !ids.includes(id)));
}

interface About {
  readonly deps: Pick<RunDeps, "store" | "scope">;
  readonly only: readonly TaskId[] | undefined;
}

/** Tasks of the run that were done, now or earlier, and never proven by a gate. */
export async function unverifiedTasks({ deps: { store, scope }, only }: About): Promise<Task[]> {
  const ids = idsIn(await store.getMeta(keyOf(scope))).filter((id) => only?.includes(id) ?? true);
  const tasks = await Promise.all(ids.map((id) => store.get(id)));
  return tasks.filter((task) => task?.status === "done" && task.scope === scope).map((task) => task!);
}

const keyOf = (scope: string): string => `unproven/${scope}`;
