import type { TaskId } from "../domain/task.ts";
import type { Attempt, Store } from "../store/store.ts";

/** The attempts at a task since a person last reset it or answered its question: those before count no more. */
export async function attemptsSoFar(store: Store, id: TaskId): Promise<Attempt[]> {
  const attempts = await store.attempts(id);
  if (attempts.length === 0) return [];
  const log = await store.log(id, ["reset", "answer"]);
  const since = log.findLast(({ by }) => by === "person")?.at ?? 0;
  return attempts.filter(({ startedAt }) => startedAt >= since);
}
