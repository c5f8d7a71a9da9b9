import type { TaskId } from "../../domain/task.ts";
import type { PgRow, PgValue } from "../../system/postgres.ts";
import { noSuchTask } from "../task-errors.ts";
import { type Database, get } from "./connection.ts";

/** All that `toTask` reads. The caller names the table `t`. */
export const TASK_COLUMNS = `t.*,
  (SELECT p.id FROM ralphctl.task AS p WHERE p.repository = t.repository AND p.seq = t.parent) AS parent_id,
  (SELECT coalesce(json_agg(b.id ORDER BY d.blocker)::text, '[]') FROM ralphctl.dependency AS d
     JOIN ralphctl.task AS b ON b.repository = d.repository AND b.seq = d.blocker
   WHERE d.repository = t.repository AND d.blocked = t.seq) AS needs`;

/** A row as the functions of the schema answer it; all that `toTask` reads. */
export function wholeRow(answer: string): PgRow {
  const [row, parent, needs] = JSON.parse(answer) as [PgRow, string | null, readonly string[]];
  return { ...row, parent_id: parent, needs: needs.length === 0 ? "[]" : JSON.stringify(needs) };
}

/** What a function of the schema answers. */
export async function answerOf(c: Database, sql: string, ...values: readonly PgValue[]): Promise<string | undefined> {
  const answer = (await get(c, `SELECT ${sql} AS answer`, ...values))?.["answer"];
  return typeof answer === "string" ? answer : undefined;
}

/** Whether these are still the values of a row that was read before. */
export const UNCHANGED = "t.repository = @repo AND t.seq = $1 AND t.revision = $2 AND t.fence = $3";

export const unchanged = (row: PgRow): [seq: number, revision: number, fence: number] => [
  row["seq"] as number,
  row["revision"] as number,
  row["fence"] as number,
];

/** The row, with the time at which it was read. */
export const findRow = (c: Database, id: TaskId): Promise<PgRow | undefined> =>
  get(c, "SELECT *, @now AS now FROM ralphctl.task WHERE repository = @repo AND id = $1", id);

export async function rowOf(c: Database, id: TaskId): Promise<PgRow> {
  const row = await findRow(c, id);
  if (row === undefined) throw noSuchTask(id);
  return row;
}

export const seqOf = async (c: Database, id: TaskId): Promise<number> => (await rowOf(c, id))["seq"] as number;
