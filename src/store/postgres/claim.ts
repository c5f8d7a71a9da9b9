import { type Owner, sameOwner } from "../../domain/task.ts";
import type { PgRow, PgValue } from "../../system/postgres.ts";
import { endOfLease, isGone } from "../lease.ts";
import { json, leaseOwner, number, ownerValues, storedLease, text, toTask } from "../rows.ts";
import type { Claim, ClaimRequest, Lease, OpenVerdict, StoredVerdict } from "../store.ts";
import { all, type Database, get, run, SHARED_LOCK } from "./connection.ts";
import { findRow, TASK_COLUMNS, UNCHANGED, unchanged } from "./rows.ts";

/** The assignments that end a lease. */
export const NO_LEASE = `lease_host = NULL, lease_pid = NULL, lease_start = NULL, lease_until = NULL, lease_ms = NULL,
  lease_run = NULL, has_verdict = 0`;

/**
 * One statement, so that a task is claimed once. A task that another one is just claiming, or changing, is skipped and
 * not waited for; the conditions are looked at again once its row is locked.
 */
export async function claimTask(c: Database, request: ClaimRequest): Promise<Claim | undefined> {
  await sweepLeases(c);
  const { owner, leaseMs, run: runId = null, iteration = null } = request;
  const row = await get(
    c,
    `WITH ${SHARED_LOCK},
     next AS MATERIALIZED (${choice(request)}),
     taken AS (
       UPDATE ralphctl.task AS t SET own = 'in_progress', fence = t.fence + 1, lease_host = $1, lease_pid = $2,
         lease_start = $3, lease_until = here.now + $4::bigint, lease_ms = $4::bigint, lease_run = $5, started_at = here.now,
         updated_at = here.now, revision = t.revision + 1
       FROM next, here WHERE t.repository = @repo AND t.seq = next.seq RETURNING t.*
     ),
     begun AS (
       INSERT INTO ralphctl.attempt (repository, task, fence, run, iteration, host, pid, start, started_at)
       SELECT @repo, seq, fence, $5, $6::bigint, $1, $2, $3, started_at FROM taken
     )
     SELECT ${TASK_COLUMNS} FROM taken AS t`,
    ...ownerValues(owner),
    leaseMs,
    runId,
    iteration,
    ...values(request),
  );
  if (row === undefined) return undefined;
  const task = toTask(row);
  return { task, lease: { task: task.id, fence: row["fence"] as number, owner } };
}

function choice({ scopes, only, anyway }: ClaimRequest): string {
  const isAnyway = anyway === true && only !== undefined;
  const where = [
    "t.repository = (SELECT id FROM here)",
    isAnyway ? "t.is_group = 0 AND t.own = 'pending'" : "t.queue IS NOT NULL",
    ...(only === undefined ? [] : ["t.id = ANY ($7::text[])"]),
    ...(scopes === undefined ? [] : [inScopes(scopes, only === undefined ? "$7" : "$8")]),
  ];
  const order = isAnyway ? "t.seq" : "t.queue, t.priority, t.seq";
  return `SELECT t.seq FROM ralphctl.task AS t WHERE ${where.join(" AND ")} ORDER BY ${order} LIMIT 1
    FOR NO KEY UPDATE OF t SKIP LOCKED`;
}

// One scope is a stretch of the index in the right order.
const inScopes = (scopes: readonly string[], place: string): string =>
  scopes.length === 1 ? `t.scope = ${place}` : `t.scope = ANY (${place}::text[])`;

const values = ({ scopes, only }: ClaimRequest): PgValue[] => [
  ...(only === undefined ? [] : [only]),
  ...(scopes === undefined ? [] : [scopes.length === 1 ? scopes[0]! : scopes]),
];

/** Frees tasks whose owner is gone, except those with an open verdict: by the server's time, or dead on this machine. */
async function sweepLeases(c: Database): Promise<void> {
  const rows = await all(
    c,
    `WITH time AS MATERIALIZED (SELECT @now AS now)
     SELECT t.*, time.now FROM ralphctl.task AS t, time WHERE t.repository = @repo AND t.lease_host IS NOT NULL
       AND t.has_verdict = 0 AND (t.lease_host = $1 OR t.lease_until <= time.now OR t.lease_until > time.now + t.lease_ms)`,
    c.host,
  );
  for (const row of rows) {
    const [lease, now] = [storedLease(row)!, row["now"] as number];
    const untilMs = endOfLease(lease, now);
    if (isGone(lease, now, c.isAlive)) await loseLease(c, row);
    else if (untilMs !== lease.untilMs) {
      await run(c, `UPDATE ralphctl.task AS t SET lease_until = $4 WHERE ${UNCHANGED}`, ...unchanged(row), untilMs);
    }
  }
}

/** The owner is gone: the attempt does not count, and the task is pending again. Nothing happens if it came back meanwhile. */
export async function loseLease(c: Database, row: PgRow): Promise<void> {
  await run(
    c,
    `WITH ${SHARED_LOCK},
     freed AS (
       UPDATE ralphctl.task AS t SET own = 'pending', retry = 0, ${NO_LEASE}, revision = t.revision + 1, updated_at = here.now
       FROM here WHERE ${UNCHANGED} AND t.lease_until = $4 RETURNING t.seq, t.fence, here.now
     ),
     closed AS (
       UPDATE ralphctl.attempt AS a SET ended_at = freed.now, outcome = 'lost' FROM freed
       WHERE a.repository = @repo AND a.task = freed.seq AND a.fence = freed.fence AND a.ended_at IS NULL
     )
     INSERT INTO ralphctl.log (repository, task, at, actor, kind, text)
     SELECT @repo, seq, now, 'loop', 'lost', 'Its worker is gone.' FROM freed`,
    ...unchanged(row),
    row["lease_until"]!,
  );
}

/** The row of the leased task; undefined if somebody else has the lease now. */
export async function heldRow(c: Database, lease: Lease): Promise<PgRow | undefined> {
  const row = await findRow(c, lease.task);
  const holds =
    row !== undefined &&
    row["lease_until"] !== null &&
    row["fence"] === lease.fence &&
    sameOwner(leaseOwner(row), lease.owner);
  return holds ? row : undefined;
}

const HELD = `t.repository = @repo AND t.id = $1 AND t.fence = $2 AND t.lease_host = $3 AND t.lease_pid = $4
  AND t.lease_start = $5 AND t.lease_until IS NOT NULL`;

export async function beat(c: Database, { task, fence, owner }: Lease): Promise<"held" | "fenced"> {
  const sql = `UPDATE ralphctl.task AS t SET lease_until = @now + t.lease_ms WHERE ${HELD}`;
  return (await run(c, sql, task, fence, ...ownerValues(owner))) === 1 ? "held" : "fenced";
}

export async function saveVerdict(
  c: Database,
  { task, fence, owner }: Lease,
  verdict: StoredVerdict,
): Promise<"recorded" | "fenced"> {
  const sql = `WITH ${SHARED_LOCK},
    proven AS (
      UPDATE ralphctl.task AS t SET has_verdict = 1, revision = t.revision + 1, updated_at = here.now
      FROM here WHERE ${HELD} RETURNING t.seq, t.fence, here.now
    )
    UPDATE ralphctl.attempt AS a SET verdict = $6, recorded_at = proven.now FROM proven
    WHERE a.repository = @repo AND a.task = proven.seq AND a.fence = proven.fence`;
  const count = await run(c, sql, task, fence, ...ownerValues(owner), JSON.stringify(verdict));
  return count === 1 ? "recorded" : "fenced";
}

export async function listOpenVerdicts(c: Database): Promise<OpenVerdict[]> {
  const rows = await all(
    c,
    `SELECT ${TASK_COLUMNS}, a.verdict, a.run, a.iteration, a.recorded_at, @now AS now
     FROM ralphctl.task AS t JOIN ralphctl.attempt AS a ON a.repository = t.repository AND a.task = t.seq AND a.fence = t.fence
     WHERE t.repository = @repo AND t.lease_host IS NOT NULL AND t.has_verdict = 1 ORDER BY t.seq`,
  );
  return rows.map((row) => ({
    task: toTask(row),
    lease: { task: row["id"] as string, fence: row["fence"] as number, owner: leaseOwner(row) },
    verdict: json(row["verdict"]) as StoredVerdict,
    run: text(row["run"]),
    iteration: number(row["iteration"]),
    recordedAt: row["recorded_at"] as number,
    holder: isGone(storedLease(row)!, row["now"] as number, c.isAlive) ? "gone" : "live",
  }));
}

export async function adoptLease(c: Database, lease: Lease, owner: Owner): Promise<Lease | undefined> {
  const row = await heldRow(c, lease);
  if (row === undefined || row["has_verdict"] === 0) return undefined;
  if (!isGone(storedLease(row)!, row["now"] as number, c.isAlive)) return undefined;
  const sql = `WITH adopted AS (
      UPDATE ralphctl.task AS t SET lease_host = $4, lease_pid = $5, lease_start = $6, lease_until = @now + t.lease_ms,
        revision = t.revision + 1 WHERE ${UNCHANGED} AND t.lease_until = $7 RETURNING t.seq, t.fence
    )
    UPDATE ralphctl.attempt AS a SET host = $4, pid = $5, start = $6 FROM adopted
    WHERE a.repository = @repo AND a.task = adopted.seq AND a.fence = adopted.fence`;
  const count = await run(c, sql, ...unchanged(row), ...ownerValues(owner), row["lease_until"]!);
  return count === 1 ? { ...lease, owner } : undefined;
}
