import { type ChildCounts, countChildren, endOf, findCycle, rollUp, startOf } from "../../domain/dag.ts";
import type { CleanTask } from "../../domain/task-input.ts";
import { isSettled, type TaskId, type TaskStatus } from "../../domain/task.ts";
import { closesCycle, unknownNeed, unknownParent } from "../refusal.ts";

/** What is known of a task that was there before. */
export interface Known {
  readonly seq: number;
  readonly status: TaskStatus;
  readonly isHeldBack: boolean;
}

/** What a batch needs to know of the tasks that are there. */
export interface Surroundings {
  find(id: TaskId): Known | undefined;
  /** What a task that was there waits for; empty when nothing there can come to wait for the batch. */
  next(node: number): readonly number[];
  idOf(seq: number): TaskId;
}

/** A new task with everything that follows from the others worked out. */
export interface Planned {
  readonly task: CleanTask;
  readonly seq: number;
  readonly parent: number | null;
  readonly needs: readonly number[];
  readonly status: TaskStatus;
  readonly openBlockers: number;
  readonly counts: ChildCounts | undefined;
}

/**
 * Works out a whole batch before a row is written, so that each row is written once, as it stays.
 * New tasks are numbered from `firstSeq` on; whatever has a smaller number was there before.
 */
export function planBatch(tasks: readonly CleanTask[], firstSeq: number, around: Surroundings): Planned[] {
  const numbers = new Map<TaskId, number>();
  tasks.forEach((task, index) => {
    if (task.id !== undefined) numbers.set(task.id, firstSeq + index);
  });
  const old = new Map<number, Known>();
  const numberOf = (id: TaskId): number | undefined => {
    const here = numbers.get(id);
    if (here !== undefined) return here;
    const known = around.find(id);
    if (known === undefined) return undefined;
    old.set(known.seq, known);
    numbers.set(id, known.seq);
    return known.seq;
  };
  const label = (index: number): string => tasks[index]!.id ?? `"${tasks[index]!.title.slice(0, 60)}"`;
  const parents = tasks.map(({ parent }, index) =>
    parent === undefined ? null : known(numberOf(parent), () => unknownParent(label(index), parent)),
  );
  const needs = tasks.map((task, index) =>
    task.needs.map((need) => known(numberOf(need), () => unknownNeed(label(index), need))),
  );
  const children = childLists(parents, firstSeq);
  const links = { firstSeq, parents, needs, children };
  const idOf = (seq: number): TaskId => (seq < firstSeq ? around.idOf(seq) : label(seq - firstSeq));
  refuseCycle(links, around, idOf);

  const order = topDown(links);
  const statuses: TaskStatus[] = tasks.map((task) => task.status);
  const counts: (ChildCounts | undefined)[] = Array.from({ length: tasks.length });
  for (const index of order.toReversed()) {
    const below = children[index];
    if (below === undefined) continue;
    counts[index] = countChildren(below.map((child) => statuses[child - firstSeq]!));
    statuses[index] = rollUp(counts[index]);
  }
  const isOpen = (seq: number): boolean =>
    !isSettled(seq < firstSeq ? old.get(seq)!.status : statuses[seq - firstSeq]!);
  const blockers = needs.map((list) => (list.length === 0 ? 0 : list.filter(isOpen).length));
  for (const index of order) {
    const parent = parents[index] ?? null;
    if (parent === null) continue;
    const held = parent < firstSeq ? old.get(parent)!.isHeldBack : blockers[parent - firstSeq]! > 0;
    if (held) blockers[index]! += 1;
  }
  return tasks.map((task, index) => ({
    task,
    seq: firstSeq + index,
    parent: parents[index]!,
    needs: needs[index]!,
    status: statuses[index]!,
    openBlockers: blockers[index]!,
    counts: counts[index],
  }));
}

const NONE: readonly never[] = [];

interface Links {
  readonly firstSeq: number;
  readonly parents: readonly (number | null)[];
  readonly needs: readonly (readonly number[])[];
  readonly children: readonly (readonly number[] | undefined)[];
}

function known(seq: number | undefined, refusal: () => Error): number {
  if (seq === undefined) throw refusal();
  return seq;
}

function childLists(parents: readonly (number | null)[], firstSeq: number): (number[] | undefined)[] {
  const lists: (number[] | undefined)[] = Array.from({ length: parents.length });
  parents.forEach((parent, index) => {
    if (parent === null || parent < firstSeq) return;
    const list = (lists[parent - firstSeq] ??= []);
    list.push(firstSeq + index);
  });
  return lists;
}

/** Parents before their children. */
function topDown({ firstSeq, parents, children }: Links): number[] {
  const order: number[] = [];
  parents.forEach((parent, index) => {
    if (parent === null || parent < firstSeq) order.push(index);
  });
  for (const index of order) for (const child of children[index] ?? NONE) order.push(child - firstSeq);
  return order;
}

function refuseCycle(links: Links, around: Surroundings, idOf: (seq: number) => TaskId): void {
  const { firstSeq, parents, needs, children } = links;
  // A list whose entries need only what stands before them cannot go round, and most lists are like that.
  const isPlain =
    parents.every((parent) => parent === null) &&
    needs.every((list, index) => list.every((need) => need < firstSeq + index));
  if (isPlain) return;
  const next = (node: number): readonly number[] => {
    const index = (node >> 1) - firstSeq;
    if (index < 0) return around.next(node);
    if (node % 2 === 1) return [node - 1, ...(children[index] ?? NONE).map(endOf)];
    const waits = needs[index]!.map(endOf);
    const parent = parents[index] ?? null;
    return parent === null ? waits : [...waits, startOf(parent)];
  };
  const ends = function* (): Iterable<number> {
    for (let index = 0; index < parents.length; index++) yield endOf(firstSeq + index);
  };
  const cycle = findCycle(ends(), next);
  if (cycle) throw closesCycle(cycle, idOf);
}
