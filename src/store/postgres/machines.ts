import { all, type Database } from "./connection.ts";

/** What a machine holds. */
export interface MachineLeases {
  readonly host: string;
  readonly tasks: number;
  /** Those of them whose lease has run out. */
  readonly expired: number;
  /** Until the first of its leases ends, by the server's time; negative if that was before. */
  readonly leftMs: number;
}

export async function listMachines(c: Database): Promise<MachineLeases[]> {
  const rows = await all(
    c,
    `WITH time AS MATERIALIZED (SELECT @now AS now)
     SELECT lease_host AS host, count(*) AS tasks, count(*) FILTER (WHERE lease_until <= now) AS expired,
       min(lease_until) - min(now) AS left_ms
     FROM ralphctl.task, time WHERE repository = @repo AND lease_host IS NOT NULL GROUP BY lease_host ORDER BY lease_host`,
  );
  return rows.map((row) => ({
    host: row["host"] as string,
    tasks: row["tasks"] as number,
    expired: row["expired"] as number,
    leftMs: row["left_ms"] as number,
  }));
}
