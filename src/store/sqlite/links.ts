import type { TaskLinks } from "../../domain/dag.ts";
import type { TaskId } from "../../domain/task.ts";
import type { SqliteRow } from "../../system/sqlite-driver.ts";
import { noSuchTask } from "../task-errors.ts";
import { all, type Connection, get } from "./connection.ts";

/** The neighbours of a task, read when needed. */
export const linksOf = (c: Connection): TaskLinks => ({
  needs: (task) => numbers(c, "SELECT blocker AS seq FROM dependency WHERE blocked = ?", task),
  dependents: (task) => numbers(c, "SELECT blocked AS seq FROM dependency WHERE blocker = ?", task),
  children: (task) => numbers(c, "SELECT seq FROM task WHERE parent = ?", task),
  parent: (task) => (get(c, "SELECT parent FROM task WHERE seq = ?", task)?.["parent"] as number | null) ?? undefined,
});

export const idOf = (c: Connection, seq: number): TaskId =>
  get(c, "SELECT id FROM task WHERE seq = ?", seq)?.["id"] as string;

export const findSeq = (c: Connection, id: TaskId): number | undefined =>
  get(c, "SELECT seq FROM task WHERE id = ?", id)?.["seq"] as number | undefined;

export function seqOf(c: Connection, id: TaskId): number {
  const seq = findSeq(c, id);
  if (seq === undefined) throw noSuchTask(id);
  return seq;
}

export function rowOf(c: Connection, id: TaskId): SqliteRow {
  const row = get(c, "SELECT * FROM task WHERE id = ?", id);
  if (row === undefined) throw noSuchTask(id);
  return row;
}

export const lastSeqOf = (c: Connection): number =>
  (get(c, "SELECT max(seq) AS last FROM task")?.["last"] as number | null) ?? 0;

/** It and everything above it. */
export const withAncestors = (c: Connection, seq: number): number[] =>
  numbers(
    c,
    `WITH RECURSIVE up (seq) AS (
       SELECT ? UNION ALL SELECT task.parent FROM up JOIN task ON task.seq = up.seq WHERE task.parent IS NOT NULL
     ) SELECT seq FROM up`,
    seq,
  );

/** It and everything beneath it. */
export const withDescendants = (c: Connection, seq: number): number[] =>
  numbers(
    c,
    `WITH RECURSIVE down (seq) AS (
       SELECT ? UNION ALL SELECT task.seq FROM down JOIN task ON task.parent = down.seq
     ) SELECT seq FROM down`,
    seq,
  );

export const hasDependents = (c: Connection, seq: number): boolean =>
  get(c, "SELECT 1 FROM dependency WHERE blocker = ? LIMIT 1", seq) !== undefined;

const numbers = (c: Connection, sql: string, value: number): number[] =>
  all(c, sql, value).map((row) => row["seq"] as number);
