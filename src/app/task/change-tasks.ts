import { sessionOf } from "../../domain/run/session.ts";
import type { TaskPatch } from "../../domain/task-input.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import type { StatusChange } from "../../domain/transition.ts";
import type { Store } from "../../store/store.ts";
import { type Caller, writing } from "./caller.ts";

// A person's hand on the tasks. Ids may be abbreviated; all are looked up before the first task is changed, so that a
// slip of the finger changes nothing. What happened is told task by task: a refusal of the third leaves two changed.

/** Failed, parked, answered, reset or dropped, and recorded as by a person. */
export async function changeTasks(
  { ids, change }: { readonly ids: readonly string[]; readonly change: StatusChange },
  caller: Caller,
  changed: (task: Task) => void,
): Promise<void> {
  await writing(caller, async ({ store }) => {
    for (const id of await resolveAll(store, ids)) changed(await store.change(id, change, "person"));
  });
}

/** The parent in `patch` may be the beginning of an id. */
export async function editTask(id: string, patch: TaskPatch, caller: Caller): Promise<Task> {
  return await writing(caller, async ({ store }) => {
    const parent = typeof patch.parent === "string" ? await store.resolve(patch.parent) : patch.parent;
    const whole = parent === undefined ? patch : { ...patch, parent };
    return await store.update(await store.resolve(id), whole, "person");
  });
}

export interface Removal {
  readonly task: Task;
  /** How many went: the task and all beneath it. */
  readonly removed: number;
}

export async function removeTasks(
  ids: readonly string[],
  caller: Caller,
  removed: (removal: Removal) => void,
): Promise<void> {
  await writing(caller, async ({ store }) => {
    for (const id of await resolveAll(store, ids)) {
      const task = await store.get(id);
      // One that was beneath another of them has gone with it.
      if (task !== undefined) removed({ task, removed: await store.remove(id) });
    }
  });
}

/** Adds a line to a task's log. */
export async function noteTask(text: string, note: string, caller: Caller): Promise<Task> {
  return await writing(caller, async ({ store }) => {
    const id = await store.resolve(text);
    await store.note(id, { by: sessionOf(caller.env) ? "agent" : "person", kind: "note", text: note });
    return (await store.get(id))!;
  });
}

export interface NeedsRequest {
  readonly task: string;
  readonly needs: readonly string[];
  readonly kind: "add" | "remove";
}

/** Adds edges or takes them away, one after the other. Returns the task as it is then. */
export async function changeNeeds(
  request: NeedsRequest,
  caller: Caller,
  changed: (change: { readonly task: TaskId; readonly need: TaskId }) => void,
): Promise<Task> {
  return await writing(caller, async ({ store }) => {
    const id = await store.resolve(request.task);
    for (const need of await resolveAll(store, request.needs)) {
      if (request.kind === "add") await store.addDependency(id, need);
      else await store.removeDependency(id, need);
      changed({ task: id, need });
    }
    return (await store.get(id))!;
  });
}

export const resolveAll = async (store: Store, texts: readonly string[]): Promise<TaskId[]> => [
  ...new Set(await Promise.all(texts.map((text) => store.resolve(text)))),
];
