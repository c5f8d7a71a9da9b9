import type { Store } from "../store/store.ts";
import { idsIn, type Task, type TaskId } from "../domain/task.ts";
import type { RunDeps } from "./run-deps.ts";

// P-19: what was done without proof is remembered, so that no later run calls it verified.

/** Written before such a task is settled: one that is named here but not done means nothing. */
export async function rememberUnverified(store: Store, { id, scope }: Pick<Task, "id" | "scope">): Promise<void> {
  await store.updateMeta(keyOf(scope), (before) => [...new Set([...idsIn(before), id])]);
}

/** A gate has proven these since. */
export async function forgetUnverified(store: Store, scope: string, ids: readonly TaskId[]): Promise<void> {
  const known = idsIn(await store.getMeta(keyOf(scope)));
  if (!known.some((id) => ids.includes(id))) return;
  await store.updateMeta(keyOf(scope), (before) => idsIn(before).filter((id) => !ids.includes(id)));
}

/** What a run is about. */
interface About {
  readonly deps: Pick<RunDeps, "store" | "scope">;
  readonly only: readonly TaskId[] | undefined;
}

/** Tasks that the run is about, done by it or before it, and never proven by a gate. */
export async function unverifiedTasks({ deps: { store, scope }, only }: About): Promise<Task[]> {
  const ids = idsIn(await store.getMeta(keyOf(scope))).filter((id) => only?.includes(id) ?? true);
  const tasks = await Promise.all(ids.map((id) => store.get(id)));
  return tasks.filter((task) => task?.status === "done" && task.scope === scope).map((task) => task!);
}

const keyOf = (scope: string): string => `unproven/${scope}`;
