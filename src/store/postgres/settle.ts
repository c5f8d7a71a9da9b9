import {
  afterChange,
  afterSettlement,
  cleanChange,
  cleanSettlement,
  type Settlement,
  type StateFields,
} from "../../domain/settlement.ts";
import { isSettled, sameOwner, type Task, type TaskId, type TaskStatus } from "../../domain/task.ts";
import { type Actor, changeText, type StatusChange, transition } from "../../domain/transition.ts";
import type { PgRow, PgValue } from "../../system/postgres.ts";
import { isGone } from "../lease.ts";
import { attemptOwner, leaseOwner, stateOf, storedLease, toTask } from "../rows.ts";
import type { Lease, NewLogEntry, SettleResult } from "../store.ts";
import { busyTaskError, parentError, verifiedError } from "../task-errors.ts";
import { heldRow, rememberedRow } from "./claim.ts";
import { type Database, get } from "./connection.ts";
import { findTask } from "./read.ts";
import { answerOf, rowOf, unchanged, wholeRow } from "./rows.ts";

/** F-02: only the holder of this very lease settles. What changed between reading and writing is read again. */
export async function settleTask(c: Database, lease: Lease, told: Settlement): Promise<SettleResult> {
  const settlement = cleanSettlement(told);
  for (let known = rememberedRow(c, lease); ; known = undefined) {
    const row = known ?? (await heldRow(c, lease));
    if (row === undefined) return await settledBefore(c, lease);
    const { by = "loop", outcome, reason = "" } = settlement;
    const fields = afterSettlement(stateOf(row), settlement);
    const log = { by, kind: outcome, text: reason };
    const task = await enter(c, row, { fields, log, settlement, isWhole: known !== undefined });
    if (task !== undefined) return { kind: "settled", task, repeated: false };
  }
}

export async function changeTask(
  c: Database,
  id: TaskId,
  { by, ...told }: { readonly change: StatusChange; readonly by: Actor },
): Promise<Task> {
  for (;;) {
    const row = await rowOf(c, id);
    if (row["is_group"] !== 0) throw parentError(id);
    const change = cleanChange(told.change, by);
    const status = transition({ id, status: row["own"] as TaskStatus }, change, by).at(-1)!;
    refuseIfHeld(c, row);
    if (storedLease(row) && row["has_verdict"] === 1) throw verifiedError(id);
    const log = { by, kind: change.kind, text: changeText(change) };
    const task = await enter(c, row, { fields: afterChange(stateOf(row), change, status), log });
    if (task !== undefined) return task;
  }
}

export function refuseIfHeld(c: Database, row: PgRow): void {
  const lease = storedLease(row);
  if (lease && !isGone(lease, row["now"] as number, c.isAlive))
    throw busyTaskError(row["id"] as string, leaseOwner(row));
}

/** The owner may settle an attempt twice: the first answer may have got lost. */
async function settledBefore(c: Database, lease: Lease): Promise<SettleResult> {
  const sql = `SELECT a.* FROM ralphctl.attempt AS a JOIN ralphctl.task AS t ON t.repository = a.repository AND t.seq = a.task
    WHERE a.repository = @repo AND t.id = $1 AND a.fence = $2`;
  const row = await get(c, sql, lease.task, lease.fence);
  const isOurs =
    row !== undefined &&
    row["ended_at"] !== null &&
    row["outcome"] !== "lost" &&
    sameOwner(attemptOwner(row), lease.owner);
  const task = isOurs ? await findTask(c, lease.task) : undefined;
  return task ? { kind: "settled", task, repeated: true } : { kind: "fenced" };
}

interface Entered {
  readonly fields: StateFields;
  readonly log: NewLogEntry;
  /** Without one, the attempt that was open is lost. */
  readonly settlement?: Settlement;
  /** The row also has what `toTask` reads of others. */
  readonly isWhole?: boolean;
}

/** In one statement: the new state, the end of lease and attempt, the log. Undefined if the row has changed since. */
async function enter(c: Database, row: PgRow, entered: Entered): Promise<Task | undefined> {
  const { fields, log, settlement, isWhole = false } = entered;
  const hasEnded = fields.status === "failed" || isSettled(fields.status);
  const answer = await answerOf(
    c,
    `ralphctl.enter(@repo, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
       $21, $22, $23, $24, @clock)`,
    ...unchanged(row),
    row["status"]!,
    isWhole ? "t" : "f",
    fields.status,
    fields.attempts,
    fields.retry ? 1 : 0,
    fields.reason ?? null,
    fields.question ?? null,
    fields.summary ?? null,
    fields.description === row["description"] ? null : fields.description,
    hasEnded ? 1 : 0,
    fields.retryLimit ?? null,
    log.by,
    log.kind,
    log.text,
    ...closing(settlement),
  );
  if (answer === undefined) return undefined;
  if (!isWhole) return toTask(wholeRow(answer));
  const follows = JSON.parse(answer) as PgRow;
  const ended = hasEnded ? { ended_at: follows["updated_at"]! } : {};
  const { status: own, attempts, reason = null, question = null, summary = null, description } = fields;
  const set = { own, attempts, retry: fields.retry ? 1 : 0, reason, question, summary, description };
  return toTask({ ...row, ...set, ...ended, lease_until: null, ...follows });
}

function closing(settlement: Settlement | undefined): PgValue[] {
  if (settlement === undefined) return ["lost", 0, null, null, null, null, null];
  const { outcome, counted, reason = null, costUsd = null, tokens = null, session = null, details } = settlement;
  return [
    outcome,
    counted ? 1 : 0,
    reason,
    costUsd,
    tokens,
    session,
    details === undefined ? null : JSON.stringify(details),
  ];
}
