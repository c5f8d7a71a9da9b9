import { dependentsOf, type GraphTask, labelOf, type TaskGraph } from "./graph.ts";

/** Deeper than this a branch goes on at the left margin: a chain of forty tasks must still fit on a screen. */
const MAX_DEPTH = 12;

interface Step {
  readonly task: GraphTask;
  readonly depth: number;
  /** What stands before the branches of this task. */
  readonly indent: string;
  readonly isLast: boolean;
  /** It was printed at the end of a deep branch, and goes on here. */
  readonly goesOn: boolean;
}

/**
 * The DAG for people: from tasks that need nothing to those that need them. A task whose branch was printed already is
 * referred to. With a stack of its own: a chain may be as long as there are tasks. `more` counts the lines beyond the
 * limit.
 */
export function graphLines(
  graph: TaskGraph,
  limit: number,
): { readonly lines: readonly string[]; readonly more: number } {
  const { tasks } = graph;
  const known = new Set(tasks.map(({ id }) => id));
  const dependents = dependentsOf(tasks);
  const roots = tasks.filter(({ needs }) => !needs.some((need) => known.has(need)));
  const printed = new Set<string>();
  const lines: string[] = [];
  let count = 0;
  const print = (line: () => string): void => {
    if (count++ < limit) lines.push(line());
  };

  const queue: Step[] = roots.map((task) => ({ task, depth: 0, indent: "", isLast: true, goesOn: false }));
  for (const root of queue) {
    const stack = [root];
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      const { task, depth, indent, isLast, goesOn } = step;
      const branch = depth === 0 ? "" : `${indent}${isLast ? "└─ " : "├─ "}`;
      const below = dependents.get(task.id)!;
      const isRepeated = printed.has(task.id) && !goesOn;
      const isDeep = depth === MAX_DEPTH && below.length > 0 && !isRepeated;
      const note = goesOn ? "  (continued)" : isRepeated ? "  (see above)" : isDeep ? "  (continues below)" : "";
      print(() => (isRepeated ? `${branch}${task.id}${note}` : `${branch}${labelOf(task, graph)}${note}`));
      if (isRepeated) continue;
      printed.add(task.id);
      if (isDeep) {
        queue.push({ task, depth: 0, indent: "", isLast: true, goesOn: true });
        continue;
      }
      const inner = depth === 0 ? "" : `${indent}${isLast ? "   " : "│  "}`;
      for (const [index, next] of below.toReversed().entries()) {
        stack.push({ task: next, depth: depth + 1, indent: inner, isLast: index === 0, goesOn: false });
      }
    }
  }
  return { lines, more: Math.max(0, count - limit) };
}
