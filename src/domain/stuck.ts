import { endOf, type Graph, taskOf } from "./dag.ts";

/** For each task that waits, directly or not, for one of the roots to end: which root. A root never waits for itself. */
export function waitersOf(graph: Graph<number>, roots: readonly number[]): Map<number, number> {
  const rootOf = new Map(roots.map((root) => [endOf(root), root]));
  const queue = [...rootOf.keys()];
  const why = new Map<number, number>();
  for (const node of queue) {
    const root = rootOf.get(node)!;
    const news = graph.previous(node).filter((before) => !rootOf.has(before));
    for (const before of news) {
      rootOf.set(before, root);
      queue.push(before);
      if (!why.has(taskOf(before)) && taskOf(before) !== root) why.set(taskOf(before), root);
    }
  }
  return why;
}
