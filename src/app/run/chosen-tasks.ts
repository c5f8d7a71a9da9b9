import { RalphError } from "../../domain/error.ts";
import { isUnfinished, type Task, type TaskId } from "../../domain/task.ts";
import type { Store } from "../../store/store.ts";
import { scopeFlag, describeScope } from "../../domain/scope-name.ts";

/** The open leaves of ids or prefixes (P-02), and a notice about each finished task. A parent stands for its leaves. */
export async function chosenTasks(store: Store, scope: string, texts: readonly string[]) {
  const open = new Set<TaskId>();
  const finished = new Map<TaskId, string>();
  for (const text of texts) {
    const task = (await store.get(await store.resolve(text)))!;
    if (task.scope !== scope) throw wrongScope(task, scope, "the run");
    const leaves = await openLeaves(store, task);
    for (const id of leaves) open.add(id);
    if (leaves.length === 0) finished.set(task.id, notice(task));
  }
  return { open: [...open], notices: [...finished.values()], finished: [...finished.keys()] };
}

/** The task itself, or its open subtasks, and parents that have to pass gates of their own when these are done (T-13). */
export async function openLeaves(store: Store, task: Task): Promise<TaskId[]> {
  const tasks = task.isParent ? (await store.tree({ root: task.id })).map((entry) => entry.task) : [task];
  return tasks.filter((one) => (!one.isParent || one.gates.length > 0) && isUnfinished(one)).map(({ id }) => id);
}

const notice = ({ id, title, status }: Task): string =>
  status === "failed" ? `${id} (${title}) has failed` : `${id} (${title}) is already ${status}`;

/** A task of another scope than the one that `what` is about. */
export function wrongScope({ id, scope }: Task, asked: string, what: string): RalphError {
  const flag = scopeFlag(scope).trim();
  return new RalphError(
    "usage",
    `${id} belongs to ${describeScope(scope)}, but ${what} is about ${describeScope(asked)}`,
    { hint: flag === "" ? `Remove${scopeFlag(asked)}` : `Use ${flag}` },
  );
}
