import { type CleanTask, cleanTask, type NewTask, oldestFirst } from "../../domain/task-input.ts";
import type { TaskId } from "../../domain/task.ts";
import type { Actor } from "../../domain/transition.ts";
import type { PgRow } from "../../system/postgres.ts";
import { isGone } from "../lease.ts";
import { ADDED_AS_DONE, OVERWRITTEN, storedLease } from "../rows.ts";
import { SAID_COLUMNS, saidBy } from "../said-columns.ts";
import type { AddCounts, AddOptions, OnExisting } from "../store.ts";
import { idTaken, unknownNeed, unknownParent } from "../task-errors.ts";
import { loseLease } from "./claim.ts";
import { all, type Database, get, run } from "./connection.ts";
import { changeLinks, type LinkChange } from "./links.ts";
import { addLog } from "./record.ts";
import { rowOf } from "./rows.ts";

/** Within an edit. */
export async function addTasks(
  c: Database,
  inputs: readonly NewTask[],
  { by, ...options }: AddOptions & { readonly by?: Actor | undefined } = {},
): Promise<TaskId[]> {
  const tasks = inputs.map(cleanTask);
  const { fresh } = await addClean(c, tasks, options);
  const added = new Map(fresh.map(({ task, id, seq }) => [task, { id, seq }]));
  const named = tasks.flatMap((task) => added.get(task) ?? []);
  if (by !== undefined) for (const { seq } of named) await addLog(c, seq, { by, kind: "added", text: "" });
  return named.map(({ id }) => id);
}

export async function addCounted(c: Database, tasks: readonly CleanTask[], options: AddOptions): Promise<AddCounts> {
  const { fresh, newer, kept } = await addClean(c, tasks, options);
  return { added: fresh.length, updated: newer.length, kept };
}

interface Numbered {
  readonly task: CleanTask;
  readonly id: TaskId;
  readonly seq: number;
}

async function addClean(c: Database, inputs: readonly CleanTask[], { onExisting = "refuse", onProgress }: AddOptions) {
  // Oldest first, because age is the order of entry.
  const tasks = oldestFirst(inputs);
  const known = await knownRows(c, tasks);
  const sorted = sortOut(c, tasks, { known, onExisting });
  const fresh = await numbered(c, sorted.fresh);
  const newer = sorted.newer.map((task) => ({ task, id: task.id!, seq: known.get(task.id!)!["seq"] as number }));
  const numbers = new Map([...known].map(([id, row]) => [id, row["seq"] as number]));
  for (const { id, seq } of fresh) numbers.set(id, seq);
  const links = [...fresh, ...newer].map((one) => linksOf(one, numbers));
  for (let from = 0; from < fresh.length; from += PAGE) {
    await insertPage(c, fresh.slice(from, from + PAGE));
    onProgress?.(Math.min(from + PAGE, fresh.length), "written");
  }
  for (const one of newer) await overwrite(c, one);
  // Only what has links: for a new task, to have none is nothing new.
  const isNew = new Set(fresh.map(({ seq }) => seq));
  await changeLinks(
    c,
    links.filter(({ seq, parent, needs }) => !isNew.has(seq) || parent !== null || needs.length > 0),
  );
  return { fresh, newer, kept: sorted.kept };
}

const PAGE = 2000;

/** Of all tasks that these name, as themselves, parents or needs, those that are there. */
async function knownRows(c: Database, tasks: readonly CleanTask[]): Promise<Map<TaskId, PgRow>> {
  const names = new Set(tasks.flatMap(({ id, parent, needs }) => [id ?? [], parent ?? [], needs].flat()));
  if (names.size === 0) return new Map();
  const sql = "SELECT *, @now AS now FROM ralphctl.task WHERE repository = @repo AND id = ANY ($1::text[])";
  return new Map((await all(c, sql, [...names])).map((row) => [row["id"] as string, row]));
}

function sortOut(
  c: Database,
  tasks: readonly CleanTask[],
  { known, onExisting }: { readonly known: ReadonlyMap<TaskId, PgRow>; readonly onExisting: OnExisting },
) {
  const seen = new Set<TaskId>();
  const newer: CleanTask[] = [];
  let kept = 0;
  const fresh = tasks.filter((task) => {
    if (task.id === undefined) return true;
    const row = known.get(task.id);
    if (seen.has(task.id) || (row && onExisting === "refuse")) throw idTaken(task.id);
    seen.add(task.id);
    if (row === undefined) return true;
    if (onExisting === "newer" && isOutdated(c, row, task)) newer.push(task);
    else kept += 1;
    return false;
  });
  return { fresh, newer, kept };
}

/** Whether the task replaces the row: the row is older, nobody works on it, and it has no open verdict. */
const isOutdated = (c: Database, row: PgRow, task: CleanTask): boolean =>
  !isHeld(c, row) && task.updatedAt !== undefined && task.updatedAt > (row["updated_at"] as number);

/** Whether somebody works on it, or it has an open verdict. */
export function isHeld(c: Database, row: PgRow): boolean {
  const lease = storedLease(row);
  return lease !== undefined && (row["has_verdict"] === 1 || !isGone(lease, row["now"] as number, c.isAlive));
}

/** Gives each its number, and an id to those without. */
async function numbered(c: Database, tasks: readonly CleanTask[]): Promise<Numbered[]> {
  if (tasks.length === 0) return [];
  const sql = "UPDATE ralphctl.repository SET last_seq = last_seq + $1 WHERE id = @repo RETURNING last_seq";
  const first = ((await get(c, sql, tasks.length))!["last_seq"] as number) - tasks.length + 1;
  const ids = await newIds(c, tasks);
  return tasks.map((task, index) => ({ task, id: task.id ?? ids.pop()!, seq: first + index }));
}

/** A random id may come up twice. */
async function newIds(c: Database, tasks: readonly CleanTask[]): Promise<TaskId[]> {
  const named = new Set(tasks.flatMap(({ id }) => id ?? []));
  const wanted = tasks.filter(({ id }) => id === undefined).length;
  const found = new Set<TaskId>();
  while (found.size < wanted) {
    const made = new Set(Array.from({ length: wanted - found.size }, () => c.newId()));
    const taken = await all(c, "SELECT id FROM ralphctl.task WHERE repository = @repo AND id = ANY ($1::text[])", [
      ...made,
    ]);
    for (const row of taken) made.delete(row["id"] as string);
    for (const id of made) if (!named.has(id)) found.add(id);
  }
  return [...found];
}

function linksOf({ task, id, seq }: Numbered, numbers: ReadonlyMap<TaskId, number>) {
  const label = task.id ?? JSON.stringify(task.title.slice(0, 60));
  const parent = task.parent === undefined ? null : numbers.get(task.parent);
  if (parent === undefined) throw unknownParent(label, task.parent!);
  const needs = task.needs.map((need) => {
    const number = numbers.get(need);
    if (number === undefined) throw unknownNeed(label, need);
    return number;
  });
  return { seq, id, parent, needs } satisfies LinkChange;
}

const COLUMNS = `seq, id, own, created_at, updated_at, revision, ${SAID_COLUMNS.join(", ")}`;

/** Without links; these come when all are there. */
async function insertPage(c: Database, page: readonly Numbered[]): Promise<void> {
  const now = c.clock!();
  const names = COLUMNS.split(", ");
  const rows = page.map(({ task, id, seq }) => {
    const times = [task.createdAt ?? now, task.updatedAt ?? task.createdAt ?? now];
    // Higher than that of a removed task with this id.
    const values = [seq, id, task.status, ...times, Math.max(now, 1), ...saidBy(task)];
    return Object.fromEntries(names.map((name, index) => [name, values[index]]));
  });
  const from = "json_populate_recordset(NULL::ralphctl.task, $1::json)";
  await run(
    c,
    `INSERT INTO ralphctl.task (repository, ${COLUMNS}) SELECT @repo, ${COLUMNS} FROM ${from}`,
    JSON.stringify(rows),
  );
  // T-15: that a task is done when it is added is the word of the person who adds it.
  const done = page.filter(({ task }) => task.status === "done").map(({ seq }) => seq);
  const log = `INSERT INTO ralphctl.log (repository, task, at, actor, kind, text)
    SELECT @repo, unnest($1::integer[]), @now, 'person', 'complete', $2`;
  if (done.length > 0) await run(c, log, done, ADDED_AS_DONE);
}

/** Replaces the row by the task of the same id. Its age, log and attempts stay. */
async function overwrite(c: Database, { task, id, seq }: Numbered): Promise<void> {
  const held = await rowOf(c, id);
  if (held["lease_until"] !== null) await loseLease(c, held);
  if (held["own"] !== task.status && [held["own"], task.status].includes("done")) {
    await addLog(c, seq, { by: "person", kind: task.status === "done" ? "complete" : "reset", text: OVERWRITTEN });
  }
  const said = SAID_COLUMNS.map((column, index) => `${column} = $${index + 5}`);
  await run(
    c,
    `UPDATE ralphctl.task SET own = $2, created_at = coalesce($3, created_at), updated_at = $4, retry_limit = NULL,
       revision = revision + 1, ${said.join(", ")} WHERE repository = @repo AND seq = $1`,
    seq,
    task.status,
    task.createdAt ?? null,
    task.updatedAt!,
    ...saidBy(task),
  );
}
