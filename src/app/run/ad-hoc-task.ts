import { createHash } from "node:crypto";
import { idsIn, isUnfinished, type Task, type TaskId, type TaskSource } from "../../domain/task.ts";
import { randomId } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";

/** A task that a run makes for itself, of words or of the prompt file. */
export interface AdHocTask {
  readonly scope: string;
  readonly title: string;
  readonly description: string;
  readonly source?: TaskSource;
}

/** Its key, so that the next run with the same text or prompt file finds it. */
export type AdHocTaskKey = { readonly text: string } | "prompt";

/** The unfinished task that an earlier run made of the same, or a new one. */
export async function findOrCreateTask(store: Store, name: AdHocTaskKey, task: AdHocTask) {
  const key = keyOf(task.scope, name);
  const known = await remembered(store, key, task.scope);
  if (known !== undefined && isUnfinished(known)) {
    if (name !== "prompt" || known.title === task.title) return { task: known, isNew: false };
    // The prompt was rewritten.
    return { task: await store.update(known.id, { title: task.title }, "loop"), isNew: false };
  }
  const id = await unusedId(store);
  // Remember the id first: a crash in between leaves an unused id, not an unknown task.
  await store.updateMeta(listKey(task.scope), (before) => [...idsIn(before), id]);
  await store.setMeta(key, id);
  await store.add([{ id, ...task }]);
  return { task: (await store.get(id))!, isNew: true };
}

/** A run that was refused before its first session leaves no task behind. */
export async function removeUnstarted(store: Store, id: TaskId): Promise<void> {
  const task = await store.get(id);
  if (task?.status !== "pending" || (await store.attempts(id)).length > 0) return;
  await store.remove(id);
  await store.updateMeta(listKey(task.scope), (before) => idsIn(before).filter((one) => one !== id));
}

/** The tasks that runs made for themselves in a scope, and which of them is the prompt file's. */
export async function adHocTasks(store: Store, scope: string) {
  const found = await Promise.all((await idsOf(store, scope)).map((id) => store.get(id)));
  const tasks = found.filter((task) => task?.scope === scope).map((task) => task!);
  return { tasks, prompt: (await remembered(store, keyOf(scope, "prompt"), scope))?.id };
}

async function remembered(store: Store, key: string, scope: string): Promise<Task | undefined> {
  const id = await store.getMeta(key);
  const task = typeof id === "string" ? await store.get(id) : undefined;
  // A task that was moved to another scope no longer counts.
  return task?.scope === scope ? task : undefined;
}

const idsOf = async (store: Store, scope: string): Promise<TaskId[]> => idsIn(await store.getMeta(listKey(scope)));

export async function unusedId(store: Store): Promise<TaskId> {
  for (;;) {
    const id = randomId();
    if ((await store.get(id)) === undefined) return id;
  }
}

const listKey = (scope: string): string => `run/own/${scope}`;

function keyOf(scope: string, name: AdHocTaskKey): string {
  if (name === "prompt") return `run/prompt/${scope}`;
  // The length, so that no two pairs read the same.
  const whole = `${scope.length}:${scope}${name.text}`;
  return `run/text/${createHash("sha256").update(whole).digest("hex")}`;
}
