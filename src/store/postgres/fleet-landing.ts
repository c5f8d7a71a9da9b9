import { sameOwner } from "../../domain/task.ts";
import type { PgRow } from "../../system/postgres.ts";
import type { FleetLanding, Held, Intent, NewIntent } from "../fleet.ts";
import { isGone } from "../lease.ts";
import { number, ownerValues, storedLease, text } from "../rows.ts";
import { all, type Database, get, run } from "./connection.ts";

/** A process may take what it has: it may not have heard that it got it. Its own lanes take turns by themselves. */
export async function takeLander(
  c: Database,
  target: string,
  { owner, leaseMs }: Held,
): Promise<{ readonly epoch: number } | undefined> {
  await run(c, "INSERT INTO ralphctl.lander (repository, target) VALUES (@repo, $1) ON CONFLICT DO NOTHING", target);
  const found = "SELECT *, @now AS now FROM ralphctl.lander WHERE repository = @repo AND target = $1";
  const row = (await get(c, found, target))!;
  const lease = storedLease(row);
  if (lease && !sameOwner(lease.owner, owner) && !isGone(lease, row["now"] as number, c.isAlive)) return undefined;
  const sql = `UPDATE ralphctl.lander SET epoch = epoch + 1, lease_host = $4, lease_pid = $5, lease_start = $6,
      lease_until = @now + $7::bigint, lease_ms = $7::bigint
    WHERE repository = @repo AND target = $1 AND epoch = $2 AND lease_until IS NOT DISTINCT FROM $3::bigint RETURNING epoch`;
  const taken = await get(c, sql, target, row["epoch"]!, row["lease_until"]!, ...ownerValues(owner), leaseMs);
  return taken && { epoch: taken["epoch"] as number };
}

const HELD = "repository = @repo AND target = $1 AND epoch = $2 AND lease_host IS NOT NULL";

export async function keepLander(c: Database, target: string, epoch: number): Promise<"held" | "lost"> {
  const sql = `UPDATE ralphctl.lander SET lease_until = @now + lease_ms WHERE ${HELD}`;
  return (await run(c, sql, target, epoch)) === 1 ? "held" : "lost";
}

export const leaveLander = async (c: Database, target: string, epoch: number): Promise<void> => {
  const none = "lease_host = NULL, lease_pid = NULL, lease_start = NULL, lease_until = NULL, lease_ms = NULL";
  await run(c, `UPDATE ralphctl.lander SET ${none} WHERE ${HELD}`, target, epoch);
};

/** The row's lock keeps another from becoming the lander until the intent is written. */
const LANDER = `lander AS MATERIALIZED (SELECT epoch FROM ralphctl.lander WHERE ${HELD} FOR SHARE)`;

export async function addIntent(c: Database, intent: NewIntent): Promise<"written" | "fenced"> {
  const sql = `WITH ${LANDER}
    INSERT INTO ralphctl.intent (repository, target, epoch, to_commit, from_commit, tree, run, task, fence, state, written_at)
    SELECT @repo, $1, $2, $3, $4, $5, $6, $7, $8::bigint, 'open', @now FROM lander
    ON CONFLICT (repository, target, epoch, to_commit) DO UPDATE SET state = 'open' WHERE intent.state = 'given-up'
      OR intent.state = 'open'`;
  const { target, epoch, to, from = null, tree, task = null, fence = null } = intent;
  return (await run(c, sql, target, epoch, to, from, tree, intent.run, task, fence)) === 1 ? "written" : "fenced";
}

export async function closeIntent(
  c: Database,
  { target, epoch, to }: Pick<Intent, "target" | "epoch" | "to">,
  by: Parameters<FleetLanding["closeIntent"]>[1],
): Promise<"closed" | "fenced"> {
  const sql = `WITH ${LANDER} UPDATE ralphctl.intent AS i SET state = $5 FROM lander
    WHERE i.repository = @repo AND i.target = $1 AND i.epoch = $3 AND i.to_commit = $4 AND i.state IN ('open', $5)`;
  return (await run(c, sql, target, by.epoch, epoch, to, by.how)) === 1 ? "closed" : "fenced";
}

export const listOpenIntents = async (c: Database, target: string): Promise<Intent[]> => {
  const sql = `SELECT * FROM ralphctl.intent WHERE repository = @repo AND target = $1 AND state = 'open'
    ORDER BY epoch, written_at`;
  return (await all(c, sql, target)).map(toIntent);
};

export async function findLanded(
  c: Database,
  target: string,
  commits: readonly string[],
): Promise<ReadonlyMap<string, Intent>> {
  const sql = `SELECT * FROM ralphctl.intent WHERE repository = @repo AND target = $1 AND state = 'landed'
    AND to_commit = ANY ($2::text[])`;
  return new Map((await all(c, sql, target, commits)).map((row) => [row["to_commit"] as string, toIntent(row)]));
}

const toIntent = (row: PgRow): Intent => ({
  target: row["target"] as string,
  epoch: row["epoch"] as number,
  from: text(row["from_commit"]),
  to: row["to_commit"] as string,
  tree: row["tree"] as string,
  run: row["run"] as string,
  task: text(row["task"]),
  fence: number(row["fence"]),
  state: row["state"] as Intent["state"],
});
