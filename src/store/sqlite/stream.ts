import { RalphError } from "../../domain/error.ts";
import { cleanTask, type CleanTask, type NewTask, oldestFirst } from "../../domain/task-input.ts";
import type { TaskId } from "../../domain/task.ts";
import type { SqliteDatabase } from "../../system/sqlite-driver.ts";
import { idTaken } from "../task-errors.ts";
import type { AddCounts, AddOptions } from "../store.ts";
import { addClean, insertAll, sortOut } from "./add.ts";
import { all, type Connection, patiently, run, statement, transaction, write } from "./connection.ts";
import { moveTask } from "./edit.ts";
import { logAddedAsDone } from "./done.ts";
import { findSeq, lastSeqOf, rowOf } from "./links.ts";
import { attachNeeds, detach, overwrite } from "./overwrite.ts";

export async function addStream(
  c: Connection,
  chunks: AsyncIterable<readonly NewTask[]>,
  options: AddOptions,
): Promise<AddCounts> {
  let tasks: CleanTask[] = [];
  let staged: Stage | undefined;
  let count = 0;
  const spill = async (): Promise<void> => {
    await patiently(c, () => {
      staged ??= openStage(c);
      stage(c, staged, tasks);
    });
    tasks = [];
  };
  try {
    for await (const chunk of chunks) {
      for (const task of chunk) tasks.push(cleanTask(task));
      count += chunk.length;
      if (staged !== undefined || tasks.length > c.streamMemory) await spill();
      options.onProgress?.(count, "read");
    }
    if (staged !== undefined) {
      const table = staged;
      return await write(c, () => addStaged(c, table, options), { durable: true });
    }
    const { ids, updated, kept } = await write(c, () => addClean(c, oldestFirst(tasks), options), { durable: true });
    return { added: ids.size, updated, kept };
  } finally {
    if (staged !== undefined) dropStage(c, staged);
  }
}

/** A temporary table of tasks to be added: on disk, private to this connection, and without a lock. */
interface Stage {
  readonly table: string;
  /** The connection that has it. If the store is restored meanwhile, that is another one, and the table is gone. */
  readonly db: SqliteDatabase;
}

/** A page is in memory several times while it is processed. */
const pageSize = (c: Connection): number => Math.max(1, Math.floor(c.streamMemory / 5));

function openStage(c: Connection): Stage {
  const table = `temp.incoming_${Math.random().toString(36).slice(2)}`;
  c.db.exec(`CREATE TABLE ${table} (
    n INTEGER PRIMARY KEY, id TEXT UNIQUE, at INTEGER NOT NULL, fate TEXT NOT NULL DEFAULT 'new', task TEXT NOT NULL)`);
  return { table, db: c.db };
}

/** Ignores failures: an earlier error matters more, and the table goes with the connection anyway. */
function dropStage(c: Connection, { table, db }: Stage): void {
  if (db !== c.db) return;
  try {
    db.exec(`DROP TABLE IF EXISTS ${table}`);
  } catch {
    // it goes when the store is closed
  }
}

function refuseIfLost(c: Connection, { db }: Stage): void {
  if (db === c.db) return;
  throw new RalphError("io", `The task database \`${c.path}\` was taken away while tasks were read; none was added`, {
    hint: "Add them again: the store itself has been restored",
  });
}

function stage(c: Connection, to: Stage, tasks: readonly CleanTask[]): void {
  refuseIfLost(c, to);
  const { table } = to;
  const insert = `INSERT INTO ${table} (id, at, task) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING`;
  transaction(c, "BEGIN", () => {
    for (const task of tasks) {
      const { changes } = statement(c, insert).run(task.id ?? null, task.createdAt ?? LAST, JSON.stringify(task));
      if (Number(changes) === 0) throw idTaken(task.id!);
    }
  });
}

const LAST = 2 ** 53 - 1;

/** Within a transaction: the same as adding all at once, a page at a time. */
function addStaged(c: Connection, stage: Stage, options: AddOptions): AddCounts {
  refuseIfLost(c, stage);
  const { updated, kept } = sortOutStage(c, stage, options);
  let added = 0;
  const since = lastSeqOf(c);
  for (const tasks of pages(c, stage, "new")) {
    insertPage(c, stage, tasks);
    added += tasks.length;
    options.onProgress?.(added, "written");
  }
  logAddedAsDone(c, since);
  for (const tasks of pages(c, stage, "newer")) for (const task of tasks) overwrite(c, task);
  for (const tasks of pages(c, stage, "late")) for (const task of tasks) linkLate(c, task);
  return { added, updated, kept };
}

/** Handles tasks that exist already. Removes the links they will not have first, so that only the end is checked. */
function sortOutStage(
  c: Connection,
  { table }: Stage,
  { onExisting = "refuse" }: AddOptions,
): Omit<AddCounts, "added"> {
  let [updated, kept] = [0, 0];
  const setFate = `UPDATE ${table} SET fate = ? WHERE id = ?`;
  const known = `SELECT n, task FROM ${table} WHERE n > ? AND id IN (SELECT id FROM task) ORDER BY n LIMIT ${pageSize(c)}`;
  for (let after = 0; ;) {
    const rows = all(c, known, after);
    const tasks = rows.map((row) => JSON.parse(row["task"] as string) as CleanTask);
    const first = tasks[0];
    if (first === undefined) break;
    if (onExisting === "refuse") throw idTaken(first.id!);
    const { newer } = sortOut(c, tasks, onExisting);
    const outdated = new Set(newer.map(({ id }) => id!));
    for (const { id } of tasks) run(c, setFate, outdated.has(id!) ? "newer" : "kept", id!);
    for (const task of newer) detach(c, task.id!, { parent: task.parent ?? null, needs: task.needs });
    updated += newer.length;
    kept += tasks.length - newer.length;
    after = rows.at(-1)!["n"] as number;
  }
  return { updated, kept };
}

/** Tasks with one fate, oldest first. */
function* pages(c: Connection, { table }: Stage, fate: string): Iterable<CleanTask[]> {
  const sql = `SELECT n, at, task FROM ${table} WHERE fate = ? AND (at, n) > (?, ?) ORDER BY at, n LIMIT ${pageSize(c)}`;
  c.db.exec(`CREATE INDEX IF NOT EXISTS ${table}_age ON ${table.replace("temp.", "")} (fate, at, n)`);
  for (let [at, n] = [-LAST, 0]; ;) {
    const rows = all(c, sql, fate, at, n);
    if (rows.length === 0) return;
    [at, n] = [rows.at(-1)!["at"] as number, rows.at(-1)!["n"] as number];
    yield rows.map((row) => JSON.parse(row["task"] as string) as CleanTask);
  }
}

/** Leaves out links to tasks of later pages; `linkLate` adds them when all tasks are there. */
function insertPage(c: Connection, { table }: Stage, tasks: readonly CleanTask[]): void {
  const here = new Set(tasks.map(({ id }) => id));
  const isThere = (id: TaskId): boolean => here.has(id) || findSeq(c, id) !== undefined;
  const linked = tasks.map((task): CleanTask => {
    const needs = task.needs.filter(isThere);
    const parent = task.parent !== undefined && isThere(task.parent) ? task.parent : undefined;
    if (needs.length === task.needs.length && parent === task.parent) return task;
    // `linkLate` finds the task by its id, so it needs one now.
    const id = task.id ?? freshId(c);
    const late = JSON.stringify({ ...task, id });
    run(c, `INSERT INTO ${table} (at, fate, task) VALUES (?, 'late', ?)`, task.createdAt ?? LAST, late);
    return Object.assign({}, task, { id, needs, parent });
  });
  insertAll(c, linked);
}

function freshId(c: Connection): TaskId {
  for (;;) {
    const id = c.newId();
    if (findSeq(c, id) === undefined) return id;
  }
}

function linkLate(c: Connection, { id, parent, needs }: CleanTask): void {
  const row = rowOf(c, id!);
  if (parent !== undefined) moveTask(c, row, parent);
  attachNeeds(c, id!, needs);
  run(c, "UPDATE task SET updated_at = ? WHERE seq = ?", row["updated_at"]!, row["seq"]!);
}
