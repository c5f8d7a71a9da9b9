import type { TaskId } from "../task.ts";
import type { TaskState } from "../task-state.ts";
import type { GraphTask } from "./graph.ts";

/** A task of a picture, with all that is folded in it. */
export interface FoldedTask extends GraphTask {
  /** How many tasks are folded in it, and how many of these are in each state; undefined: none are. */
  readonly inside?: { readonly count: number; readonly states: ReadonlyMap<TaskState, number> };
  /** It has parts, which are shown. */
  readonly isOpen?: true;
}

/**
 * Puts the parts of every parent into it, but for those that are open. What a part needs, or what needs it, is then said of
 * the parent.
 */
export function folded(tasks: readonly GraphTask[], isOpen: (id: TaskId) => boolean): FoldedTask[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const parents = new Set(tasks.flatMap(({ parent }) => (parent !== undefined && byId.has(parent) ? [parent] : [])));
  const shownAs = shownIn(byId, isOpen);
  const states = new Map<TaskId, Map<TaskState, number>>();
  const needs = new Map<TaskId, Set<TaskId>>();
  for (const task of tasks) {
    const place = shownAs(task.id);
    const all = needs.get(place) ?? new Set();
    for (const need of task.needs) if (byId.has(need) && shownAs(need) !== place) all.add(shownAs(need));
    needs.set(place, all);
    if (place === task.id || parents.has(task.id)) continue;
    const counts = states.get(place) ?? new Map<TaskState, number>();
    states.set(place, counts.set(task.state, (counts.get(task.state) ?? 0) + 1));
  }
  return tasks
    .filter(({ id }) => shownAs(id) === id)
    .map((task) => {
      const counts = states.get(task.id);
      const count = counts === undefined ? 0 : [...counts.values()].reduce((sum, each) => sum + each, 0);
      return Object.assign(
        { ...task, needs: [...needs.get(task.id)!].filter((need) => !isAbove(need, task.id, byId)) },
        counts !== undefined && { inside: { count, states: counts } },
        parents.has(task.id) && isOpen(task.id) && { isOpen: true as const },
      );
    });
}

/** Below the highest parent that is not open, a task is in that one. */
function shownIn(byId: ReadonlyMap<TaskId, GraphTask>, isOpen: (id: TaskId) => boolean): (id: TaskId) => TaskId {
  const known = new Map<TaskId, TaskId>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    let place = id;
    for (const above of ancestors(id, byId)) if (!isOpen(above)) place = above;
    known.set(id, place);
    return place;
  };
}

function* ancestors(id: TaskId, byId: ReadonlyMap<TaskId, GraphTask>): Iterable<TaskId> {
  const seen = new Set([id]);
  for (let above = byId.get(id)?.parent; above !== undefined && byId.has(above) && !seen.has(above);) {
    yield above;
    seen.add(above);
    above = byId.get(above)?.parent;
  }
}

const isAbove = (id: TaskId, below: TaskId, byId: ReadonlyMap<TaskId, GraphTask>): boolean =>
  [...ancestors(below, byId)].includes(id);
