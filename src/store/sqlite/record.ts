import { cleanText } from "../../domain/task-input.ts";
import type { TaskId } from "../../domain/task.ts";
import type { Attempt, LogEntry, NewLogEntry } from "../store.ts";
import { all, type Connection, get, run } from "./connection.ts";
import { seqOf } from "./links.ts";
import { json, toAttempt, toLogEntry } from "../rows.ts";

export function addLog(c: Connection, seq: number, { by, kind, text }: NewLogEntry): void {
  const sql = `INSERT INTO log (task, entry, at, actor, kind, text)
    VALUES (?1, (SELECT coalesce(max(entry), 0) + 1 FROM log WHERE task = ?1), ?2, ?3, ?4, ?5)`;
  run(c, sql, seq, c.clock(), by, kind, cleanText(text, "note"));
}

export function listLog(c: Connection, id: TaskId, kinds?: readonly string[]): LogEntry[] {
  const only = kinds === undefined ? "" : `AND kind IN (${kinds.map(() => "?").join(", ")})`;
  const sql = `SELECT at, actor, kind, text FROM log WHERE task = ? ${only} ORDER BY entry`;
  return all(c, sql, seqOf(c, id), ...(kinds ?? [])).map(toLogEntry);
}

export const listAttempts = (c: Connection, id: TaskId, after = 0): Attempt[] =>
  all(c, "SELECT * FROM attempt WHERE task = ? AND fence > ? ORDER BY fence", seqOf(c, id), after).map(toAttempt);

export const readMeta = (c: Connection, key: string): unknown =>
  json(get(c, "SELECT value FROM meta WHERE key = ?", key)?.["value"]);

export function writeMeta(c: Connection, key: string, value: unknown): void {
  if (value === undefined) run(c, "DELETE FROM meta WHERE key = ?", key);
  else run(c, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, JSON.stringify(value));
}
