import type { TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import type { RunDeps } from "./run-deps.ts";

interface Landed {
  readonly ref: string;
  readonly commit: string;
}

/** Called before the task is settled: readers ignore a task that is not done. */
export async function rememberLanded(
  { deps }: { readonly deps: Pick<RunDeps, "store" | "target"> },
  task: TaskId,
  commit: string,
): Promise<void> {
  await deps.store.setMeta(keyOf(task), { ref: deps.target.ref, commit } satisfies Landed);
}

/** The commit of a task, and the ref on which it landed; undefined if none is known. */
export async function landedAt(store: Store, task: TaskId): Promise<Landed | undefined> {
  const { ref, commit } = ((await store.getMeta(keyOf(task))) ?? {}) as Partial<Record<keyof Landed, unknown>>;
  return typeof ref === "string" && typeof commit === "string" ? { ref, commit } : undefined;
}

const keyOf = (task: TaskId): string => `landed/${task}`;
