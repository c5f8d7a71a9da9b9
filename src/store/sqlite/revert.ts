import { cycleByParent, endOf, findPath, startOf, waitGraph, withoutParent } from "../../domain/dag.ts";
import { writerTriggers } from "../migrations/0003-writers.ts";
import type { RevertedTask } from "../store.ts";
import { wrongCounts } from "./check.ts";
import { all, type Connection, run } from "./connection.ts";
import { findSeq, idOf, linksOf, seqOf } from "./links.ts";
import { rebuild } from "./rebuild.ts";
import { addLog } from "./record.ts";
import { columnsOf, findTampering, type SnapshotRows, type Tampering, type TaskRow } from "./snapshot.ts";

/** Within a transaction, like all below: undoes what was done to the tasks since, other than through a store (W-02). */
export function revert(c: Connection, snapshot: SnapshotRows): RevertedTask[] {
  const isOpen = !hasOurTriggers(c);
  if (isOpen) restoreTriggers(c);
  const found = findTampering(c, snapshot);
  const isSeen = isOpen || Object.values(found).some(({ length }) => length > 0);
  // For very many tasks this would take longer than its findings are worth.
  if (!isSeen && snapshot.isNear) return [];
  const wrong = wrongCounts(c);
  if (!isSeen && wrong.size === 0) return [];
  const reverted = undo(c, found);
  const known = new Set(reverted.map(({ id }) => id));
  // A count that was right before became wrong by the undoing; one that was wrong before is somebody's doing.
  const counted = rebuild(c)
    .map((seq) => idOf(c, seq))
    .filter((id) => wrong.has(id) && !known.has(id));
  return [...reverted, ...counted.map((id): RevertedTask => ({ id, kind: "changed", fields: ["counts"] }))];
}

/** Others can remove the triggers that keep them from writing, or add some that change what we write. */
const hasOurTriggers = (c: Connection): boolean =>
  JSON.stringify(triggers(c).map(({ sql }) => sql)) === JSON.stringify(writerTriggers.toSorted());

function restoreTriggers(c: Connection): void {
  for (const { name } of triggers(c)) c.db.exec(`DROP TRIGGER "${name.replaceAll('"', '""')}"`);
  for (const sql of writerTriggers) c.db.exec(sql);
}

const triggers = (c: Connection) =>
  all(c, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY sql") as { name: string; sql: string }[];

function undo(c: Connection, { changed, deleted, inserted }: Tampering): RevertedTask[] {
  for (const { seq } of inserted) run(c, "DELETE FROM task WHERE seq = ?", seq);
  const rows = [...changed.map(({ row }) => row), ...deleted];
  for (const row of rows) writeRow(c, row);
  // Children of what was inserted; and with foreign keys off, as in a shell, links of deleted rows stay behind.
  run(c, "DELETE FROM dependency WHERE blocked NOT IN (SELECT seq FROM task) OR blocker NOT IN (SELECT seq FROM task)");
  run(c, "UPDATE task SET parent = NULL WHERE parent NOT IN (SELECT seq FROM task)");
  // All links go before any comes back: then only the final state can have a cycle.
  for (const { id } of rows) {
    run(c, "UPDATE task SET parent = NULL WHERE id = ?", id);
    run(c, "DELETE FROM dependency WHERE blocked = ?", seqOf(c, id));
  }
  for (const row of rows) link(c, row);
  const restored: RevertedTask[] = [
    ...changed.map(({ row: { id }, fields }) => ({ id, kind: "changed" as const, fields })),
    ...deleted.map(({ id }) => ({ id, kind: "deleted" as const, fields: [] })),
  ];
  for (const { id, kind, fields } of restored) {
    addLog(c, seqOf(c, id), { by: "loop", kind: "put back", text: [kind, ...fields].join(", ") });
  }
  return [...restored, ...inserted.map(({ id }) => ({ id, kind: "inserted" as const, fields: [] }))];
}

/**
 * All but the links. A deleted row gets its old number, to which its log belongs, unless another task has it. A lease
 * that was taken away lasts as long as after a heartbeat.
 */
function writeRow(c: Connection, row: TaskRow): void {
  const { id, seq, revision, hasLease } = row;
  const insert = `INSERT INTO task (seq, id, scope, priority, status, own, created_at, updated_at, title, description)
    SELECT iif(EXISTS (SELECT 1 FROM task WHERE seq = ?1), NULL, ?1), ?2, '', 0, 'pending', 'pending', 0, 0, '', ''
    WHERE NOT EXISTS (SELECT 1 FROM task WHERE id = ?2)`;
  run(c, insert, seq, id);
  const columns = columnsOf(row);
  const update = `UPDATE task SET ${columns.map(([column]) => `${column} = ?`).join(", ")}, revision = ? WHERE id = ?`;
  run(c, update, ...columns.map(([, value]) => value), revision + 1, id);
  const lease = `UPDATE task SET status = iif(is_group = 0, own, status),
    lease_until = iif(?1, coalesce(lease_until, ?2 + lease_ms), NULL) WHERE id = ?3`;
  run(c, lease, hasLease ? 1 : 0, c.clock(), id);
  const attempt = `INSERT OR IGNORE INTO attempt (task, fence, run, host, pid, start, started_at)
    SELECT seq, fence, lease_run, lease_host, lease_pid, lease_start, coalesce(started_at, ?1) FROM task
    WHERE id = ?2 AND lease_until IS NOT NULL`;
  run(c, attempt, c.clock(), id);
}

/** A link that would now close a cycle with what a person has changed meanwhile is left out. */
function link(c: Connection, row: TaskRow): void {
  const seq = seqOf(c, row.id);
  const parent = row.parent === null ? undefined : findSeq(c, row.parent);
  const links = linksOf(c);
  if (parent !== undefined && !cycleByParent(waitGraph(withoutParent(links, seq)), seq, parent)) {
    run(c, "UPDATE task SET parent = ? WHERE seq = ?", parent, seq);
  }
  for (const need of row.needs) {
    const blocker = findSeq(c, need);
    if (blocker === undefined || findPath(waitGraph(links), endOf(blocker), startOf(seq))) continue;
    run(c, "INSERT OR IGNORE INTO dependency (blocked, blocker) VALUES (?, ?)", seq, blocker);
  }
}
