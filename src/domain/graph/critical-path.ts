import type { TaskId } from "../task.ts";
import { groupBy } from "../group.ts";
import type { GraphTask } from "./graph.ts";
import { chainsFrom } from "./longest-chain.ts";

const SETTLED = new Set<GraphTask["state"]>(["done", "dropped"]);

/** The open tasks of one longest chain, first to last: the work cannot end sooner than they do. */
export function criticalPath(tasks: readonly GraphTask[]): TaskId[] {
  const open = new Map(tasks.filter(({ state }) => !SETTLED.has(state)).map((task) => [task.id, task]));
  const parents = new Set(Array.from(open.values(), ({ parent }) => parent));
  const chains = chainsFrom(
    Array.from(open.values(), ({ id, parent, needs }) => ({ id, parent, needs, isParent: parents.has(id) })),
  );
  const work = [...open.values()].filter(({ id }) => !parents.has(id));
  const byLength = groupBy(work, ({ id }) => chains.get(id)!);
  const path: GraphTask[] = [];
  const isNext = (task: GraphTask): boolean => {
    const before = path.at(-1);
    return before === undefined || isAfter(task, new Set(withParents(before, open).map(({ id }) => id)), open);
  };
  for (let length = [...byLength.keys()].reduce((most, each) => Math.max(most, each), 0); length > 0; length -= 1) {
    const next = byLength.get(length)?.find(isNext);
    if (next === undefined) break;
    path.push(next);
  }
  return path.map(({ id }) => id);
}

/** A parent lasts until all its parts are done. */
function withParents(task: GraphTask, all: ReadonlyMap<TaskId, GraphTask>): GraphTask[] {
  const found: GraphTask[] = [];
  for (let each: GraphTask | undefined = task; each !== undefined && !found.includes(each);) {
    found.push(each);
    each = each.parent === undefined ? undefined : all.get(each.parent);
  }
  return found;
}

/** A part waits for all that its parents need. */
const isAfter = (task: GraphTask, before: ReadonlySet<TaskId>, all: ReadonlyMap<TaskId, GraphTask>): boolean =>
  withParents(task, all).some(({ needs }) => needs.some((need) => before.has(need)));
