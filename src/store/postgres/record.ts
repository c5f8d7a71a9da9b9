import { cleanText } from "../../domain/task-input.ts";
import type { TaskId } from "../../domain/task.ts";
import { json, toAttempt, toLogEntry } from "../rows.ts";
import type { Attempt, LogEntry, NewLogEntry } from "../store.ts";
import { all, type Database, get, run } from "./connection.ts";
import { seqOf } from "./rows.ts";

export async function addLog(c: Database, seq: number, { by, kind, text }: NewLogEntry): Promise<void> {
  // Of a task that is being removed nothing is kept.
  const sql = `WITH its AS MATERIALIZED (SELECT seq FROM ralphctl.task WHERE repository = @repo AND seq = $1 FOR KEY SHARE)
    INSERT INTO ralphctl.log (repository, task, at, actor, kind, text) SELECT @repo, seq, @now, $2, $3, $4 FROM its`;
  await run(c, sql, seq, by, kind, cleanText(text, "note"));
}

export async function listLog(c: Database, id: TaskId, kinds?: readonly string[]): Promise<LogEntry[]> {
  const sql = `SELECT at, actor, kind, text FROM ralphctl.log WHERE repository = @repo AND task = $1
    AND ($2::text[] IS NULL OR kind = ANY ($2::text[])) ORDER BY entry`;
  return (await all(c, sql, await seqOf(c, id), kinds ?? null)).map(toLogEntry);
}

export async function listAttempts(c: Database, id: TaskId, after = 0): Promise<Attempt[]> {
  const sql = "SELECT * FROM ralphctl.attempt WHERE repository = @repo AND task = $1 AND fence > $2 ORDER BY fence";
  return (await all(c, sql, await seqOf(c, id), after)).map(toAttempt);
}

export const readMeta = async (c: Database, key: string): Promise<unknown> =>
  json((await get(c, "SELECT value FROM ralphctl.meta WHERE repository = @repo AND key = $1", key))?.["value"]);

export async function writeMeta(c: Database, key: string, value: unknown): Promise<void> {
  if (value === undefined) await run(c, "DELETE FROM ralphctl.meta WHERE repository = @repo AND key = $1", key);
  else {
    const sql = `INSERT INTO ralphctl.meta (repository, key, value) VALUES (@repo, $1, $2)
      ON CONFLICT (repository, key) DO UPDATE SET value = excluded.value`;
    await run(c, sql, key, JSON.stringify(value));
  }
}
