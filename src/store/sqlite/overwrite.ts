import type { CleanTask } from "../../domain/task-input.ts";
import type { TaskId, TaskStatus } from "../../domain/task.ts";
import type { SqliteRow } from "../../system/sqlite-driver.ts";
import { isGone } from "../lease.ts";
import { unknownNeed } from "../task-errors.ts";
import { loseLease } from "./claim.ts";
import { type Connection, run } from "./connection.ts";
import { childrenChanged, moved } from "./derive.ts";
import { addEdge, moveTask, removeEdge } from "./edit.ts";
import { findSeq, idOf, linksOf, rowOf } from "./links.ts";
import { addLog } from "./record.ts";
import { OVERWRITTEN, storedLease } from "../rows.ts";
import { SAID_COLUMNS, saidBy } from "../said-columns.ts";

/** Whether the task replaces the row: the row is older, nobody works on it, and it has no open verdict. */
export function isOutdated(c: Connection, row: SqliteRow, task: CleanTask): boolean {
  return !isHeld(c, row) && task.updatedAt !== undefined && task.updatedAt > (row["updated_at"] as number);
}

/** Whether somebody works on it, or it has an open verdict. */
export function isHeld(c: Connection, row: SqliteRow): boolean {
  const lease = storedLease(row);
  return lease !== undefined && (row["has_verdict"] === 1 || !isGone(lease, c.clock(), c.isAlive));
}

/** Removes the links that the task will not have. With them gone, only the final state can have a cycle. */
export function detach(
  c: Connection,
  id: TaskId,
  links: { parent?: TaskId | null | undefined; needs?: readonly TaskId[] | undefined },
): void {
  const { seq, parent } = rowOf(c, id) as { seq: number; parent: number | null };
  if (links.needs !== undefined) {
    const wanted = new Set(links.needs);
    const old = linksOf(c).needs(seq);
    for (const need of old.map((other) => idOf(c, other))) if (!wanted.has(need)) removeEdge(c, id, need);
  }
  const isMoving = links.parent !== undefined && parent !== null && idOf(c, parent) !== links.parent;
  if (isMoving) moveTask(c, rowOf(c, id), null);
}

export function attachNeeds(c: Connection, id: TaskId, needs: readonly TaskId[]): void {
  for (const need of needs) {
    if (findSeq(c, need) === undefined) throw unknownNeed(id, need);
    addEdge(c, id, need);
  }
}

/** Replaces the row by the task of the same id. Its age, log and attempts stay. */
export function overwrite(c: Connection, task: CleanTask): void {
  const id = task.id!;
  const held = rowOf(c, id);
  if (held["lease_until"] !== null) loseLease(c, held);
  moveTask(c, rowOf(c, id), task.parent ?? null);
  attachNeeds(c, id, task.needs);
  const row = rowOf(c, id);
  if (row["own"] !== task.status && [row["own"], task.status].includes("done")) {
    const kind = task.status === "done" ? "complete" : "reset";
    addLog(c, row["seq"] as number, { by: "person", kind, text: OVERWRITTEN });
  }
  const said = SAID_COLUMNS.map((column, index) => `${column} = ?${index + 5}`);
  run(
    c,
    `UPDATE task SET own = ?1, status = iif(children = 0, ?1, status), created_at = ?2, updated_at = ?3,
       retry_limit = NULL, revision = revision + 1, ${said.join(", ")} WHERE seq = ?4`,
    task.status,
    task.createdAt ?? row["created_at"]!,
    task.updatedAt!,
    row["seq"]!,
    ...saidBy(task),
  );
  if (row["children"] !== 0) {
    childrenChanged(c, row["seq"] as number, {});
    return;
  }
  const [seq, parent] = [row["seq"] as number, row["parent"] as number | null];
  moved(c, { seq, parent, from: row["status"] as TaskStatus, to: task.status });
}
