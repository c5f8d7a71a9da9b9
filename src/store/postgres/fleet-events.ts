import { RalphError } from "../../domain/error.ts";
import type { EventBatch, FileAnswer, FileAsk, FleetEvent, NewFileAsk } from "../fleet.ts";
import { all, type Database, get, run } from "./connection.ts";

export async function appendEvents(c: Database, id: string, { spool, from, lines }: EventBatch): Promise<number> {
  const sql = "SELECT ralphctl.append_events(@repo, $1, $2, $3, $4::text[]) AS there";
  const there = (await get(c, sql, id, spool, from, lines))!["there"] as number;
  if (there >= 0) return there;
  throw new RalphError(
    "data",
    there === -1
      ? `The fleet knows no run ${id}, so its events cannot be kept there`
      : `Events of run ${id} before line ${from + 1} never reached the fleet`,
    { hint: "Look into the database: somebody has removed rows" },
  );
}

export const countSpooled = async (c: Database, id: string, spool: string): Promise<number> => {
  const sql = "SELECT lines FROM ralphctl.spool WHERE repository = @repo AND run = $1 AND name = $2";
  return ((await get(c, sql, id, spool))?.["lines"] ?? 0) as number;
};

export const listEvents = async (
  c: Database,
  id: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<FleetEvent[]> => {
  const sql =
    "SELECT seq, line FROM ralphctl.event WHERE repository = @repo AND run = $1 AND seq > $2 ORDER BY seq LIMIT $3";
  return (await all(c, sql, id, after, limit)).map((row) => ({
    seq: row["seq"] as number,
    line: row["line"] as string,
  }));
};

/** Nobody waits longer for an answer. */
const ASK_MS = 60_000;

export async function addAsk(c: Database, { member, run: id, file, maxBytes }: NewFileAsk): Promise<number> {
  await run(c, `DELETE FROM ralphctl.ask WHERE repository = @repo AND asked_at < @now - ${10 * ASK_MS}`);
  const sql = `INSERT INTO ralphctl.ask (repository, member, run, file, max_bytes, asked_at)
    VALUES (@repo, $1, $2, $3, $4, @now) RETURNING id`;
  return (await get(c, sql, member, id, file, maxBytes))!["id"] as number;
}

export const listAsks = async (c: Database, member: number): Promise<FileAsk[]> => {
  const sql = `SELECT * FROM ralphctl.ask WHERE repository = @repo AND member = $1 AND answered_at IS NULL
    AND asked_at >= @now - ${ASK_MS} ORDER BY id`;
  return (await all(c, sql, member)).map((row) => ({
    id: row["id"] as number,
    member,
    run: row["run"] as string,
    file: row["file"] as string,
    maxBytes: row["max_bytes"] as number,
  }));
};

export async function addAnswer(c: Database, ask: number, answer: FileAnswer): Promise<void> {
  const sql = `UPDATE ralphctl.ask SET answer = $2, is_cut = $3, problem = $4, answered_at = @now
    WHERE repository = @repo AND id = $1 AND answered_at IS NULL`;
  const values = "text" in answer ? [answer.text, answer.isCut ? 1 : 0, null] : [null, null, answer.problem];
  await run(c, sql, ask, ...values);
}

export async function findAnswer(c: Database, ask: number): Promise<FileAnswer | undefined> {
  const sql = "SELECT * FROM ralphctl.ask WHERE repository = @repo AND id = $1 AND answered_at IS NOT NULL";
  const row = await get(c, sql, ask);
  if (row === undefined) return undefined;
  return row["problem"] === null
    ? { text: row["answer"] as string, isCut: row["is_cut"] === 1 }
    : { problem: row["problem"] as string };
}
