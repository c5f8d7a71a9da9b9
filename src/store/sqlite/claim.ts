import { sameOwner, type Owner, type TaskStatus } from "../../domain/task.ts";
import type { SqliteRow } from "../../system/sqlite-driver.ts";
import { endOfLease, isGone } from "../lease.ts";
import type { Claim, ClaimRequest, Lease, OpenVerdict, StoredVerdict } from "../store.ts";
import { all, type Connection, get, run, take } from "./connection.ts";
import { moved } from "./derive.ts";
import { allScopes } from "./read.ts";
import { addLog } from "./record.ts";
import { json, leaseOwner, number, ownerValues, storedLease, text, toTask } from "../rows.ts";
import { RETURNED_COLUMNS, TASK_COLUMNS } from "./task-columns.ts";

/** Within a transaction. */
export function claimTask(c: Connection, request: ClaimRequest): Claim | undefined {
  sweepLeases(c);
  const row = takeNext(c, request);
  if (row === undefined) return undefined;
  const seq = row["seq"] as number;
  const fence = row["fence"] as number;
  const from = row["retry"] === 1 ? "failed" : "pending";
  moved(c, { seq, parent: row["parent"] as number | null, from, to: "in_progress" });
  const { owner, run: runId = null, iteration = null } = request;
  const columns = "task, fence, run, iteration, host, pid, start, started_at";
  const values = [seq, fence, runId, iteration, ...ownerValues(owner), c.clock()];
  run(c, `INSERT INTO attempt (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
  const task = toTask(row);
  return { task, lease: { task: task.id, fence, owner } };
}

/** One statement, so that a task is claimed once, whichever process runs it. */
function takeNext(c: Connection, request: ClaimRequest): SqliteRow | undefined {
  const { owner, leaseMs, run: runId = null } = request;
  const { sql, values } = choice(c, request);
  const now = c.clock();
  const lease = [...ownerValues(owner), now + leaseMs, leaseMs, runId, now, now];
  return take(
    c,
    `UPDATE task SET own = 'in_progress', status = 'in_progress', fence = fence + 1, lease_host = ?, lease_pid = ?,
       lease_start = ?, lease_until = ?, lease_ms = ?, lease_run = ?, started_at = ?, updated_at = ?,
       revision = revision + 1
     WHERE seq = (${sql}) RETURNING ${RETURNED_COLUMNS}`,
    ...lease,
    ...values,
  );
}

/** A query for the next task. Reads one index entry per scope, however many tasks there are. */
function choice(c: Connection, { scopes, only, anyway }: ClaimRequest): { sql: string; values: string[] } {
  if (only !== undefined) {
    const state = anyway ? "is_group = 0 AND status = 'pending'" : "queue IS NOT NULL";
    const scope = scopes === undefined ? "" : "AND scope IN (SELECT value FROM json_each(?))";
    const order = anyway ? "seq" : "queue, priority, seq";
    return {
      sql: `SELECT seq FROM task WHERE id IN (SELECT value FROM json_each(?)) ${scope} AND ${state} ORDER BY ${order} LIMIT 1`,
      values: [JSON.stringify(only), ...(scopes === undefined ? [] : [JSON.stringify(scopes)])],
    };
  }
  const first = `SELECT seq FROM task INDEXED BY task_scope_queue
    WHERE scope = ? AND queue IS NOT NULL ORDER BY queue, priority, seq LIMIT 1`;
  const places = scopes ?? allScopes(c);
  if (places.length === 0) return { sql: "SELECT NULL", values: [] };
  if (places.length === 1) return { sql: first, values: [...places] };
  // Which scopes there are is data: one statement for any number of them.
  const sql = `SELECT one.seq FROM json_each(?) AS place JOIN task AS one ON one.seq = (${first.replace("scope = ?", "scope = place.value")})
    ORDER BY one.queue, one.priority, one.seq LIMIT 1`;
  return { sql, values: [JSON.stringify(places)] };
}

/** Frees tasks whose owner is gone, except those with an open verdict. Reads only tasks with a lease. */
function sweepLeases(c: Connection): void {
  const now = c.clock();
  for (const row of all(c, "SELECT * FROM task WHERE lease_until IS NOT NULL AND has_verdict = 0")) {
    const lease = storedLease(row)!;
    const untilMs = endOfLease(lease, now);
    if (isGone(lease, now, c.isAlive)) loseLease(c, row);
    else if (untilMs !== lease.untilMs) run(c, "UPDATE task SET lease_until = ? WHERE seq = ?", untilMs, row["seq"]!);
  }
}

/** The assignments that end a lease. */
export const NO_LEASE = `lease_host = NULL, lease_pid = NULL, lease_start = NULL, lease_until = NULL, lease_ms = NULL,
  lease_run = NULL, has_verdict = 0`;

/** The owner is gone: the attempt does not count, and the task is pending again. */
export function loseLease(c: Connection, row: SqliteRow): void {
  const seq = row["seq"] as number;
  closeLostAttempt(c, seq, row["fence"] as number);
  const isLeaf = row["is_group"] === 0;
  const sql = `UPDATE task SET own = 'pending', status = iif(is_group = 0, 'pending', status), retry = 0, ${NO_LEASE},
    revision = revision + 1, updated_at = ? WHERE seq = ?`;
  run(c, sql, c.clock(), seq);
  addLog(c, seq, { by: "loop", kind: "lost", text: "Its worker is gone." });
  const from = row["status"] as TaskStatus;
  if (isLeaf) moved(c, { seq, parent: row["parent"] as number | null, from, to: "pending" });
}

export function closeLostAttempt(c: Connection, seq: number, fence: number): void {
  const sql = "UPDATE attempt SET ended_at = ?, outcome = 'lost' WHERE task = ? AND fence = ? AND ended_at IS NULL";
  run(c, sql, c.clock(), seq, fence);
}

const HELD = `seq, id, parent, status, own, is_group, attempts, attempt_limit, reason, question, summary, description, fence,
  lease_host, lease_pid, lease_start, lease_until, lease_ms, has_verdict`;

/** The row of the leased task; undefined if somebody else has the lease now. */
export function heldRow(c: Connection, lease: Lease): SqliteRow | undefined {
  const row = get(c, `SELECT ${HELD} FROM task WHERE id = ?`, lease.task);
  const holds =
    row !== undefined &&
    row["lease_until"] !== null &&
    row["fence"] === lease.fence &&
    sameOwner(leaseOwner(row), lease.owner);
  return holds ? row : undefined;
}

export function beat(c: Connection, { task, fence, owner }: Lease): "held" | "fenced" {
  const sql = `UPDATE task SET lease_until = ? + lease_ms
    WHERE id = ? AND fence = ? AND lease_host = ? AND lease_pid = ? AND lease_start = ? AND lease_until IS NOT NULL`;
  return run(c, sql, c.clock(), task, fence, ...ownerValues(owner)) === 1 ? "held" : "fenced";
}

export function saveVerdict(c: Connection, lease: Lease, verdict: StoredVerdict): "recorded" | "fenced" {
  const row = heldRow(c, lease);
  if (row === undefined) return "fenced";
  const seq = row["seq"]!;
  run(c, "UPDATE task SET has_verdict = 1, revision = revision + 1, updated_at = ? WHERE seq = ?", c.clock(), seq);
  const sql = "UPDATE attempt SET verdict = ?, recorded_at = ? WHERE task = ? AND fence = ?";
  run(c, sql, JSON.stringify(verdict), c.clock(), seq, lease.fence);
  return "recorded";
}

export const hasVerdict = (c: Connection, lease: Lease): boolean => heldRow(c, lease)?.["has_verdict"] === 1;

export function listOpenVerdicts(c: Connection): OpenVerdict[] {
  const rows = all(
    c,
    `SELECT ${TASK_COLUMNS}, a.verdict AS verdict, a.run AS run, a.iteration AS iteration, a.recorded_at AS recorded_at
     FROM task AS t JOIN attempt AS a ON a.task = t.seq AND a.fence = t.fence
     WHERE t.lease_until IS NOT NULL AND t.has_verdict = 1 ORDER BY t.seq`,
  );
  return rows.map((row) => ({
    task: toTask(row),
    lease: { task: row["id"] as string, fence: row["fence"] as number, owner: leaseOwner(row) },
    verdict: json(row["verdict"]) as StoredVerdict,
    run: text(row["run"]),
    iteration: number(row["iteration"]),
    recordedAt: row["recorded_at"] as number,
    holder: isGone(storedLease(row)!, c.clock(), c.isAlive) ? "gone" : "live",
  }));
}

export function adoptLease(c: Connection, lease: Lease, owner: Owner): Lease | undefined {
  const row = heldRow(c, lease);
  if (row === undefined || row["has_verdict"] === 0 || !isGone(storedLease(row)!, c.clock(), c.isAlive))
    return undefined;
  const [seq, who] = [row["seq"]!, ownerValues(owner)];
  const sql = `UPDATE task SET lease_host = ?, lease_pid = ?, lease_start = ?, lease_until = ? + lease_ms,
    revision = revision + 1 WHERE seq = ?`;
  run(c, sql, ...who, c.clock(), seq);
  run(c, "UPDATE attempt SET host = ?, pid = ?, start = ? WHERE task = ? AND fence = ?", ...who, seq, lease.fence);
  return { ...lease, owner };
}
