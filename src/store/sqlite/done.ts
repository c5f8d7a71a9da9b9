import { DECIDING_KINDS } from "../../domain/standing.ts";
import type { SqliteValue } from "../../system/sqlite-driver.ts";
import type { DoneFilter } from "../store.ts";
import { all, type Connection, run } from "./connection.ts";
import { ADDED_AS_DONE, toDone } from "../rows.ts";

const PAGE = 500;
const KINDS = DECIDING_KINDS.map((kind) => `'${kind}'`).join(", ");

/** One page of done tasks, and where the next one begins. */
export function listDone(c: Connection, { scopes, only }: DoneFilter, after: number) {
  const conditions: [sql: string, values: SqliteValue[]][] = [["t.seq > ?", [after]]];
  if (scopes) conditions.push(["t.scope IN (SELECT value FROM json_each(?))", [JSON.stringify(scopes)]]);
  if (only) conditions.push(["t.id IN (SELECT value FROM json_each(?))", [JSON.stringify(only)]]);
  const rows = all(
    c,
    `SELECT t.seq, t.id, t.title, l.actor, l.kind, a.verdict
     FROM task AS t
     LEFT JOIN log AS l ON l.task = t.seq AND l.entry =
       (SELECT max(entry) FROM log WHERE task = t.seq AND kind IN (${KINDS}))
     LEFT JOIN attempt AS a ON a.task = t.seq AND a.fence =
       (SELECT max(fence) FROM attempt WHERE task = t.seq AND verdict IS NOT NULL AND outcome = 'verified')
     WHERE t.status = 'done' AND t.is_group = 0 AND ${conditions.map(([sql]) => sql).join(" AND ")}
     ORDER BY t.seq LIMIT ${PAGE}`,
    ...conditions.flatMap(([, values]) => values),
  );
  return { tasks: rows.map(toDone), next: rows.length < PAGE ? undefined : (rows.at(-1)!["seq"] as number) };
}

/** T-15: that a task is done when it is added is the word of the person who adds it. */
export function logAddedAsDone(c: Connection, since: number): void {
  const sql = `INSERT INTO log (task, entry, at, actor, kind, text)
    SELECT seq, 1, ?1, 'person', 'complete', ?2 FROM task WHERE seq > ?3 AND own = 'done' ORDER BY seq`;
  run(c, sql, c.clock(), ADDED_AS_DONE, since);
}
