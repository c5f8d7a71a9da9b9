import type { ScopeChoice } from "../../scope/scope.ts";
import type { NewTask } from "../../domain/task-input.ts";
import type { Task } from "../../domain/task.ts";
import { type Caller, scopeOf, writing } from "./caller.ts";

export interface AddRequest {
  /** What it needs and its parent may be the beginnings of ids. */
  readonly task: Omit<NewTask, "scope" | "id">;
  readonly scope: ScopeChoice;
}

/** Adds one task, to the workspace's own where no scope was named. */
export async function addTask({ task, scope }: AddRequest, caller: Caller): Promise<Task> {
  return await writing(caller, async ({ store, place }) => {
    const key = (await scopeOf(scope, caller, place.root)) ?? "workspace";
    const needs = await Promise.all((task.needs ?? []).map((need) => store.resolve(need)));
    const parent = task.parent === undefined ? undefined : await store.resolve(task.parent);
    const [id] = await store.add([{ ...task, scope: key, needs, parent }]);
    return (await store.get(id!))!;
  });
}
