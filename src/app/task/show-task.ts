import type { Task, TaskId } from "../../domain/task.ts";
import type { Attempt, LogEntry, Store } from "../../store/store.ts";
import type { Standing } from "../../domain/standing.ts";
import { landedAt } from "../../loop/landed-at.ts";
import { refsWith } from "../../system/git/ref.ts";
import { withLanding } from "../branches-behind.ts";
import { standingsOf } from "./standing-of.ts";
import { type Caller, reading } from "./caller.ts";

export type { Attempt, LogEntry } from "../../store/store.ts";

/** Everything about a task. */
export interface TaskView {
  readonly task: Task;
  /** How surely it is done; undefined if it is not, or if its children decide. */
  readonly standing: Standing | undefined;
  /** Its commit, and whether the branch has it; undefined: none is known. */
  readonly landed: LandedTask | undefined;
  /** Ids of all tasks that need it. */
  readonly dependents: readonly TaskId[];
  readonly attempts: readonly Attempt[];
  readonly log: readonly LogEntry[];
  /** Related tasks, for display. */
  readonly parent: Task | undefined;
  readonly needed: readonly Task[];
  readonly neededBy: readonly Task[];
  readonly children: readonly Task[];
  readonly hasMoreChildren: boolean;
}

/** More neighbours than this are only counted. */
const NEIGHBOURS = 50;

export async function showTask(text: string, caller: Caller): Promise<TaskView> {
  return await reading(caller, async ({ store, place: { root } }) => {
    const id = await store.resolve(text);
    const task = (await store.get(id))!;
    const dependents = await store.dependents(id);
    const [parent] = await all(store, task.parent === undefined ? [] : [task.parent]);
    const children = await store.list({ parent: id }, { limit: NEIGHBOURS });
    return {
      task,
      standing: (await standingsOf(store, [task])).get(id),
      landed: task.status === "done" ? await landedTask(store, caller, { id, root }) : undefined,
      dependents,
      attempts: await store.attempts(id),
      log: await store.log(id),
      parent,
      needed: await all(store, task.needs),
      neededBy: await all(store, dependents),
      children: children.tasks,
      hasMoreChildren: children.cursor !== undefined,
    };
  });
}

export interface LandedTask {
  readonly commit: string;
  readonly branch: string;
  readonly isOnBranch: boolean;
}

/** L-24: work that landed may not be on the person's branch yet. */
async function landedTask(
  store: Store,
  { env }: Caller,
  { id, root }: { readonly id: TaskId; readonly root: string },
): Promise<LandedTask | undefined> {
  const landed = await landedAt(store, id);
  if (landed === undefined) return undefined;
  const { ref, commit } = landed;
  return await withLanding({ folder: root, env }, async (home) => {
    const [, branch] = /^refs\/ralph\/target\/(.+)$/.exec(ref) ?? [];
    if (branch === undefined) return undefined;
    const refs = await refsWith(home, commit, ["refs/heads", ref]);
    const heads = refs.filter((name) => name.startsWith("refs/heads/")).map((name) => name.slice("refs/heads/".length));
    if (refs.length === 0) return undefined;
    return { commit, branch: heads.includes(branch) ? branch : (heads[0] ?? branch), isOnBranch: heads.length > 0 };
  });
}

const all = async (store: Store, ids: readonly TaskId[]): Promise<Task[]> =>
  (await Promise.all(ids.slice(0, NEIGHBOURS).map((id) => store.get(id)))).filter((task) => task !== undefined);
