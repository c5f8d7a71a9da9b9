import {
  afterChange,
  afterSettlement,
  cleanChange,
  cleanSettlement,
  type Settlement,
  type StateFields,
} from "../../domain/settlement.ts";
import { isSettled, sameOwner, type Task, type TaskId, type TaskStatus } from "../../domain/task.ts";
import { type Actor, type StatusChange, changeText, transition } from "../../domain/transition.ts";
import type { SqliteRow } from "../../system/sqlite-driver.ts";
import { isGone } from "../lease.ts";
import { busyTaskError, parentError, verifiedError } from "../task-errors.ts";
import type { Lease, SettleResult } from "../store.ts";
import { closeLostAttempt, heldRow, NO_LEASE } from "./claim.ts";
import { type Connection, get, run, take } from "./connection.ts";
import { moved } from "./derive.ts";
import { rowOf } from "./links.ts";
import { findTask } from "./read.ts";
import { addLog } from "./record.ts";
import { attemptOwner, leaseOwner, stateOf, storedLease, toTask } from "../rows.ts";
import { RETURNED_COLUMNS } from "./task-columns.ts";

/** Within a transaction: updates the task, its attempt and log, its dependents and its parents. */
export function settleTask(c: Connection, lease: Lease, told: Settlement): SettleResult {
  const row = heldRow(c, lease);
  if (row === undefined) return settledBefore(c, lease);
  const settlement = cleanSettlement(told);
  const fields = afterSettlement(stateOf(row), settlement);
  closeAttempt(c, { seq: row["seq"] as number, fence: lease.fence }, settlement);
  const { by = "loop", outcome, reason = "" } = settlement;
  addLog(c, row["seq"] as number, { by, kind: outcome, text: reason });
  return { kind: "settled", task: enter(c, row, fields), repeated: false };
}

/** Within a transaction. */
export function changeTask(c: Connection, id: TaskId, { by, ...told }: { change: StatusChange; by: Actor }): Task {
  const row = rowOf(c, id);
  if (row["is_group"] !== 0) throw parentError(id);
  const change = cleanChange(told.change, by);
  const status = transition({ id, status: row["own"] as TaskStatus }, change, by).at(-1)!;
  refuseIfHeld(c, row);
  if (storedLease(row) && row["has_verdict"] === 1) throw verifiedError(id);
  closeLostAttempt(c, row["seq"] as number, row["fence"] as number);
  addLog(c, row["seq"] as number, { by, kind: change.kind, text: changeText(change) });
  return enter(c, row, afterChange(stateOf(row), change, status));
}

export function refuseIfHeld(c: Connection, row: SqliteRow): void {
  const lease = storedLease(row);
  if (lease && !isGone(lease, c.clock(), c.isAlive)) throw busyTaskError(row["id"] as string, leaseOwner(row));
}

/** The owner may settle an attempt twice: the first answer may have got lost. */
function settledBefore(c: Connection, lease: Lease): SettleResult {
  const sql = `SELECT attempt.* FROM attempt JOIN task ON task.seq = attempt.task WHERE task.id = ? AND attempt.fence = ?`;
  const row = get(c, sql, lease.task, lease.fence);
  const isOurs =
    row !== undefined &&
    row["ended_at"] !== null &&
    row["outcome"] !== "lost" &&
    sameOwner(attemptOwner(row), lease.owner);
  return isOurs ? { kind: "settled", task: findTask(c, lease.task)!, repeated: true } : { kind: "fenced" };
}

function closeAttempt(c: Connection, { seq, fence }: { seq: number; fence: number }, settlement: Settlement): void {
  const { outcome, counted, reason = null, costUsd = null, tokens = null, session = null, details } = settlement;
  const sql = `UPDATE attempt SET ended_at = ?, outcome = ?, counted = ?, reason = ?, cost_usd = ?, tokens = ?, session = ?,
    details = ? WHERE task = ? AND fence = ?`;
  const values = [c.clock(), outcome, counted ? 1 : 0, reason, costUsd, tokens, session];
  run(c, sql, ...values, details === undefined ? null : JSON.stringify(details), seq, fence);
}

/** Sets the new state, removes the lease, and updates what follows. */
function enter(c: Connection, row: SqliteRow, fields: StateFields): Task {
  const seq = row["seq"] as number;
  const now = c.clock();
  const hasEnded = fields.status === "failed" || isSettled(fields.status);
  const after = take(
    c,
    `UPDATE task SET own = ?1, status = iif(is_group = 0, ?1, status), attempts = ?2, retry = ?3, reason = ?4,
       question = ?5, summary = ?6, description = ?7, ended_at = coalesce(?8, ended_at), updated_at = ?9,
       retry_limit = ?11, ${NO_LEASE}, revision = revision + 1
     WHERE seq = ?10 RETURNING ${RETURNED_COLUMNS}`,
    fields.status,
    fields.attempts,
    fields.retry ? 1 : 0,
    fields.reason ?? null,
    fields.question ?? null,
    fields.summary ?? null,
    fields.description,
    hasEnded ? now : null,
    now,
    seq,
    fields.retryLimit ?? null,
  )!;
  const isLeaf = row["is_group"] === 0;
  const from = row["status"] as TaskStatus;
  if (isLeaf) moved(c, { seq, parent: row["parent"] as number | null, from, to: fields.status });
  return toTask(after);
}
