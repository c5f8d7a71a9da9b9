import { cycleByParent, endOf, findPath, startOf, waitGraph, withoutParent } from "../../domain/dag.ts";
import type { SqliteValue } from "../../system/sqlite-driver.ts";
import type { RevertedTask } from "../store.ts";
import { wrongCounts } from "./check.ts";
import { type Connection, get, run } from "./connection.ts";
import { compare, type Differences, heldIds } from "./held-difference.ts";
import { fieldsIn, type HeldRow, isUntouched, type Holding } from "./held.ts";
import { idOf, linksOf } from "./links.ts";
import { rebuild } from "./rebuild.ts";
import { addLog } from "./record.ts";

/** Within a transaction: whether there is nothing to undo. */
export function isAsHeld(c: Connection, holding: Holding): boolean {
  if (isUntouched(c, holding)) return true;
  const { changed, deleted, inserted } = compare(c, holding);
  if (changed.length + deleted.length + inserted.length > 0) return false;
  // Of very many tasks it would take longer than what it could find is worth.
  return holding.extent === "near" || wrongCounts(c).size === 0;
}

/** Within a transaction: undoes what happened to the tasks since, other than through a store (W-02). */
export function putBackTasks(c: Connection, holding: Holding): RevertedTask[] {
  const found = compare(c, holding);
  const wrong = wrongCounts(c);
  const undone = undo(c, holding, found);
  const known = new Set(undone.map(({ id }) => id));
  // What is wrong only now follows from what was undone; what was wrong before, and still is, was somebody's doing.
  const counted = rebuild(c).map((seq) => idOf(c, seq));
  return [
    ...undone,
    ...counted.filter((id) => wrong.has(id) && !known.has(id)).map((id) => told(c, id, { kind: "counted" })),
  ];
}

function undo(c: Connection, holding: Holding, found: Differences): RevertedTask[] {
  const inserted = found.inserted.map(({ id }) => told(c, id, { kind: "inserted" }));
  for (const { seq } of found.inserted) removeRow(c, seq);
  for (const row of found.deleted) insertRow(c, holding, row);
  // With foreign keys off, as in a shell, what pointed at deleted rows has stayed behind.
  run(c, "DELETE FROM dependency WHERE blocked NOT IN (SELECT seq FROM task) OR blocker NOT IN (SELECT seq FROM task)");
  run(c, "UPDATE task SET parent = NULL WHERE parent NOT IN (SELECT seq FROM task)");
  const rows = [...found.deleted, ...found.changed.map(({ held }) => held)];
  for (const row of found.changed) writeRow(c, holding, row.held);
  for (const row of rows) detach(c, row);
  const seqOf = heldIds(c, holding);
  for (const row of rows) attach(c, row, seqOf);
  const changed = found.changed.map(({ held, fields, status }) =>
    told(c, held.id, { kind: "changed", fields, ...(status && { status }) }),
  );
  const deleted = found.deleted.map(({ id }) => told(c, id, { kind: "deleted" }));
  for (const { id, kind, fields } of [...changed, ...deleted]) note(c, id, [kind, ...fields].join(", "));
  return [...changed, ...deleted, ...inserted];
}

type What = Pick<RevertedTask, "kind" | "status"> & Partial<Pick<RevertedTask, "fields">>;

function told(c: Connection, id: string, what: What): RevertedTask {
  const title = get(c, "SELECT title FROM task WHERE id = ?", id)!["title"] as string;
  return { id, title, fields: [], ...what };
}

function note(c: Connection, id: string, text: string): void {
  const seq = numberOf(c, id)!;
  run(c, "UPDATE task SET revision = revision + 1 WHERE seq = ?", seq);
  addLog(c, seq, { by: "loop", kind: "put back", text });
}

function removeRow(c: Connection, seq: number): void {
  run(c, "UPDATE task SET parent = NULL WHERE parent = ?", seq);
  run(c, "DELETE FROM task WHERE seq = ?", seq);
}

const numberOf = (c: Connection, id: string): number | undefined =>
  get(c, "SELECT seq FROM task WHERE id = ?", id)?.["seq"] as number | undefined;

const valueOf = ({ values }: HeldRow, name: "parent" | "needs" | "lease"): SqliteValue =>
  values[["parent", "needs", "status", "lease"].indexOf(name)] ?? null;

/** Under its old number, to which what is left of it belongs; another where that was given to somebody else. */
function insertRow(c: Connection, holding: Holding, row: HeldRow): void {
  const pathExists = get(c, "SELECT 1 FROM task WHERE seq = ?", row.seq) !== undefined;
  const seq = pathExists ? null : row.seq;
  run(
    c,
    `INSERT INTO task (seq, id, scope, priority, status, own, created_at, updated_at, title, description, revision)
     VALUES (?, ?, '', 0, 'pending', 'pending', 0, 0, '', '', ?)`,
    seq,
    row.id,
    row.revision,
  );
  writeRow(c, holding, row);
}

/** All but the links. A lease that was taken away is given back for as long as a heartbeat would. */
function writeRow(c: Connection, { extent }: Holding, row: HeldRow): void {
  const written = fieldsIn(extent).flatMap(({ sql, isColumn }, at) =>
    isColumn ? [{ sql, value: row.values[at]! }] : [],
  );
  run(
    c,
    `UPDATE task SET ${written.map(({ sql }) => `${sql} = ?`).join(", ")} WHERE id = ?`,
    ...written.map(({ value }) => value),
    row.id,
  );
  run(
    c,
    `UPDATE task SET status = iif(children = 0, own, status),
       lease_until = iif(?1, coalesce(lease_until, ?2 + lease_ms), NULL) WHERE id = ?3`,
    valueOf(row, "lease"),
    c.clock(),
    row.id,
  );
  if (valueOf(row, "lease") !== 1) return;
  run(
    c,
    `INSERT OR IGNORE INTO attempt (task, fence, run, host, pid, start, started_at)
     SELECT seq, fence, lease_run, lease_host, lease_pid, lease_start, coalesce(started_at, ?) FROM task WHERE id = ?`,
    c.clock(),
    row.id,
  );
}

const needsIn = (row: HeldRow): number[] => {
  const needs = valueOf(row, "needs");
  return needs === null ? [] : String(needs).split(",").map(Number);
};

/** First all links of all of them go: what is left, with what comes, can only go round if the end does. */
function detach(c: Connection, { id }: HeldRow): void {
  const seq = numberOf(c, id)!;
  run(c, "UPDATE task SET parent = NULL WHERE seq = ?", seq);
  run(c, "DELETE FROM dependency WHERE blocked = ?", seq);
}

/** A link that would now close a cycle, by what a person has changed meanwhile, is left out. */
function attach(c: Connection, row: HeldRow, seqOf: (held: number) => number | undefined): void {
  const seq = numberOf(c, row.id)!;
  const parent = valueOf(row, "parent") === null ? undefined : seqOf(valueOf(row, "parent") as number);
  const links = linksOf(c);
  if (parent !== undefined && !cycleByParent(waitGraph(withoutParent(links, seq)), seq, parent)) {
    run(c, "UPDATE task SET parent = ? WHERE seq = ?", parent, seq);
  }
  for (const need of needsIn(row)) {
    const blocker = seqOf(need);
    if (blocker === undefined || findPath(waitGraph(links), endOf(blocker), startOf(seq))) continue;
    run(c, "INSERT OR IGNORE INTO dependency (blocked, blocker) VALUES (?, ?)", seq, blocker);
  }
}
