import type { Budget } from "../../domain/run/budget.ts";
import type { Cooldown } from "../../domain/run/next-agent.ts";
import type { PgRow } from "../../system/postgres.ts";
import type { FleetCooldown, NewFleetCooldown, ShareRequest } from "../fleet.ts";
import { number } from "../rows.ts";
import { all, type Database, get, run } from "./connection.ts";

/** Those whose task has another lease now, or whose member is silent, are over. */
const OVER = `NOT CASE WHEN v.task IS NOT NULL THEN EXISTS (
    SELECT FROM ralphctl.task AS t WHERE t.repository = @repo AND t.id = v.task AND t.fence = v.fence AND t.lease_until > @now
  ) ELSE EXISTS (
    SELECT FROM ralphctl.member AS m WHERE m.repository = @repo AND m.number = v.member AND m.lease_until > @now
  ) END`;

/** What there is, and how many sessions could begin on it: lanes without one, for which there is a task. */
const LEFT = `SELECT r.limit_cost, r.limit_tokens, n.cost_usd, n.tokens,
    (SELECT coalesce(sum(cost_usd), 0) FROM ralphctl.reservation WHERE repository = @repo AND run = $1) AS reserved_usd,
    (SELECT coalesce(sum(tokens), 0)::bigint FROM ralphctl.reservation WHERE repository = @repo AND run = $1) AS reserved_tokens,
    (SELECT count(*) FROM ralphctl.reservation WHERE repository = @repo AND run = $1) AS reserved,
    (SELECT coalesce(sum(lanes), 0)::bigint FROM ralphctl.member WHERE repository = @repo AND lease_until > @now) AS lanes,
    (SELECT count(*) FROM ralphctl.task AS t WHERE t.repository = @repo AND t.lease_run = $1 AND t.lease_until > @now
       AND t.id IS DISTINCT FROM $2 AND t.has_verdict = 0 AND NOT EXISTS (
         SELECT FROM ralphctl.reservation AS v WHERE v.repository = @repo AND v.run = $1 AND v.task = t.id)) AS next,
    (SELECT count(*) FROM (SELECT FROM ralphctl.task WHERE repository = @repo AND queue IS NOT NULL LIMIT 1000) AS q) AS ready
  FROM ralphctl.run AS r JOIN ralphctl.run_count AS n ON n.repository = r.repository AND n.run = r.id
  WHERE r.repository = @repo AND r.id = $1`;

/** Within a transaction: the lock on the counters lets one after the other have its part. */
export async function reserve(c: Database, id: string, share: ShareRequest): Promise<Budget> {
  const { holder, lease, member, used = {} } = share;
  await get(c, "SELECT FROM ralphctl.run_count WHERE repository = @repo AND run = $1 FOR UPDATE", id);
  await run(
    c,
    `DELETE FROM ralphctl.reservation AS v WHERE v.repository = @repo AND v.run = $1 AND (v.holder = $2 OR ${OVER})`,
    id,
    holder,
  );
  const row = await get(c, LEFT, id, lease?.task ?? null);
  const part = row === undefined ? {} : partOf(row, used);
  const { costUsd, tokens } = part;
  const { costUsd: usedUsd = 0, tokens: usedTokens = 0 } = used;
  await run(
    c,
    `INSERT INTO ralphctl.reservation (repository, run, holder, task, fence, member, cost_usd, tokens)
     SELECT @repo, $1, $2, $3, $4::bigint, $5::integer, $6::double precision, $7::bigint WHERE EXISTS (SELECT FROM ralphctl.run WHERE repository = @repo AND id = $1)`,
    id,
    holder,
    lease?.task ?? null,
    lease?.fence ?? null,
    member ?? null,
    costUsd === undefined ? 0 : usedUsd + Math.max(0, costUsd),
    tokens === undefined ? 0 : usedTokens + Math.max(0, tokens),
  );
  return part;
}

function partOf(row: PgRow, used: Budget): Budget {
  const of = (name: string): number => row[name] as number;
  const [usd, tokens] = [number(row["limit_cost"]), number(row["limit_tokens"])];
  const { costUsd: usedUsd = 0, tokens: usedTokens = 0 } = used;
  const parts = Math.max(1, Math.min(of("lanes") - of("reserved"), 1 + of("next") + of("ready")));
  return {
    ...(usd !== undefined && { costUsd: (usd - of("cost_usd") - of("reserved_usd") - usedUsd) / parts }),
    ...(tokens !== undefined && {
      tokens: Math.floor((tokens - of("tokens") - of("reserved_tokens") - usedTokens) / parts),
    }),
    ...((parts > 1 || of("reserved") > 0) && { isPart: true }),
  };
}

export async function spend(
  c: Database,
  id: string,
  { used: { costUsd = 0, tokens = 0 }, holder }: { readonly used: Budget; readonly holder?: string | undefined },
): Promise<void> {
  const sql = `WITH over AS (
      DELETE FROM ralphctl.reservation WHERE repository = @repo AND run = $1 AND holder = $4
    )
    UPDATE ralphctl.run_count SET cost_usd = cost_usd + $2::double precision, tokens = tokens + $3::bigint
    WHERE repository = @repo AND run = $1`;
  await run(c, sql, id, costUsd, tokens, holder ?? null);
}

export async function cool(
  c: Database,
  { account, harness }: Pick<FleetCooldown, "account" | "harness">,
  cooldown: NewFleetCooldown | undefined,
): Promise<void> {
  if (cooldown === undefined) {
    const sql = "DELETE FROM ralphctl.cooldown WHERE repository = @repo AND account = $1 AND harness = $2";
    await run(c, sql, account, harness);
    return;
  }
  const sql = `INSERT INTO ralphctl.cooldown AS old (repository, account, harness, why, times, message, until_at)
    VALUES (@repo, $1, $2, $3, $4, $5, @now + $6::bigint)
    ON CONFLICT (repository, account, harness) DO UPDATE SET why = excluded.why, times = excluded.times,
      message = excluded.message, until_at = excluded.until_at WHERE excluded.until_at > old.until_at`;
  const { why, times, message, forMs } = cooldown;
  await run(c, sql, account, harness, why, times, message, Math.ceil(forMs));
}

export const listCooldowns = async (c: Database): Promise<FleetCooldown[]> => {
  const sql = `WITH time AS MATERIALIZED (SELECT @now AS now)
    SELECT cooldown.*, until_at - now AS left_ms FROM ralphctl.cooldown, time
    WHERE repository = @repo AND until_at > now ORDER BY account, harness`;
  return (await all(c, sql)).map((row) => ({
    account: row["account"] as string,
    harness: row["harness"] as string,
    why: row["why"] as Cooldown["why"],
    times: row["times"] as number,
    message: row["message"] as string,
    leftMs: row["left_ms"] as number,
  }));
};
