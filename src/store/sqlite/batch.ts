import { type ChildCounts, countChildren, rollUp } from "../../domain/dag.ts";
import { isSettled, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import { refuseCycle } from "./batch-cycle.ts";
import { type Groups, grouped, type Shape, type ExistingTasks } from "./batch-shape.ts";

/** The derived values of each new task; `counts`: of its children, and of those that failed, are in progress, done, dropped. */
export type Worked = (index: number) => {
  readonly status: TaskStatus;
  readonly blockers: number;
  readonly counts: readonly number[];
};

const NO_CHILDREN = [0, 0, 0, 0, 0];

/** Computes all derived values of a batch first, so that each row is written once. */
export function workOut(shape: Shape, around: ExistingTasks): Worked {
  const children = childrenOf(shape);
  refuseCycle(shape, children, around);
  const { status, counts } = statusesOf(shape, children);
  const blockers = blockersOf(shape, { children, status, around });
  return (index) => {
    const found = counts.get(index);
    return {
      status: taskStatuses[status[index]!]!,
      blockers: blockers[index]!,
      counts: found ? [found.children, found.failed, found.inProgress, found.done, found.dropped] : NO_CHILDREN,
    };
  };
}

const childrenOf = ({ first, count, parents }: Shape): Groups =>
  grouped(count, count, (index) => (parents[index]! >= first ? parents[index]! - first : -1));

/** Parents before their children. */
function topDown({ first, count, parents }: Shape, { from, list }: Groups): Int32Array {
  const order = new Int32Array(count);
  let end = 0;
  for (let index = 0; index < count; index++) if (parents[index]! < first) order[end++] = index;
  for (let at = 0; at < end; at++) {
    for (let child = from[order[at]!]!; child < from[order[at]! + 1]!; child++) order[end++] = list[child]!;
  }
  return order;
}

function statusesOf(shape: Shape, children: Groups): { status: Uint8Array; counts: Map<number, ChildCounts> } {
  const status = shape.own.slice();
  const counts = new Map<number, ChildCounts>();
  for (const index of topDown(shape, children).reverse()) {
    const below = children.list.subarray(children.from[index], children.from[index + 1]);
    if (below.length === 0) continue;
    const found = countChildren(Array.from(below, (child) => taskStatuses[status[child]!]!));
    counts.set(index, found);
    const isSettledBelow = found.done + found.dropped === found.children;
    const isLeaf = shape.works[index] === 2 || (shape.works[index] === 1 && isSettledBelow);
    if (!isLeaf) status[index] = taskStatuses.indexOf(rollUp(found));
  }
  return { status, counts };
}

function blockersOf(
  shape: Shape,
  { children, status, around }: { children: Groups; status: Uint8Array; around: ExistingTasks },
): Int32Array {
  const { first, count, parents, needs, needFrom } = shape;
  const blockers = new Int32Array(count);
  const isOpen = (seq: number): boolean =>
    !isSettled(seq < first ? around.find(seq).status : taskStatuses[status[seq - first]!]!);
  for (const index of topDown(shape, children)) {
    for (let at = needFrom[index]!; at < needFrom[index + 1]!; at++) if (isOpen(needs[at]!)) blockers[index]! += 1;
    const parent = parents[index]!;
    const isHeld = parent >= first ? blockers[parent - first]! > 0 : parent > 0 && around.find(parent).isHeldBack;
    if (isHeld) blockers[index]! += 1;
  }
  return blockers;
}
