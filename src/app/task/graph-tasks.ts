import type { ScopeChoice } from "../../scope/scope.ts";
import type { GraphTask, TaskGraph } from "../../domain/graph/graph.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import { stateOf } from "../../domain/task-state.ts";
import type { Store } from "../../store/store.ts";
import { type Caller, reading, scopesOf } from "./caller.ts";

/** The graph of one or all scopes, with blockers in other scopes, so that every edge has both ends. */
export async function graphTasks(scope: ScopeChoice, caller: Caller): Promise<TaskGraph> {
  return await reading(
    caller,
    async ({ store, place }) => await graphOf(store, await scopesOf(scope, caller, place.root)),
  );
}

/** `scopes`: undefined means all. */
export async function graphOf(store: Store, scopes: readonly string[] | undefined): Promise<TaskGraph> {
  const tasks: GraphTask[] = [];
  for await (const task of store.each({ scopes })) tasks.push(graphTask(task));
  const known = new Set<TaskId>(tasks.map(({ id }) => id));
  const foreign = new Set(tasks.flatMap(({ needs }) => needs.filter((need) => !known.has(need))));
  for (const id of foreign) {
    const task = await store.get(id);
    if (task !== undefined) tasks.push(graphTask(task));
  }
  return { tasks, hasScopes: new Set(tasks.map((task) => task.scope)).size > 1 };
}

/** Without the long texts: a picture of a hundred thousand tasks must fit into memory. */
const graphTask = (task: Task): GraphTask => ({
  id: task.id,
  title: task.title,
  state: stateOf(task),
  scope: task.scope,
  parent: task.parent,
  needs: task.needs,
});
