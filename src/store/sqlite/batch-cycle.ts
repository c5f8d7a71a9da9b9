import { endOf, findCycle, startOf, taskOf } from "../../domain/dag.ts";
import { cycleError } from "../task-errors.ts";
import { type Groups, grouped, type Shape, type ExistingTasks } from "./batch-shape.ts";

/** Refuses a batch with a cycle, and names the cycle. Fast if there is none, which is the common case. */
export function refuseCycle(shape: Shape, children: Groups, around: ExistingTasks): void {
  if (around.next === undefined && canAllEnd(shape, children)) return;
  const { first, count, parents } = shape;
  const next = (node: number): readonly number[] => {
    const index = taskOf(node) - first;
    if (index < 0) return around.next?.(node) ?? [];
    if (node % 2 === 1) return [node - 1, ...range(children, index).map((child) => endOf(first + child))];
    const waits = needsOf(shape, index).map(endOf);
    return parents[index] === 0 ? waits : [...waits, startOf(parents[index]!)];
  };
  const ends = function* (): Iterable<number> {
    for (let index = 0; index < count; index++) yield endOf(first + index);
  };
  const cycle = findCycle(ends(), next);
  if (cycle) throw cycleError(cycle, (seq) => around.idOf(seq));
}

/**
 * Lets each node go as soon as all that it waits for has gone; a node that is left over is on a cycle or behind one.
 * The nodes are those of the wait graph, counted from 0: even starts, odd ends.
 */
function canAllEnd(shape: Shape, children: Groups): boolean {
  const { first, count, parents, needs, needFrom } = shape;
  const dependents = dependentsOf(shape);
  const left = new Int32Array(count * 2);
  const queue = new Int32Array(count * 2);
  let end = 0;
  for (let index = 0; index < count; index++) {
    let waits = parents[index]! >= first ? 1 : 0;
    for (let at = needFrom[index]!; at < needFrom[index + 1]!; at++) if (needs[at]! >= first) waits++;
    left[index * 2] = waits;
    left[index * 2 + 1] = 1 + children.from[index + 1]! - children.from[index]!;
    if (waits === 0) queue[end++] = index * 2;
  }
  const release = (node: number): void => {
    if (--left[node]! === 0) queue[end++] = node;
  };
  for (let at = 0; at < end; at++) {
    const node = queue[at]!;
    const index = node >> 1;
    const isEnd = node % 2 === 1;
    const group = isEnd ? dependents : children;
    for (let member = group.from[index]!; member < group.from[index + 1]!; member++) release(group.list[member]! * 2);
    if (!isEnd) release(node + 1);
    else if (parents[index]! >= first) release((parents[index]! - first) * 2 + 1);
  }
  return end === count * 2;
}

/** For each new task the new ones that need it. */
function dependentsOf({ first, count, needs, needFrom }: Shape): Groups {
  const byNeed = grouped(count, needs.length, (at) => (needs[at]! >= first ? needs[at]! - first : -1));
  const blocked = new Int32Array(needs.length);
  for (let index = 0; index < count; index++) blocked.fill(index, needFrom[index], needFrom[index + 1]);
  return { from: byNeed.from, list: byNeed.list.map((at) => blocked[at]!) };
}

const range = ({ from, list }: Groups, group: number): number[] =>
  Array.from(list.subarray(from[group], from[group + 1]));

const needsOf = ({ needs, needFrom }: Shape, index: number): number[] =>
  Array.from(needs.subarray(needFrom[index], needFrom[index + 1]));
