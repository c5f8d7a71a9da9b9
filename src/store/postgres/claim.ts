import { type Owner, sameOwner } from "../../domain/task.ts";
import type { PgRow } from "../../system/postgres.ts";
import { endOfLease, isGone } from "../lease.ts";
import { json, leaseOwner, number, ownerValues, storedLease, text, toTask } from "../rows.ts";
import type { Claim, ClaimRequest, Lease, OpenVerdict, StoredVerdict } from "../store.ts";
import { all, type Database, run, SHARED_LOCK } from "./connection.ts";
import { answerOf, findRow, TASK_COLUMNS, UNCHANGED, unchanged, wholeRow } from "./rows.ts";

/** The assignments that end a lease. */
const NO_LEASE = `lease_host = NULL, lease_pid = NULL, lease_start = NULL, lease_until = NULL, lease_ms = NULL,
  lease_run = NULL, has_verdict = 0`;

/** Those that are gone are looked for when there is nothing else to do, and now and then: a lease lasts longer. */
const SWEEP_MS = 5000;

/** One statement, so that a task is claimed once. */
export async function claimTask(c: Database, request: ClaimRequest): Promise<Claim | undefined> {
  const isLate = c.clock !== undefined || performance.now() - c.known.sweptMs > SWEEP_MS * (0.75 + Math.random() / 2);
  if (isLate) await sweepLeases(c);
  const claimed = await takeTask(c, request);
  if (claimed !== undefined || isLate) return claimed;
  return (await sweepLeases(c)) > 0 ? await takeTask(c, request) : undefined;
}

async function takeTask(c: Database, request: ClaimRequest): Promise<Claim | undefined> {
  const { owner, leaseMs, run: runId = null, iteration = null, scopes = null, only = null, anyway } = request;
  const answer = await answerOf(
    c,
    "ralphctl.claim(@repo, $1, $2, $3, $4, $5, $6, $7, $8, $9, @clock)",
    ...ownerValues(owner),
    leaseMs,
    runId,
    iteration,
    scopes,
    only,
    anyway === true && only !== null ? "t" : "f",
  );
  if (answer === undefined) return undefined;
  const row = wholeRow(answer);
  const task = toTask(row);
  const lease = { task: task.id, fence: row["fence"] as number, owner };
  remember(c, lease, row);
  return { task, lease };
}

const keyOf = ({ task, fence, owner }: Lease): string => JSON.stringify([task, fence, ...ownerValues(owner)]);

const MOST_KNOWN = 1000;

/** What is done in a transaction may be undone. */
function remember({ known: { held }, client }: Database, lease: Lease, row: PgRow): void {
  if (client !== undefined) return;
  if (held.size >= MOST_KNOWN) held.clear();
  held.set(keyOf(lease), row);
}

/** The row as it was when the task was claimed here; it holds only if its revision is still the same. Once for each claim. */
export function rememberedRow({ known: { held }, client }: Database, lease: Lease): PgRow | undefined {
  if (client !== undefined) return undefined;
  const row = held.get(keyOf(lease));
  held.delete(keyOf(lease));
  return row;
}

/** Frees tasks whose owner is gone, except those with an open verdict: by the server's time, or dead on this machine. Returns how many. */
async function sweepLeases(c: Database): Promise<number> {
  c.known.sweptMs = performance.now();
  let freed = 0;
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
    if (isGone(lease, now, c.isAlive)) {
      await loseLease(c, row);
      freed += 1;
    } else if (untilMs !== lease.untilMs) {
      await run(c, `UPDATE ralphctl.task AS t SET lease_until = $4 WHERE ${UNCHANGED}`, ...unchanged(row), untilMs);
    }
  }
  return freed;
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
