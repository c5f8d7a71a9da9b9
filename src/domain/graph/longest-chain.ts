import type { Task, TaskId } from "../task.ts";

type Linked = Pick<Task, "id" | "parent" | "needs" | "isParent">;

/** How many of these tasks have to be done one after the other at least. */
export const longestChain = (tasks: readonly Linked[]): number =>
  [...chainsFrom(tasks).values()].reduce((longest, length) => Math.max(longest, length), 0);

/**
 * By task, how many tasks have to be done one after the other from it on, itself included. A parent is no work of its own,
 * but lasts until all its parts are done, and they wait for all that it needs.
 */
export function chainsFrom(tasks: readonly Linked[]): Map<TaskId, number> {
  // The start of a task has an even number, its end the next one.
  const starts = new Map<TaskId, number>(tasks.map(({ id }, at) => [id, 2 * at]));
  const before: number[][] = tasks.flatMap(() => [[], []]);
  const followers = new Uint32Array(before.length);
  const lengths = new Uint32Array(before.length);
  const link = (from: number, to: number): void => {
    before[to]!.push(from);
    followers[from]! += 1;
  };
  tasks.forEach(({ parent, needs }, at) => {
    const start = 2 * at;
    link(start, start + 1);
    for (const need of needs) {
      const needed = starts.get(need);
      if (needed !== undefined) link(needed + 1, start);
    }
    const above = parent === undefined ? undefined : starts.get(parent);
    if (above === undefined) return;
    link(above, start);
    link(start + 1, above + 1);
  });
  const last = [...before.keys()].filter((node) => followers[node] === 0);
  for (let node = last.pop(); node !== undefined; node = last.pop()) {
    for (const from of before[node]!) {
      const isWork = from % 2 === 0 && node === from + 1 && !tasks[from / 2]!.isParent;
      lengths[from] = Math.max(lengths[from]!, lengths[node]! + (isWork ? 1 : 0));
      followers[from]! -= 1;
      if (followers[from] === 0) last.push(from);
    }
  }
  return new Map(tasks.map(({ id }, at) => [id, lengths[2 * at]!]));
}
