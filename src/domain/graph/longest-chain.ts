import type { Task, TaskId } from "../task.ts";

type Linked = Pick<Task, "id" | "parent" | "needs" | "isParent">;

/**
 * How many of these tasks have to be done one after the other at least. A parent is no work of its own, but lasts until all
 * its parts are done, and they wait for all that it needs.
 */
export function longestChain(tasks: readonly Linked[]): number {
  // The start of a task has an even number, its end the next one.
  const starts = new Map<TaskId, number>(tasks.map(({ id }, at) => [id, 2 * at]));
  const next: number[][] = tasks.flatMap(() => [[], []]);
  const waits = new Uint32Array(next.length);
  const lengths = new Uint32Array(next.length);
  const link = (from: number, to: number): void => {
    next[from]!.push(to);
    waits[to]! += 1;
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
  const free = [...next.keys()].filter((node) => waits[node] === 0);
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    for (const to of next[node]!) {
      const isWork = node % 2 === 0 && to === node + 1 && !tasks[node / 2]!.isParent;
      lengths[to] = Math.max(lengths[to]!, lengths[node]! + (isWork ? 1 : 0));
      waits[to]! -= 1;
      if (waits[to] === 0) free.push(to);
    }
  }
  return lengths.reduce((longest, length) => Math.max(longest, length), 0);
}
