import { endOf, taskOf, waitGraph } from "../../domain/dag.ts";
import { type CleanTask, cleanTask, type NewTask, oldestFirst } from "../../domain/task-input.ts";
import { type TaskId, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import type { Actor } from "../../domain/transition.ts";
import type { SqliteValue } from "../../system/sqlite-driver.ts";
import { idTaken, unknownNeed, unknownParent } from "../task-errors.ts";
import type { AddOptions, OnExisting } from "../store.ts";
import { type Shape, type ExistingTasks, worksOf } from "./batch-shape.ts";
import { workOut, type Worked } from "./batch.ts";
import { type Connection, get, run } from "./connection.ts";
import { childrenChanged } from "./derive.ts";
import { logAddedAsDone } from "./done.ts";
import { findSeq, hasDependents, idOf, lastSeqOf, linksOf, seqOf, withAncestors } from "./links.ts";
import { detach, isOutdated, overwrite } from "./overwrite.ts";
import { addLog } from "./record.ts";
import { SAID_COLUMNS, saidBy } from "../said-columns.ts";

/** Within a transaction. */
export function addTasks(
  c: Connection,
  inputs: readonly NewTask[],
  { by, ...options }: AddOptions & { readonly by?: Actor | undefined } = {},
): TaskId[] {
  const tasks = inputs.map(cleanTask);
  // Oldest first, because age is the order of entry.
  const added = addClean(c, oldestFirst(tasks), options).ids;
  const ids = tasks.flatMap((task) => added.get(task) ?? []);
  if (by !== undefined) for (const id of ids) addLog(c, seqOf(c, id), { by, kind: "added", text: "" });
  return ids;
}

/**
 * Within a transaction. Removes links before it adds any, so that only the final state can have a cycle. `ids` are those
 * of the new tasks.
 */
export function addClean(c: Connection, inputs: readonly CleanTask[], options: AddOptions) {
  const { fresh, newer, kept } = sortOut(c, inputs, options.onExisting ?? "refuse");
  for (const task of newer) detach(c, task.id!, { parent: task.parent ?? null, needs: task.needs });
  const since = lastSeqOf(c);
  const made = insertAll(c, fresh);
  logAddedAsDone(c, since);
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

export function sortOut(c: Connection, tasks: readonly CleanTask[], onExisting: OnExisting) {
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
  const first = lastSeqOf(c) + 1;
  const numbers = new Map<TaskId, number | undefined>();
  for (const [index, { id }] of tasks.entries()) if (id !== undefined) numbers.set(id, first + index);
  const numberOf = (id: TaskId): number | undefined => {
    if (!numbers.has(id)) numbers.set(id, findSeq(c, id));
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
  const works = Uint8Array.from(tasks, ({ gates, keepsWork }) => worksOf({ hasGates: gates.length > 0, keepsWork }));
  return { first, count: tasks.length, parents, needFrom, needs: Int32Array.from(needs), own, works };
}

const labelOf = (task: CleanTask): string => task.id ?? JSON.stringify(task.title.slice(0, 60));

function surroundings(c: Connection, shape: Shape, label: (seq: number) => TaskId): ExistingTasks {
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

function insertTask(
  c: Connection,
  task: CleanTask,
  { shape, worked, index }: { readonly shape: Shape; readonly worked: Worked; readonly index: number },
): TaskId {
  const now = c.clock();
  const { status, blockers, counts } = worked(index);
  const seq = shape.first + index;
  const links = [seq, null, shape.parents[index]! || null, status, task.status, blockers];
  const times = [task.createdAt ?? now, task.updatedAt ?? task.createdAt ?? now];
  // Higher than that of a removed task with this id; 0 means that another program wrote the row.
  const revision = Math.max(now, 1);
  const values: SqliteValue[] = [...links, ...counts, ...times, revision, ...saidBy(task)];
  for (;;) {
    const id = task.id ?? c.newId();
    values[1] = id;
    if (run(c, INSERT, ...values) === 1) return id;
    // A random id came up twice, which happens a hundred times among a million tasks.
    if (task.id !== undefined) throw idTaken(id);
  }
}

/** Updates existing parents of new tasks. */
function tellOldParents(c: Connection, { first, parents }: Shape, worked: Worked): void {
  const deltas = new Map<number, Record<string, number>>();
  for (const [index, parent] of parents.entries()) {
    if (parent === 0 || parent >= first) continue;
    const delta = deltas.get(parent) ?? { children: 0 };
    const { status } = worked(index);
    delta["children"]! += 1;
    delta[status] = (delta[status] ?? 0) + 1;
    deltas.set(parent, delta);
  }
  for (const [parent, delta] of deltas) childrenChanged(c, parent, delta);
}
