import { type ChildCounts, rollUp } from "../../domain/dag.ts";
import { isSettled, type TaskStatus } from "../../domain/task.ts";
import type { SqliteRow } from "../../system/sqlite-driver.ts";
import { all, type Connection, get, run, take } from "./connection.ts";
import { hasDependents } from "./links.ts";

/** A change of the status that a task shows. */
export interface Move {
  readonly seq: number;
  readonly parent: number | null;
  readonly from: TaskStatus;
  readonly to: TaskStatus;
}

/** Updates what follows from a new status: dependents, the parent's status, and so on upwards. */
export function moved(c: Connection, first: Move): void {
  for (let move: Move | undefined = first; move !== undefined && move.from !== move.to;) {
    const { seq, parent, from, to }: Move = move;
    if (isSettled(from) !== isSettled(to)) spread(c, seq, isSettled(to) ? -1 : 1);
    move = parent === null ? undefined : countInParent(c, parent, { [from]: -1, [to]: 1 });
  }
}

/** Updates a parent whose children came, went (`children`) or changed, and what follows from its new status. */
export function childrenChanged(c: Connection, parent: number, delta: ChildDelta): void {
  const move = countInParent(c, parent, delta);
  if (move) moved(c, move);
}

type ChildDelta = Partial<Record<TaskStatus | "children", number>>;

const COUNTED = ["children", "failed", "in_progress", "done", "dropped"] as const;

/** Updates the counts of a parent. Returns the change of its status, if any. */
function countInParent(c: Connection, parent: number, delta: ChildDelta): Move | undefined {
  const row = take(
    c,
    `UPDATE task SET children = children + ?, n_failed = n_failed + ?, n_in_progress = n_in_progress + ?,
       n_done = n_done + ?, n_dropped = n_dropped + ?
     WHERE seq = ? RETURNING parent, own, status, is_group, children, n_failed, n_in_progress, n_done, n_dropped`,
    ...COUNTED.map((one) => delta[one] ?? 0),
    parent,
  )!;
  const from = row["status"] as TaskStatus;
  const to = row["is_group"] === 0 ? (row["own"] as TaskStatus) : rollUp(countsIn(row));
  if (from === to) return undefined;
  run(c, "UPDATE task SET status = ? WHERE seq = ?", to, parent);
  return { seq: parent, parent: row["parent"] as number | null, from, to };
}

const countsIn = (row: SqliteRow): ChildCounts => ({
  children: row["children"] as number,
  failed: row["n_failed"] as number,
  inProgress: row["n_in_progress"] as number,
  done: row["n_done"] as number,
  dropped: row["n_dropped"] as number,
});

/** One blocker more or less for all that need this task. */
function spread(c: Connection, blocker: number, delta: 1 | -1): void {
  if (!hasDependents(c, blocker)) return;
  const waiting = "SELECT blocked FROM dependency WHERE blocker = ?";
  run(c, `UPDATE task SET open_blockers = open_blockers + ? WHERE seq IN (${waiting})`, delta, blocker);
  const flipped = `SELECT seq FROM task WHERE seq IN (${waiting}) AND children > 0 AND open_blockers = ?`;
  passDown(c, all(c, flipped, blocker, atFlip(delta)).map(seqOf), delta);
}

/** One blocker more or less for one task, and for what is beneath it. */
export function shiftBlockers(c: Connection, seq: number, delta: 1 | -1): void {
  const sql = "UPDATE task SET open_blockers = open_blockers + ? WHERE seq = ? RETURNING children, open_blockers";
  const row = take(c, sql, delta, seq)!;
  if ((row["children"] as number) > 0 && row["open_blockers"] === atFlip(delta)) passDown(c, [seq], delta);
}

/** These parents became blocked or free, and with them their children, and so on downwards. */
function passDown(c: Connection, parents: number[], delta: 1 | -1): void {
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    run(c, "UPDATE task SET open_blockers = open_blockers + ? WHERE parent = ?", delta, parent);
    const sql = "SELECT seq FROM task WHERE parent = ? AND children > 0 AND open_blockers = ?";
    for (const row of all(c, sql, parent, atFlip(delta))) parents.push(seqOf(row));
  }
}

/** The count right after a task became blocked (from 0 to 1) or free (from 1 to 0). */
const atFlip = (delta: 1 | -1): number => (delta === 1 ? 1 : 0);

const seqOf = (row: SqliteRow): number => row["seq"] as number;

export const isHeldBack = (c: Connection, seq: number): boolean =>
  get(c, "SELECT open_blockers FROM task WHERE seq = ?", seq)?.["open_blockers"] !== 0;
