import { endOf, taskOf, waitGraph } from "../../domain/dag.ts";
import { type CleanTask, cleanTask, type NewTask, oldestFirst } from "../../domain/task-input.ts";
import { type TaskId, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import type { Actor } from "../../domain/transition.ts";
import type { SqliteValue } from "../../system/sqlite-driver.ts";
import { idTaken, unknownNeed, unknownParent } from "../task-errors.ts";
import type { AddOptions, OnExisting } from "../store.ts";
import type { Shape, ExistingTasks } from "./batch-shape.ts";
import { workOut, type Worked } from "./batch.ts";
import { type Connection, get, run } from "./connection.ts";
import { childrenChanged } from "./derive.ts";
import { hasDependents, idOf, linksOf, seqOf, withAncestors } from "./links.ts";
import { detach, isOutdated, overwrite } from "./overwrite.ts";
import { addLog } from "./record.ts";
import { SAID_COLUMNS, saidBy } from "./said-columns.ts";

/** Within a transaction. */
export function addTasks(
  c: Connection,
  inputs: readonly NewTask[],
  { by, ...options }: AddOptions & { readonly by?: Actor | undefined } = {},
): TaskId[] {
  const ids = addInAnyOrder(c, inputs.map(cleanTask), options);
  if (by !== undefined) for (const id of ids) addLog(c, seqOf(c, id), { by, kind: "added", text: "" });
  return ids;
}

/** Adds them oldest first, because age is the order of entry. Returns the ids in the order of `tasks`. */
function addInAnyOrder(c: Connection, tasks: readonly CleanTask[], options: AddOptions): TaskId[] {
  const ids = addClean(c, oldestFirst(tasks), options).ids;
  return tasks.flatMap((task) => ids.get(task) ?? []);
}

export interface AddedTasks {
  /** Of the new tasks. */
  readonly ids: ReadonlyMap<CleanTask, TaskId>;
  readonly updated: number;
  readonly kept: number;
}

/** Within a transaction. Removes links before it adds any, so that only the final state can have a cycle. */
export function addClean(c: Connection, inputs: readonly CleanTask[], options: AddOptions): AddedTasks {
  const { fresh, newer, kept } = sortOut(c, inputs, options.onExisting ?? "refuse");
  for (const task of newer) detach(c, task.id!, { parent: task.parent ?? null, needs: task.needs });
  const made = insertAll(c, fresh);
  for (const task of newer) overwrite(c, task);
  const ids = new Map(fresh.map((task, index) => [task, made[index]!]));
  return { ids, updated: newer.length, kept };
}

export function insertAll(c: Connection, tasks: readonly CleanTask[]): TaskId[] {
  const shape = shapeOf(c, tasks);
  const label = (seq: number): TaskId => labelOf(tasks[seq - shape.first]!);
  const worked = workOut(shape, surroundings(c, shape, label));
  const ids = tasks.map((task, index) => insertTask(c, task, { shape, worked, index }));
  for (let index = 0; index < shape.count; index++) {
    for (let at = shape.needFrom[index]!; at < shape.needFrom[index + 1]!; at++) {
      run(c, "INSERT INTO dependency (blocked, blocker) VALUES (?, ?)", shape.first + index, shape.needs[at]!);
    }
  }
  tellOldParents(c, shape, worked);
  return ids;
}

export const nextSeq = (c: Connection): number =>
  get(c, "SELECT coalesce(max(seq), 0) + 1 AS next FROM task")!["next"] as number;

interface SortedOut {
  readonly fresh: readonly CleanTask[];
  readonly newer: readonly CleanTask[];
  readonly kept: number;
}

export function sortOut(c: Connection, tasks: readonly CleanTask[], onExisting: OnExisting): SortedOut {
  const seen = new Set<TaskId>();
  const newer: CleanTask[] = [];
  let kept = 0;
  const isEmpty = get(c, "SELECT 1 FROM task LIMIT 1") === undefined;
  const fresh = tasks.filter((task) => {
    if (task.id === undefined) return true;
    if (seen.has(task.id)) throw idTaken(task.id);
    seen.add(task.id);
    const row = isEmpty || onExisting === "refuse" ? undefined : get(c, "SELECT * FROM task WHERE id = ?", task.id);
    if (row === undefined) return true;
    if (onExisting === "newer" && isOutdated(c, row, task)) newer.push(task);
    else kept += 1;
    return false;
  });
  return { fresh, newer, kept };
}

function shapeOf(c: Connection, tasks: readonly CleanTask[]): Shape {
  const first = nextSeq(c);
  const numbers = new Map<TaskId, number | undefined>();
  for (const [index, { id }] of tasks.entries()) if (id !== undefined) numbers.set(id, first + index);
  const numberOf = (id: TaskId): number | undefined => {
    if (!numbers.has(id))
      numbers.set(id, get(c, "SELECT seq FROM task WHERE id = ?", id)?.["seq"] as number | undefined);
    return numbers.get(id);
  };
  const parents = new Int32Array(tasks.length);
  const needFrom = new Int32Array(tasks.length + 1);
  const needs: number[] = [];
  for (const [index, task] of tasks.entries()) {
    const parent = task.parent === undefined ? 0 : numberOf(task.parent);
    if (parent === undefined) throw unknownParent(labelOf(task), task.parent!);
    parents[index] = parent;
    for (const need of task.needs) {
      const seq = numberOf(need);
      if (seq === undefined) throw unknownNeed(labelOf(task), need);
      needs.push(seq);
    }
    needFrom[index + 1] = needs.length;
  }
  const own = Uint8Array.from(tasks, (task) => taskStatuses.indexOf(task.status));
  return { first, count: tasks.length, parents, needFrom, needs: Int32Array.from(needs), own };
}

const labelOf = (task: CleanTask): string => task.id ?? JSON.stringify(task.title.slice(0, 60));

export function surroundings(c: Connection, shape: Shape, label: (seq: number) => TaskId): ExistingTasks {
  const known = new Map<number, ReturnType<ExistingTasks["find"]>>();
  const find = (seq: number): ReturnType<ExistingTasks["find"]> => {
    const before = known.get(seq);
    if (before !== undefined) return before;
    const row = get(c, "SELECT status, open_blockers FROM task WHERE seq = ?", seq)!;
    const found = { status: row["status"] as TaskStatus, isHeldBack: row["open_blockers"] !== 0 };
    known.set(seq, found);
    return found;
  };
  const name = (seq: number): TaskId => (seq < shape.first ? idOf(c, seq) : label(seq));
  return { find, idOf: name, next: isAwaited(c, shape) ? nextAmongOld(c, shape) : undefined };
}

/** An existing task can wait for a new one only through a parent that some task needs. */
function isAwaited(c: Connection, { first, parents, needs }: Shape): boolean {
  const oldParents = new Set(parents.filter((parent) => parent > 0 && parent < first));
  const above = new Set([...oldParents].flatMap((parent) => withAncestors(c, parent)));
  return [...above].some((seq) => hasDependents(c, seq)) || (above.size > 0 && needs.some((need) => above.has(need)));
}

function nextAmongOld(c: Connection, { first, parents }: Shape): (node: number) => readonly number[] {
  const old = waitGraph(linksOf(c));
  const newEnds = new Map<number, number[]>();
  for (const [index, parent] of parents.entries()) {
    const ends = newEnds.get(parent);
    if (ends === undefined) newEnds.set(parent, [endOf(first + index)]);
    else ends.push(endOf(first + index));
  }
  return (node) => (node % 2 === 0 ? old.next(node) : [...old.next(node), ...(newEnds.get(taskOf(node)) ?? [])]);
}

const COLUMNS = `seq, id, parent, status, own, open_blockers, children, n_failed, n_in_progress, n_done, n_dropped,
  created_at, updated_at, revision, ${SAID_COLUMNS.join(", ")}`;

const INSERT = `INSERT INTO task (${COLUMNS}) VALUES (${COLUMNS.replace(/\w+/g, "?")}) ON CONFLICT (id) DO NOTHING`;

interface Place {
  readonly shape: Shape;
  readonly worked: Worked;
  readonly index: number;
}

function insertTask(c: Connection, task: CleanTask, place: Place): TaskId {
  const { shape, worked, index } = place;
  const values = rowOf(task, {
    seq: shape.first + index,
    now: c.clock(),
    parent: shape.parents[index]! || null,
    ...derivedOf(worked, index),
  });
  for (;;) {
    const id = task.id ?? c.newId();
    values[1] = id;
    if (run(c, INSERT, ...values) === 1) return id;
    // A random id came up twice, which happens a hundred times among a million tasks.
    if (task.id !== undefined) throw idTaken(id);
  }
}

interface DerivedColumns {
  readonly status: TaskStatus;
  readonly blockers: number;
  readonly counts: readonly number[];
}

const NO_CHILDREN = [0, 0, 0, 0, 0];

export function derivedOf(worked: Worked, index: number): DerivedColumns {
  const counts = worked.counts(index);
  return {
    status: worked.status(index),
    blockers: worked.blockers(index),
    counts: counts ? [counts.children, counts.failed, counts.inProgress, counts.done, counts.dropped] : NO_CHILDREN,
  };
}

/** The values of `COLUMNS`. */
function rowOf(
  task: CleanTask,
  more: DerivedColumns & { readonly seq: number; readonly now: number; readonly parent: SqliteValue },
): SqliteValue[] {
  return [
    more.seq,
    task.id ?? null,
    more.parent,
    more.status,
    task.status,
    more.blockers,
    ...more.counts,
    task.createdAt ?? more.now,
    task.updatedAt ?? task.createdAt ?? more.now,
    // Higher than that of a removed task with this id; 0 means that another program wrote the row.
    Math.max(more.now, 1),
    ...saidBy(task),
  ];
}

/** Updates existing parents of new tasks. */
export function tellOldParents(c: Connection, { first, parents }: Shape, worked: Worked): void {
  const deltas = new Map<number, Record<string, number>>();
  for (const [index, parent] of parents.entries()) {
    if (parent === 0 || parent >= first) continue;
    const delta = deltas.get(parent) ?? { children: 0 };
    const status = worked.status(index);
    delta["children"]! += 1;
    delta[status] = (delta[status] ?? 0) + 1;
    deltas.set(parent, delta);
  }
  for (const [parent, delta] of deltas) childrenChanged(c, parent, delta);
}
