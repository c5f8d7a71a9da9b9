import { RalphError } from "../../domain/error.ts";
import type { Standing } from "../../domain/standing.ts";
import type { Task } from "../../domain/task.ts";
import { approve } from "../../loop/standing.ts";
import { parentError } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { type Caller, writing } from "./caller.ts";
import { resolveAll } from "./change-tasks.ts";
import { standingsOf } from "./standing-of.ts";

export interface Approved {
  readonly task: Task;
  /** As it stood before. */
  readonly before: Standing;
}

/** T-20: a person has looked at done tasks, and accepts them. Looks all of them up before it approves one. */
export async function approveTasks(ids: readonly string[], caller: Caller): Promise<Approved[]> {
  return await writing(caller, async ({ store }) => {
    const found: Approved[] = [];
    for (const id of await resolveAll(store, ids)) found.push(await doneTask(store, (await store.get(id))!));
    for (const { task } of found) await approve(store, task.id, caller.from ?? "");
    return found;
  });
}

async function doneTask(store: Store, task: Task): Promise<Approved> {
  const before = (await standingsOf(store, [task])).get(task.id);
  if (before !== undefined) return { task, before };
  if (task.isParent) throw parentError(task.id);
  throw new RalphError("usage", `${task.id} is ${task.status.replace("_", " ")}, so there is nothing to approve`, {
    hint: `If it is done, say so: ralphctl task done ${task.id}`,
  });
}
