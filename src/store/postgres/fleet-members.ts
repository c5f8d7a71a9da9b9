import type { PgRow } from "../../system/postgres.ts";
import type { Member, MemberHarness, MemberState, NewMember } from "../fleet.ts";
import { isGone } from "../lease.ts";
import { json, leaseOwner, ownerValues, storedLease } from "../rows.ts";
import { all, type Database, get, run } from "./connection.ts";

/** Numbers of the dead stay theirs while a run lasts: their lanes are in its events. */
export async function joinFleet(c: Database, member: NewMember): Promise<Member> {
  await run(
    c,
    `DELETE FROM ralphctl.member WHERE repository = @repo AND lease_until <= @now
       AND NOT EXISTS (SELECT FROM ralphctl.run WHERE repository = @repo AND ended_at IS NULL)`,
  );
  for (;;) {
    const row = await get(
      c,
      `WITH time AS MATERIALIZED (SELECT @now AS now),
       free AS (
         SELECT min(n) AS n FROM generate_series(1, (SELECT count(*) + 1 FROM ralphctl.member WHERE repository = @repo)) AS n
         WHERE NOT EXISTS (SELECT FROM ralphctl.member WHERE repository = @repo AND number = n)
       )
       INSERT INTO ralphctl.member (repository, number, name, lanes, harnesses, version, lease_host, lease_pid, lease_start,
         lease_until, lease_ms, joined_at, seen_at, state)
       SELECT @repo, n, $1, $2::integer, $3, $4, $5, $6::bigint, $7, now + $8::bigint, $8::bigint, now, now, $9 FROM time, free
       ON CONFLICT DO NOTHING RETURNING *, seen_at AS now`,
      member.name,
      member.lanes,
      JSON.stringify(member.harnesses),
      member.version,
      ...ownerValues(member.owner),
      member.leaseMs,
      JSON.stringify({ lanes: [] } satisfies MemberState),
    );
    if (row !== undefined) return toMember(c, row);
  }
}

type Known = Pick<Member, "number" | "owner">;

const ITS_ROW = "repository = @repo AND number = $1 AND lease_host = $2 AND lease_pid = $3 AND lease_start = $4";

export async function beatMember(
  c: Database,
  { number: own, owner }: Known,
  state: MemberState,
): Promise<"held" | "lost"> {
  const sql = `UPDATE ralphctl.member SET lease_until = @now + lease_ms, seen_at = @now, state = $5 WHERE ${ITS_ROW}`;
  return (await run(c, sql, own, ...ownerValues(owner), JSON.stringify(state))) === 1 ? "held" : "lost";
}

export const leaveFleet = async (c: Database, { number: own, owner }: Known): Promise<void> =>
  void (await run(c, `DELETE FROM ralphctl.member WHERE ${ITS_ROW}`, own, ...ownerValues(owner)));

export const listMembers = async (c: Database): Promise<Member[]> => {
  const sql = "SELECT *, @now AS now FROM ralphctl.member WHERE repository = @repo ORDER BY number";
  return (await all(c, sql)).map((row) => toMember(c, row));
};

function toMember(c: Database, row: PgRow): Member {
  const now = row["now"] as number;
  return {
    number: row["number"] as number,
    owner: leaseOwner(row),
    name: row["name"] as string,
    lanes: row["lanes"] as number,
    harnesses: json(row["harnesses"]) as readonly MemberHarness[],
    version: row["version"] as string,
    state: json(row["state"]) as MemberState,
    isLive: !isGone(storedLease(row)!, now, c.isAlive),
    joinedMs: now - (row["joined_at"] as number),
    silentMs: now - (row["seen_at"] as number),
  };
}
