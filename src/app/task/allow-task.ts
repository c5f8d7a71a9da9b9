import { RalphError } from "../../domain/error.ts";
import { readAttemptRecord } from "../../domain/run/attempt-record.ts";
import type { Task } from "../../domain/task.ts";
import { transition } from "../../domain/transition.ts";
import type { Store } from "../../store/store.ts";

/** T-10: the files, which decide how it is proven, that a parked task asks to change; empty if it asks something else. */
export async function askedPaths(store: Store, { id, status }: Task): Promise<readonly string[]> {
  if (status !== "parked") return [];
  const last = (await store.attempts(id)).findLast(({ outcome }) => outcome !== undefined);
  return last?.outcome === "parked" ? (readAttemptRecord(last.details)?.ask?.paths ?? []) : [];
}

/** What a person can allow, also after a rejection because of files that nobody had allowed; empty: nothing. */
export const offeredPaths = async (store: Store, task: Task): Promise<readonly string[]> =>
  task.status === "pending" || task.status === "failed"
    ? await rejectedPaths(store, task)
    : await askedPaths(store, task);

/** The same for a person who wants to allow it. */
export async function pathsToAllow(store: Store, task: Task): Promise<readonly string[]> {
  const paths = await offeredPaths(store, task);
  if (paths.length > 0) return paths;
  // A task that is not parked says so itself.
  transition(task, { kind: "allow", paths }, "person");
  throw new RalphError("usage", `${task.id} does not ask to change files that decide its proof`, {
    hint: `Answer its question: ralphctl task answer ${task.id} TEXT`,
  });
}

async function rejectedPaths(store: Store, { id }: Task): Promise<readonly string[]> {
  const last = (await store.attempts(id)).findLast(({ outcome }) => outcome !== undefined);
  return last?.outcome === "rejected" ? (readAttemptRecord(last.details)?.ask?.paths ?? []) : [];
}

/** The next run verifies the work of the task, which may change these files now. */
export async function allowPaths(store: Store, task: Task, paths: readonly string[]): Promise<Task> {
  const { id, mayChange, status } = task;
  // After a crash in between, the question is still there.
  await store.update(id, { mayChange: [...mayChange, ...paths] }, "person");
  if (status === "parked") return await store.change(id, { kind: "allow", paths }, "person");
  if (status === "failed") await store.change(id, { kind: "reset" }, "person");
  await store.note(id, { by: "person", kind: "allow", text: paths.join(", ") });
  return (await store.get(id))!;
}
