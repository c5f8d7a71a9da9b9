import { RalphError } from "../../domain/error.ts";
import { type Owner, sameOwner } from "../../domain/task.ts";
import type { PgRow } from "../../system/postgres.ts";
import type { FleetRequestKind, FleetRequests, FleetRun, NewFleetRun } from "../fleet.ts";
import { isGone } from "../lease.ts";
import { json, leaseOwner, number, ownerValues, storedLease, text } from "../rows.ts";
import { all, type Database, get, run } from "./connection.ts";

const RUN = `SELECT r.*, n.begun, n.counted, n.cost_usd, n.tokens, s.last, @now AS now FROM ralphctl.run AS r
  JOIN ralphctl.run_count AS n ON n.repository = r.repository AND n.run = r.id
  JOIN ralphctl.run_stream AS s ON s.repository = r.repository AND s.run = r.id
  WHERE r.repository = @repo`;

const TRIES = 20;

export async function beginRun(c: Database, begun: NewFleetRun): Promise<FleetRun & { readonly isAdopted: boolean }> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const row = await get(c, `${RUN} AND r.target = $1 AND r.ended_at IS NULL`, begun.target);
    if (row === undefined && (await insertRun(c, begun))) {
      await forgetOld(c);
      return { ...(await findRun(c, begun.id))!, isAdopted: false };
    }
    if (row !== undefined) {
      const { id, isFollowed, owner } = toRun(c, row);
      if (isFollowed && !sameOwner(owner, begun.owner)) throw followedError(id, owner);
      if (await adoptRun(c, row, begun)) return { ...(await findRun(c, id))!, isAdopted: true };
    }
  }
  throw new RalphError("busy", `Others begin and end runs on ${begun.target} all the time`, {
    hint: "Try again in a moment",
  });
}

const followedError = (id: string, { host, pid }: Owner): RalphError =>
  new RalphError("busy", `The fleet has a run on this branch already: ${id}, followed on ${host} (process ${pid})`, {
    hint: "Look at it with ralphctl status, or end it with ralphctl stop",
  });

async function insertRun(c: Database, { limits, ...begun }: NewFleetRun): Promise<boolean> {
  const sql = `WITH time AS MATERIALIZED (SELECT @now AS now),
    begun AS (
      INSERT INTO ralphctl.run (repository, id, scope, target, request, limit_iterations, limit_cost, limit_tokens,
        lease_host, lease_pid, lease_start, lease_until, lease_ms, started_at)
      SELECT @repo, $1, $2, $3, $4, $5::bigint, $6::double precision, $7::bigint, $8, $9::bigint, $10, now + $11::bigint, $11::bigint, now FROM time
      ON CONFLICT DO NOTHING RETURNING id
    ),
    counted AS (INSERT INTO ralphctl.run_count (repository, run) SELECT @repo, id FROM begun)
    INSERT INTO ralphctl.run_stream (repository, run) SELECT @repo, id FROM begun`;
  const { iterations = null, costUsd = null, tokens = null } = limits;
  const request = JSON.stringify(begun.request ?? null);
  const what = [begun.id, begun.scope, begun.target, request, iterations, costUsd, tokens];
  return (await run(c, sql, ...what, ...ownerValues(begun.owner), begun.leaseMs)) === 1;
}

async function adoptRun(c: Database, row: PgRow, { owner, leaseMs }: NewFleetRun): Promise<boolean> {
  const sql = `UPDATE ralphctl.run SET lease_host = $3, lease_pid = $4, lease_start = $5, lease_until = @now + $6::bigint,
      lease_ms = $6::bigint
    WHERE repository = @repo AND id = $1 AND lease_until = $2 AND ended_at IS NULL`;
  return (await run(c, sql, row["id"]!, row["lease_until"]!, ...ownerValues(owner), leaseMs)) === 1;
}

const KEPT_RUNS = 100;

/** Members that went silent in earlier runs, and the events of runs that are long over. */
async function forgetOld(c: Database): Promise<void> {
  await run(c, "DELETE FROM ralphctl.member WHERE repository = @repo AND lease_until <= @now");
  const old = `SELECT id FROM ralphctl.run WHERE repository = @repo AND ended_at IS NOT NULL
    ORDER BY started_at DESC, id OFFSET ${KEPT_RUNS}`;
  await run(c, `DELETE FROM ralphctl.event WHERE repository = @repo AND run IN (${old})`);
  await run(c, `DELETE FROM ralphctl.run WHERE repository = @repo AND id IN (${old})`);
}

export const findRun = async (c: Database, id: string): Promise<FleetRun | undefined> => {
  const row = await get(c, `${RUN} AND r.id = $1`, id);
  return row && toRun(c, row);
};

export const listActive = async (c: Database): Promise<FleetRun[]> =>
  (await all(c, `${RUN} AND r.ended_at IS NULL ORDER BY r.started_at, r.id`)).map((row) => toRun(c, row));

export const listNewest = async (c: Database, limit: number): Promise<FleetRun[]> =>
  (await all(c, `${RUN} ORDER BY r.started_at DESC, r.id DESC LIMIT $1`, limit)).map((row) => toRun(c, row));

const toRun = (c: Database, row: PgRow): FleetRun => ({
  id: row["id"] as string,
  scope: row["scope"] as string,
  target: row["target"] as string,
  request: json(row["request"]),
  limits: {
    iterations: number(row["limit_iterations"]),
    costUsd: number(row["limit_cost"]),
    tokens: number(row["limit_tokens"]),
  },
  owner: leaseOwner(row),
  isFollowed: row["ended_at"] === null && !isGone(storedLease(row)!, row["now"] as number, c.isAlive),
  startedAt: row["started_at"] as number,
  endedAt: number(row["ended_at"]),
  end: json(row["ending"]),
  begun: row["begun"] as number,
  counted: row["counted"] as number,
  costUsd: row["cost_usd"] as number,
  tokens: row["tokens"] as number,
  events: row["last"] as number,
});

export async function beatRun(c: Database, id: string, owner: Owner): Promise<"held" | "lost"> {
  const sql = `UPDATE ralphctl.run SET lease_until = @now + lease_ms WHERE repository = @repo AND id = $1
    AND lease_host = $2 AND lease_pid = $3 AND lease_start = $4 AND ended_at IS NULL`;
  return (await run(c, sql, id, ...ownerValues(owner))) === 1 ? "held" : "lost";
}

export async function endRun(c: Database, id: string, end: unknown): Promise<void> {
  const sql = `UPDATE ralphctl.run SET ended_at = @now, ending = $2 WHERE repository = @repo AND id = $1 AND ended_at IS NULL`;
  await run(c, sql, id, JSON.stringify(end ?? null));
}

export async function takeIteration(c: Database, id: string): Promise<number | undefined> {
  const sql = `UPDATE ralphctl.run_count AS n SET begun = n.begun + 1, counted = n.counted + 1 FROM ralphctl.run AS r
    WHERE r.repository = @repo AND r.id = $1 AND n.repository = @repo AND n.run = $1 AND r.ended_at IS NULL
      AND r.stop = 0 AND r.stop_after = 0 AND (r.limit_iterations IS NULL OR n.counted < r.limit_iterations)
    RETURNING n.begun`;
  return (await get(c, sql, id))?.["begun"] as number | undefined;
}

export async function giveIterationBack(c: Database, id: string, iteration: number): Promise<void> {
  const sql = `UPDATE ralphctl.run_count SET counted = counted - 1, begun = begun - (begun = $2::bigint)::integer
    WHERE repository = @repo AND run = $1 AND counted > 0`;
  await run(c, sql, id, iteration);
}

const ASKED: Readonly<Record<FleetRequestKind, string>> = {
  stop: "stop = 1",
  "stop after": "stop_after = 1",
  pause: "paused = 1",
  resume: "paused = 0, resumes = resumes + 1",
};

export async function addRequest(
  c: Database,
  id: string,
  asked: { kind: FleetRequestKind; from?: string | undefined },
) {
  const sql = `UPDATE ralphctl.run SET ${ASKED[asked.kind]}, asked_from = $2
    WHERE repository = @repo AND id = $1 AND ended_at IS NULL`;
  if ((await run(c, sql, id, asked.from ?? null)) === 1) return;
  throw new RalphError("config", `The fleet has no active run ${id}`, { hint: "List its runs with ralphctl status" });
}

export async function readRequests(c: Database, id: string): Promise<FleetRequests> {
  const sql =
    "SELECT stop, stop_after, paused, resumes, asked_from FROM ralphctl.run WHERE repository = @repo AND id = $1";
  const row = await get(c, sql, id);
  return {
    stop: row?.["stop"] === 1,
    stopAfter: row?.["stop_after"] === 1,
    isPaused: row?.["paused"] === 1,
    resumes: (row?.["resumes"] ?? 0) as number,
    from: text(row?.["asked_from"] ?? null),
  };
}
