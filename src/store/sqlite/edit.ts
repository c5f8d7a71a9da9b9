import { cycleByParent, endOf, findPath, startOf, waitGraph, withoutParent } from "../../domain/dag.ts";
import { afterLimit } from "../../domain/settlement.ts";
import type { TaskPatch } from "../../domain/task-input.ts";
import { isSettled, type TaskId, type TaskStatus } from "../../domain/task.ts";
import type { Actor } from "../../domain/transition.ts";
import type { SqliteRow } from "../../system/sqlite-driver.ts";
import { columnsOf } from "../said-columns.ts";
import { cycleError, relativeError, neededError, unknownParent } from "../task-errors.ts";
import { all, type Connection, get, run } from "./connection.ts";
import { childrenChanged, isHeldBack, shiftBlockers } from "./derive.ts";
import { findSeq, idOf, linksOf, rowOf, seqOf, withAncestors, withDescendants } from "./links.ts";
import { addLog } from "./record.ts";
import { refuseIfHeld } from "./settle.ts";

/** Within a transaction, like all below. The patch is clean. */
export function editTask(c: Connection, { id, patch, by }: { id: TaskId; patch: TaskPatch; by: Actor }): void {
  const row = rowOf(c, id);
  const seq = row["seq"] as number;
  const { parent, ...fields } = patch;
  for (const [column, value] of columnsOf(fields)) run(c, `UPDATE task SET ${column} = ? WHERE seq = ?`, value, seq);
  touch(c, seq);
  if (patch.attemptLimit !== undefined && row["own"] === "failed") {
    const { retry, retryLimit } = afterLimit({
      attempts: row["attempts"] as number,
      attemptLimit: patch.attemptLimit ?? undefined,
      retry: row["retry"] === 1,
      retryLimit: (row["retry_limit"] as number | null) ?? undefined,
    });
    run(c, "UPDATE task SET retry = ?, retry_limit = ? WHERE seq = ?", retry ? 1 : 0, retryLimit ?? null, seq);
  }
  // With children, gates and its own work decide whose status it shows.
  if (row["children"] !== 0) childrenChanged(c, seq, {});
  if (parent !== undefined) moveTask(c, rowOf(c, id), parent);
  addLog(c, seq, { by, kind: "edited", text: Object.keys(patch).sort().join(", ") });
}

/** Moves a task to another parent, or to none, and updates counts and blockers of both. */
export function moveTask(c: Connection, row: SqliteRow, parent: TaskId | null): void {
  const seq = row["seq"] as number;
  const from = row["parent"] as number | null;
  const to = parent === null ? null : findSeq(c, parent);
  if (to === undefined) throw unknownParent(row["id"] as string, parent!);
  if (from === to) return;
  if (to !== null) {
    const cycle = cycleByParent(waitGraph(withoutParent(linksOf(c), seq)), seq, to);
    if (cycle) throw cycleError(cycle, (task) => idOf(c, task));
  }
  const status = row["status"] as TaskStatus;
  if (from !== null) {
    if (isHeldBack(c, from)) shiftBlockers(c, seq, -1);
    run(c, "UPDATE task SET parent = NULL WHERE seq = ?", seq);
    childrenChanged(c, from, { children: -1, [status]: -1 });
  }
  if (to !== null) {
    childrenChanged(c, to, { children: 1, [status]: 1 });
    run(c, "UPDATE task SET parent = ? WHERE seq = ?", to, seq);
    if (isHeldBack(c, to)) shiftBlockers(c, seq, 1);
  }
}

export function addEdge(c: Connection, id: TaskId, needs: TaskId): void {
  const [blocked, blocker] = [seqOf(c, id), seqOf(c, needs)];
  if (get(c, "SELECT 1 FROM dependency WHERE blocked = ? AND blocker = ?", blocked, blocker)) return;
  const kin = withAncestors(c, blocked).includes(blocker) || withAncestors(c, blocker).includes(blocked);
  if (kin && blocked !== blocker) throw relativeError(id, needs);
  const path = findPath(waitGraph(linksOf(c)), endOf(blocker), startOf(blocked));
  if (path) throw cycleError([startOf(blocked), ...path], (task) => idOf(c, task));
  run(c, "INSERT INTO dependency (blocked, blocker) VALUES (?, ?)", blocked, blocker);
  if (isOpen(c, blocker)) shiftBlockers(c, blocked, 1);
  touch(c, blocked);
}

export function removeEdge(c: Connection, id: TaskId, needs: TaskId): void {
  const [blocked, blocker] = [seqOf(c, id), seqOf(c, needs)];
  const changed = run(c, "DELETE FROM dependency WHERE blocked = ? AND blocker = ?", blocked, blocker);
  if (changed === 0) return;
  if (isOpen(c, blocker)) shiftBlockers(c, blocked, -1);
  touch(c, blocked);
}

/** Removes all with one statement; the rows that refer to them go with them. */
export function removeTask(c: Connection, id: TaskId): number {
  const root = rowOf(c, id);
  const going = withDescendants(c, root["seq"] as number);
  const list = JSON.stringify(going);
  const held =
    "SELECT * FROM task WHERE seq IN (SELECT value FROM json_each(?)) AND lease_until IS NOT NULL ORDER BY seq";
  for (const row of all(c, held, list)) refuseIfHeld(c, row);
  const outside = all(
    c,
    `WITH going (seq) AS MATERIALIZED (SELECT value FROM json_each(?))
     SELECT d.blocker AS blocker, t.id AS id FROM going JOIN dependency AS d ON d.blocker = going.seq
       JOIN task AS t ON t.seq = d.blocked
     WHERE d.blocked NOT IN (SELECT seq FROM going) ORDER BY d.blocker, t.seq LIMIT 10`,
    list,
  );
  const first = outside[0]?.["blocker"] as number | undefined;
  const names = outside.filter((row) => row["blocker"] === first).map((row) => row["id"] as string);
  if (first !== undefined) throw neededError(idOf(c, first), names);
  rememberRemoved(c, list);
  run(c, "DELETE FROM task WHERE seq IN (SELECT value FROM json_each(?))", list);
  const parent = root["parent"] as number | null;
  if (parent !== null) childrenChanged(c, parent, { children: -1, [root["status"] as TaskStatus]: -1 });
  return going.length;
}

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;

/** So that a task that a person removes during a session is not taken for tampering (W-02). */
function rememberRemoved(c: Connection, list: string): void {
  run(c, "DELETE FROM removed WHERE at < ?", c.clock() - REMEMBERED_MS);
  const chosen = "FROM task WHERE seq IN (SELECT value FROM json_each(?))";
  run(c, `INSERT OR REPLACE INTO removed (id, at) SELECT id, ? ${chosen}`, c.clock(), list);
}

const isOpen = (c: Connection, seq: number): boolean =>
  !isSettled(get(c, "SELECT status FROM task WHERE seq = ?", seq)!["status"] as TaskStatus);

function touch(c: Connection, seq: number): void {
  run(c, "UPDATE task SET updated_at = ?, revision = revision + 1 WHERE seq = ?", c.clock(), seq);
}
