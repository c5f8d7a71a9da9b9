import { cleanTask, type CleanTask } from "../../domain/task-input.ts";
import { lineToTask, taskToLine } from "../../domain/task-line.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import { addClean } from "./add.ts";
import { all, type Connection, get, run } from "./connection.ts";
import { findSeq, seqOf } from "./links.ts";
import { listById } from "./read.ts";

/** Within a transaction: takes new and newer tasks, with their logs, from another file of the same store. */
export function mergeNewer(into: Connection, from: Connection): void {
  const found: Task[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page = listById(from, {}, cursor);
    found.push(...page.tasks.filter((task) => isNews(into, task)));
    ({ cursor } = page);
  }
  if (found.length === 0) return;
  const coming = new Set(found.map(({ id }) => id));
  const isThere = (id: TaskId): boolean => coming.has(id) || findSeq(into, id) !== undefined;
  const news = found.map((task) => asNew(task, isThere));
  addClean(into, news, { onExisting: "newer" });
  for (const { id } of found) {
    mergeLog(into, from, id);
    mergeAttempts(into, from, id);
  }
}

function isNews(c: Connection, { id, updatedAt }: Task): boolean {
  const known = get(c, "SELECT updated_at FROM task WHERE id = ?", id);
  return known === undefined || (known["updated_at"] as number) < updatedAt;
}

/** Without links to tasks that were removed meanwhile. */
function asNew(task: Task, isThere: (id: TaskId) => boolean): CleanTask {
  const parent = task.parent !== undefined && isThere(task.parent) ? task.parent : undefined;
  const line = taskToLine({ ...task, parent, needs: task.needs.filter(isThere) });
  return cleanTask(lineToTask(line, 1, { needsId: true }));
}

function mergeLog(into: Connection, from: Connection, id: TaskId): void {
  const seq = seqOf(into, id);
  for (const row of all(from, "SELECT at, actor, kind, text FROM log WHERE task = ? ORDER BY entry", seqOf(from, id))) {
    const sql = `INSERT INTO log (task, entry, at, actor, kind, text)
      SELECT ?1, (SELECT coalesce(max(entry), 0) + 1 FROM log WHERE task = ?1), ?2, ?3, ?4, ?5
      WHERE NOT EXISTS (SELECT 1 FROM log WHERE task = ?1 AND at = ?2 AND actor = ?3 AND kind = ?4 AND text = ?5)`;
    run(into, sql, seq, row["at"]!, row["actor"]!, row["kind"]!, row["text"]!);
  }
}

/** T-15: a task is only as done as its verdicts say. Of two claims with the same number the first known one stays. */
function mergeAttempts(into: Connection, from: Connection, id: TaskId): void {
  const seq = seqOf(into, id);
  for (const row of all(from, "SELECT * FROM attempt WHERE task = ? AND ended_at IS NOT NULL", seqOf(from, id))) {
    const { task: _, ...values } = row;
    const names = Object.keys(values);
    const sql = `INSERT OR IGNORE INTO attempt (task, ${names.join(", ")}) VALUES (?, ${names.map(() => "?").join(", ")})`;
    run(into, sql, seq, ...Object.values(values));
  }
  const last = "(SELECT coalesce(max(attempt.fence), 0) FROM attempt WHERE attempt.task = seq)";
  run(into, `UPDATE task SET fence = max(fence, ${last}) WHERE seq = ?`, seq);
}
