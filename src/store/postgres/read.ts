import { groupBy } from "../../domain/group.ts";
import { DECIDING_KINDS } from "../../domain/standing.ts";
import { type Task, type TaskId, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import type { PgRow, PgValue } from "../../system/postgres.ts";
import { toDone, toTask } from "../rows.ts";
import type { DoneFilter, PageRequest, ReadyFilter, ScopeCounts, TaskFilter, TaskPage, TreeFilter } from "../store.ts";
import { ambiguousId, noSuchTask } from "../task-errors.ts";
import { inOrder } from "../tree-order.ts";
import { all, type Database, get } from "./connection.ts";
import { findRow, seqOf, TASK_COLUMNS } from "./rows.ts";

export async function findTask(c: Database, id: TaskId): Promise<Task | undefined> {
  const row = await get(
    c,
    `SELECT ${TASK_COLUMNS} FROM ralphctl.task AS t WHERE t.repository = @repo AND t.id = $1`,
    id,
  );
  return row && toTask(row);
}

/** Ids are ASCII: those that begin with a text lie between it and it with the highest character appended. */
export async function resolveId(c: Database, text: string): Promise<TaskId> {
  if ((await findRow(c, text)) !== undefined) return text;
  const sql = `SELECT id FROM ralphctl.task WHERE repository = @repo AND ((id >= $1 AND id < $2) OR (id >= $3 AND id < $4))
    ORDER BY id LIMIT 10`;
  const bounds = [text, `t-${text}`].flatMap((prefix) => [prefix, `${prefix}\u{10ffff}`]);
  const ids = (await all(c, sql, ...bounds)).map((row) => row["id"] as string);
  if (ids.length === 0 || text === "") throw noSuchTask(text);
  if (ids.length > 1) throw ambiguousId(text, ids);
  return ids[0]!;
}

/** Conditions and their values; each `?` becomes the number of its value. */
class Where {
  readonly values: PgValue[] = [];
  text = "t.repository = @repo";

  and(sql: string, ...values: readonly PgValue[]): this {
    let at = this.values.length;
    this.text += ` AND ${sql.replace(/\?/g, () => `$${++at}`)}`;
    this.values.push(...values);
    return this;
  }
}

function chosen(filter: TaskFilter): Where {
  const where = new Where();
  if (filter.scopes) where.and("t.scope = ANY (?::text[])", filter.scopes);
  if (filter.statuses) where.and("t.status = ANY (?::text[])", filter.statuses);
  if (filter.sourceFile !== undefined) where.and("t.source_file = ?", filter.sourceFile);
  if (filter.tag !== undefined)
    where.and("EXISTS (SELECT FROM json_array_elements_text(t.tags::json) AS one WHERE one = ?)", filter.tag);
  if (filter.parent !== undefined) {
    where.and("t.parent = (SELECT seq FROM ralphctl.task WHERE repository = @repo AND id = ?)", filter.parent);
  }
  const text = filter.text?.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  // In this collation only A–Z have small letters.
  if (text !== undefined)
    where.and("(strpos(lower(t.title), ?) > 0 OR strpos(lower(t.description), ?) > 0)", text, text);
  return where;
}

export async function listTasks(c: Database, filter: TaskFilter, page: PageRequest): Promise<TaskPage> {
  const limit = rowLimit(page.limit ?? 1000);
  const where = chosen(filter).and("t.seq > ?", Number(page.cursor ?? 0));
  const sql = `SELECT ${TASK_COLUMNS} FROM ralphctl.task AS t WHERE ${where.text} ORDER BY t.seq LIMIT ${limit + 1}`;
  const rows = await all(c, sql, ...where.values);
  const cursor = rows.length > limit ? String(rows[limit - 1]?.["seq"]) : undefined;
  return { tasks: rows.slice(0, limit).map(toTask), cursor };
}

const BY_ID_PAGE = 1000;

export async function listById(c: Database, filter: TaskFilter, after: string): Promise<TaskPage> {
  const where = chosen(filter).and("t.id > ?", after);
  const sql = `SELECT ${TASK_COLUMNS} FROM ralphctl.task AS t WHERE ${where.text} ORDER BY t.id LIMIT ${BY_ID_PAGE}`;
  const tasks = (await all(c, sql, ...where.values)).map(toTask);
  return { tasks, cursor: tasks.length === BY_ID_PAGE ? tasks.at(-1)!.id : undefined };
}

export async function readyTasks(c: Database, { scopes, limit = 100 }: ReadyFilter): Promise<Task[]> {
  const where = chosen({ scopes }).and("t.queue = 0");
  const order = `ORDER BY t.priority, t.seq LIMIT ${rowLimit(limit)}`;
  return (
    await all(c, `SELECT ${TASK_COLUMNS} FROM ralphctl.task AS t WHERE ${where.text} ${order}`, ...where.values)
  ).map(toTask);
}

export async function taskTree(c: Database, { scopes, root }: TreeFilter) {
  const where = chosen({ scopes });
  if (root !== undefined) {
    const below = `WITH RECURSIVE down (seq) AS (SELECT ?::integer UNION ALL SELECT k.seq FROM down
      JOIN ralphctl.task AS k ON k.repository = @repo AND k.parent = down.seq) SELECT seq FROM down`;
    where.and(`t.seq IN (${below})`, await seqOf(c, root));
  }
  const sql = `SELECT ${TASK_COLUMNS} FROM ralphctl.task AS t WHERE ${where.text} ORDER BY t.seq`;
  return inOrder(await all(c, sql, ...where.values), root);
}

export async function allScopes(c: Database): Promise<string[]> {
  const sql = "SELECT DISTINCT scope FROM ralphctl.task WHERE repository = @repo ORDER BY scope";
  return (await all(c, sql)).map((row) => row["scope"] as string);
}

export async function countTasks(c: Database, scopes: readonly string[] | undefined): Promise<ScopeCounts[]> {
  const where = chosen({ scopes });
  const sql = `SELECT t.scope, t.status, t.is_group, count(*) AS n, count(*) FILTER (WHERE t.queue = 0) AS ready,
      count(*) FILTER (WHERE t.status = 'failed' AND t.retry = 1) AS retry
    FROM ralphctl.task AS t WHERE ${where.text} GROUP BY 1, 2, 3 ORDER BY 1`;
  const byScope = groupBy(await all(c, sql, ...where.values), (row) => row["scope"] as string);
  return [...byScope].map(([scope, rows]) => {
    const leaves = rows.filter((row) => row["is_group"] === 0);
    const open = perStatus(leaves);
    const ready = sum(leaves, "ready");
    return {
      scope,
      all: perStatus(rows),
      leaves: open,
      ready,
      blocked: open.pending - ready,
      retry: sum(leaves, "retry"),
    };
  });
}

const sum = (rows: readonly PgRow[], column: string): number =>
  rows.reduce((total, row) => total + (row[column] as number), 0);

const perStatus = (rows: readonly PgRow[]): Record<TaskStatus, number> =>
  Object.fromEntries(
    taskStatuses.map((status) => [
      status,
      sum(
        rows.filter((row) => row["status"] === status),
        "n",
      ),
    ]),
  ) as Record<TaskStatus, number>;

const DONE_PAGE = 500;
const KINDS = DECIDING_KINDS.map((kind) => `'${kind}'`).join(", ");

/** One page of done tasks, and where the next one begins. */
export async function listDone(c: Database, { scopes, only }: DoneFilter, after: number) {
  const where = chosen({ scopes }).and("t.status = 'done' AND t.is_group = 0 AND t.seq > ?", after);
  if (only) where.and("t.id = ANY (?::text[])", only);
  const rows = await all(
    c,
    `SELECT t.seq, t.id, t.title, l.actor, l.kind, a.verdict FROM ralphctl.task AS t
     LEFT JOIN LATERAL (SELECT actor, kind FROM ralphctl.log WHERE repository = @repo AND task = t.seq AND kind IN (${KINDS})
       ORDER BY entry DESC LIMIT 1) AS l ON true
     LEFT JOIN LATERAL (SELECT verdict FROM ralphctl.attempt WHERE repository = @repo AND task = t.seq
       AND verdict IS NOT NULL AND outcome = 'verified' ORDER BY fence DESC LIMIT 1) AS a ON true
     WHERE ${where.text} ORDER BY t.seq LIMIT ${DONE_PAGE}`,
    ...where.values,
  );
  return { tasks: rows.map(toDone), next: rows.length < DONE_PAGE ? undefined : (rows.at(-1)!["seq"] as number) };
}

export async function listDependents(c: Database, id: TaskId): Promise<TaskId[]> {
  const sql = `SELECT t.id FROM ralphctl.dependency AS d JOIN ralphctl.task AS t ON t.repository = d.repository AND t.seq = d.blocked
    WHERE d.repository = @repo AND d.blocker = $1 ORDER BY t.seq`;
  return (await all(c, sql, await seqOf(c, id))).map((row) => row["id"] as string);
}

const rowLimit = (limit: number): number => Math.min(Math.max(Math.trunc(limit) || 0, 0), 1e15);
