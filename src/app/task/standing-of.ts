import { type Standing, standingOf } from "../../domain/standing.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import type { Store } from "../../store/store.ts";

export type KnownStandings = ReadonlyMap<TaskId, Standing>;

/** How surely each of these tasks is done; nothing of those that are not, or whose children decide. */
export async function standingsOf(store: Store, tasks: readonly Task[]): Promise<KnownStandings> {
  const only = tasks.filter(({ status }) => status === "done").map(({ id }) => id);
  const found = new Map<TaskId, Standing>();
  if (only.length === 0) return found;
  for await (const task of store.done({ only })) found.set(task.id, standingOf(task));
  return found;
}
