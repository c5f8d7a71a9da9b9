import type { TaskStatus } from "./task.ts";

/** One cycle as a path (a, b, a), or undefined. Iterative: a chain of 200,000 tasks must not overflow the stack. */
export function findCycle<Node>(roots: Iterable<Node>, next: (node: Node) => readonly Node[]): Node[] | undefined {
  const state = new Map<Node, "open" | "clear">();
  for (const root of roots) {
    if (state.has(root)) continue;
    state.set(root, "open");
    const path = [{ node: root, next: next(root), at: 0 }];
    while (path.length > 0) {
      const top = path[path.length - 1]!;
      if (top.at === top.next.length) {
        state.set(top.node, "clear");
        path.pop();
        continue;
      }
      const node = top.next[top.at++]!;
      const seen = state.get(node);
      if (seen === "open") {
        const from = path.findIndex((step) => step.node === node);
        return [...path.slice(from).map((step) => step.node), node];
      }
      if (seen === undefined) {
        state.set(node, "open");
        path.push({ node, next: next(node), at: 0 });
      }
    }
  }
  return undefined;
}

export interface Graph<Node> {
  readonly next: (node: Node) => readonly Node[];
  readonly previous: (node: Node) => readonly Node[];
}

/**
 * A path between two nodes, both included, or undefined.
 * Searches from both ends in turn: a new edge mostly joins a large side and a small one, and the small one ends the search.
 */
export function findPath<Node>(graph: Graph<Node>, from: Node, to: Node): Node[] | undefined {
  const ahead = { came: new Map<Node, Node | undefined>([[from, undefined]]), queue: [from], at: 0 };
  const back = { came: new Map<Node, Node | undefined>([[to, undefined]]), queue: [to], at: 0 };
  if (from === to) return [from];
  const step = (side: typeof ahead, other: typeof ahead, neighbours: readonly Node[]): Node | undefined => {
    const node = side.queue[side.at++]!;
    for (const neighbour of neighbours) {
      if (side.came.has(neighbour)) continue;
      side.came.set(neighbour, node);
      if (other.came.has(neighbour)) return neighbour;
      side.queue.push(neighbour);
    }
    return undefined;
  };
  while (ahead.at < ahead.queue.length && back.at < back.queue.length) {
    const meeting =
      step(ahead, back, graph.next(ahead.queue[ahead.at]!)) ?? step(back, ahead, graph.previous(back.queue[back.at]!));
    if (meeting !== undefined) return [...trace(ahead.came, meeting).reverse(), ...trace(back.came, meeting).slice(1)];
  }
  return undefined;
}

function trace<Node>(came: ReadonlyMap<Node, Node | undefined>, from: Node): Node[] {
  const path = [from];
  for (let node = came.get(from); node !== undefined; node = came.get(node)) path.push(node);
  return path;
}

/** Neighbours of a task, by number. */
export interface TaskLinks {
  readonly needs: (task: number) => readonly number[];
  readonly dependents: (task: number) => readonly number[];
  readonly children: (task: number) => readonly number[];
  readonly parent: (task: number) => number | undefined;
}

/**
 * The graph of waiting. Each task is two nodes: its start, which waits for the end of what it needs and for the start of
 * its parent; and its end, which waits for its start and for the end of its children. A cycle here, and only that, is
 * work that can never begin: so an edge between a task and its ancestor is one, and so are two sections that need each
 * other's entries.
 */
export function waitGraph(links: TaskLinks): Graph<number> {
  const withParent = (nodes: number[], task: number, node: (task: number) => number): number[] => {
    const parent = links.parent(task);
    if (parent !== undefined) nodes.push(node(parent));
    return nodes;
  };
  return {
    next: (node) =>
      isEnd(node)
        ? [startOf(taskOf(node)), ...links.children(taskOf(node)).map(endOf)]
        : withParent(links.needs(taskOf(node)).map(endOf), taskOf(node), startOf),
    previous: (node) =>
      isEnd(node)
        ? withParent(links.dependents(taskOf(node)).map(startOf), taskOf(node), endOf)
        : [endOf(taskOf(node)), ...links.children(taskOf(node)).map(startOf)],
  };
}

export const startOf = (task: number): number => task * 2;
export const endOf = (task: number): number => task * 2 + 1;
export const taskOf = (node: number): number => Math.floor(node / 2);
const isEnd = (node: number): boolean => node % 2 === 1;

/** The tasks of a path through the wait graph, each once in a row. */
export function tasksOnPath(path: readonly number[]): number[] {
  return path.map(taskOf).filter((task, index, all) => index === 0 || task !== all[index - 1]);
}

/** How many children a parent has, and in which of the states that decide its own. */
export interface ChildCounts {
  readonly children: number;
  readonly failed: number;
  readonly inProgress: number;
  readonly done: number;
  readonly dropped: number;
}

/** dag-R3: the status of a parent. Dropped children are settled; all dropped is dropped. The order is the rule. */
export function rollUp(counts: ChildCounts): TaskStatus {
  if (counts.failed > 0) return "failed";
  if (counts.done + counts.dropped === counts.children) return counts.done > 0 ? "done" : "dropped";
  return counts.inProgress > 0 ? "in_progress" : "pending";
}

export function countChildren(statuses: readonly TaskStatus[]): ChildCounts {
  const count = (status: TaskStatus): number => statuses.filter((other) => other === status).length;
  return {
    children: statuses.length,
    failed: count("failed"),
    inProgress: count("in_progress"),
    done: count("done"),
    dropped: count("dropped"),
  };
}

/** The cycle that a new parent would close, as a path that ends where it began. `graph` is without the old parent. */
export function cycleByParent(graph: Graph<number>, child: number, parent: number): number[] | undefined {
  const up = findPath(graph, startOf(parent), startOf(child));
  if (up) return [startOf(child), ...up];
  const down = findPath(graph, endOf(child), endOf(parent));
  return down && [endOf(parent), ...down];
}

/** The links as they would be if the task had no parent. */
export const withoutParent = (links: TaskLinks, task: number): TaskLinks => ({
  ...links,
  parent: (other) => (other === task ? undefined : links.parent(other)),
  children: (other) => links.children(other).filter((child) => child !== task),
});

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
