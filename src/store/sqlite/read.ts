import { type Task, type TaskId, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import type { SqliteRow, SqliteValue } from "../../system/sqlite-driver.ts";
import { ambiguousId, noSuchTask } from "../task-errors.ts";
import type { PageRequest, ReadyFilter, ScopeCounts, TaskFilter, TaskPage, TreeEntry, TreeFilter } from "../store.ts";
import { all, type Connection, get } from "./connection.ts";
import { findSeq, seqOf } from "./links.ts";
import { toTask } from "../rows.ts";
import { inOrder } from "../tree-order.ts";
import { TASK_COLUMNS } from "./task-columns.ts";

export function findTask(c: Connection, id: TaskId): Task | undefined {
  const row = get(c, `SELECT ${TASK_COLUMNS} FROM task AS t WHERE id = ?`, id);
  return row && toTask(row);
}

/** Ids are ASCII: those that begin with a text lie between it and it with the highest character appended. */
export function resolveId(c: Connection, text: string): TaskId {
  if (findSeq(c, text) !== undefined) return text;
  const matches = [text, `t-${text}`].flatMap((prefix) =>
    all(c, "SELECT id FROM task WHERE id >= ? AND id < ? ORDER BY id LIMIT 10", prefix, `${prefix}\u{10ffff}`),
  );
  const ids = [...new Set(matches.map((row) => row["id"] as string))].sort().slice(0, 10);
  if (ids.length === 0 || text === "") throw noSuchTask(text);
  if (ids.length > 1) throw ambiguousId(text, ids);
  return ids[0]!;
}

export function listTasks(c: Connection, filter: TaskFilter, page: PageRequest): TaskPage {
  const limit = rowLimit(page.limit ?? 1000);
  const { from, values } = candidates(c, filter, Number(page.cursor ?? 0));
  const { where, more } = conditions(filter);
  const sql = `SELECT ${TASK_COLUMNS} FROM ${from} ${where} ORDER BY t.seq LIMIT ${limit + 1}`;
  const rows = all(c, sql, ...values, ...more);
  const tasks = rows.slice(0, limit).map(toTask);
  return { tasks, cursor: rows.length > limit ? String(rows[limit - 1]?.["seq"]) : undefined };
}

/** Follows the index on ids and skips what the filter leaves out. */
export function listById(c: Connection, filter: TaskFilter, after: string): TaskPage {
  const parent = filter.parent === undefined ? undefined : (findSeq(c, filter.parent) ?? -1);
  const { where, more } = conditions(filter);
  const beneath = parent === undefined ? "" : "AND t.parent = ?";
  const sql = `SELECT ${TASK_COLUMNS} FROM task AS t WHERE t.id > ? ${where} ${beneath} ORDER BY t.id LIMIT ?`;
  const rows = all(c, sql, after, ...more, ...(parent === undefined ? [] : [parent]), BY_ID_PAGE);
  const tasks = rows.map(toTask);
  return { tasks, cursor: rows.length === BY_ID_PAGE ? tasks.at(-1)!.id : undefined };
}

const BY_ID_PAGE = 1000;

const NO_SCOPE_LIMIT = 100;

/**
 * Where to look, oldest first without sorting: each pair of scope and status is a sorted stretch of one index, and
 * SQLite merges them. Without either, the table itself is in that order.
 */
function candidates(c: Connection, filter: TaskFilter, after: number): { from: string; values: SqliteValue[] } {
  if (filter.parent !== undefined) {
    const parent = findSeq(c, filter.parent) ?? -1;
    return { from: "task AS t WHERE t.parent = ? AND t.seq > ?", values: [parent, after] };
  }
  const scopes = filter.scopes ?? (filter.statuses ? allScopes(c) : undefined);
  const pairs = scopes?.flatMap((scope) => (filter.statuses ?? taskStatuses).map((status) => [scope, status] as const));
  if (pairs === undefined || pairs.length > NO_SCOPE_LIMIT)
    return { from: "task AS t WHERE t.seq > ?", values: [after] };
  if (pairs.length === 0) return { from: "task AS t WHERE 0", values: [] };
  const one = "SELECT seq FROM task INDEXED BY task_scope_status WHERE scope = ? AND status = ? AND seq > ?";
  const merged = pairs.map(() => one).join(" UNION ALL ");
  return {
    from: `(${merged} ORDER BY seq) AS k CROSS JOIN task AS t ON t.seq = k.seq WHERE 1`,
    values: pairs.flatMap(([scope, status]) => [scope, status, after]),
  };
}

function conditions(filter: TaskFilter): { where: string; more: SqliteValue[] } {
  const text = filter.text?.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const parts: [sql: string, values: SqliteValue[]][] = [];
  if (filter.scopes) parts.push(["t.scope IN (SELECT value FROM json_each(?))", [JSON.stringify(filter.scopes)]]);
  if (filter.statuses) parts.push(["t.status IN (SELECT value FROM json_each(?))", [JSON.stringify(filter.statuses)]]);
  if (filter.tag !== undefined) parts.push(["EXISTS (SELECT 1 FROM json_each(t.tags) WHERE value = ?)", [filter.tag]]);
  if (filter.sourceFile !== undefined) parts.push(["t.source_file = ?", [filter.sourceFile]]);
  if (text !== undefined) {
    parts.push(["(instr(lower(t.title), ?) > 0 OR instr(lower(t.description), ?) > 0)", [text, text]]);
  }
  return { where: parts.map(([sql]) => `AND ${sql}`).join(" "), more: parts.flatMap(([, values]) => values) };
}

export function readyTasks(c: Connection, { scopes, limit = 100 }: ReadyFilter): Task[] {
  const places = scopes ?? allScopes(c);
  const sql = `SELECT ${TASK_COLUMNS} FROM task AS t INDEXED BY task_scope_queue
    WHERE t.scope = ? AND queue = 0 ORDER BY t.priority, t.seq LIMIT ${rowLimit(limit)}`;
  const rows = places.flatMap((scope) => all(c, sql, scope));
  if (places.length > 1) {
    rows.sort((a, b) => number(a, "priority") - number(b, "priority") || number(a, "seq") - number(b, "seq"));
  }
  return rows.slice(0, limit).map(toTask);
}

export function taskTree(c: Connection, { scopes, root }: TreeFilter): TreeEntry[] {
  const inScope = scopes === undefined ? "" : "WHERE t.scope IN (SELECT value FROM json_each(?))";
  const values = scopes === undefined ? [] : [JSON.stringify(scopes)];
  const rows =
    root === undefined
      ? all(c, `SELECT ${TASK_COLUMNS} FROM task AS t ${inScope} ORDER BY t.seq`, ...values)
      : all(
          c,
          `WITH RECURSIVE down (seq) AS (
             SELECT ? UNION ALL SELECT task.seq FROM down JOIN task ON task.parent = down.seq
           ) SELECT ${TASK_COLUMNS} FROM down CROSS JOIN task AS t ON t.seq = down.seq ${inScope} ORDER BY t.seq`,
          seqOf(c, root),
          ...values,
        );
  return inOrder(rows, root);
}

export function countTasks(c: Connection, scopes: readonly string[] | undefined): ScopeCounts[] {
  const known = allScopes(c);
  const chosen = scopes === undefined ? known : [...new Set(scopes)].sort();
  return chosen
    .map((scope) => countScope(c, scope, { isOnly: known.length === 1 && scope === known[0] }))
    .filter(({ all }) => Object.values(all).some((count) => count > 0));
}

/** `isOnly`: there is no other. Counting all rows, or all of an index, takes a fraction of counting some. */
function countScope(c: Connection, scope: string, { isOnly }: { readonly isOnly: boolean }): ScopeCounts {
  // One by one: grouped, it takes twice as long.
  const one = (status: TaskStatus): number =>
    countOne(c, `task_scope_status WHERE scope = ? AND status = '${status}'`, scope);
  const settled = perStatus((status) => (status === "pending" ? 0 : one(status)));
  const others = Object.values(settled).reduce((sum, count) => sum + count, 0);
  const every = { ...settled, pending: isOnly ? countAll(c, "task") - others : one("pending") };
  const sql = `SELECT status, count(*) AS n FROM task INDEXED BY task_parents WHERE scope = ? AND is_group = 1 GROUP BY status`;
  const parents = new Map(all(c, sql, scope).map((row) => [row["status"], number(row, "n")]));
  const leaves = perStatus((status) => every[status] - (parents.get(status) ?? 0));
  const inQueue = (place: 0 | 1): number => countOne(c, `task_scope_queue WHERE scope = ? AND queue = ${place}`, scope);
  const ready = isOnly
    ? countAll(c, "task INDEXED BY task_scope_queue WHERE queue IS NOT NULL") - inQueue(1)
    : inQueue(0);
  const toRetry = "task_scope_status WHERE scope = ? AND status = 'failed' AND retry = 1 AND is_group = 0";
  const retry = countOne(c, toRetry, scope);
  return { scope, all: every, leaves, ready, blocked: leaves.pending - ready, retry };
}

const countOne = (c: Connection, where: string, scope: string): number =>
  number(get(c, `SELECT count(*) AS n FROM task INDEXED BY ${where}`, scope)!, "n");

const countAll = (c: Connection, from: string): number => number(get(c, `SELECT count(*) AS n FROM ${from}`)!, "n");

const perStatus = (count: (status: TaskStatus) => number): Record<TaskStatus, number> =>
  Object.fromEntries(taskStatuses.map((status) => [status, count(status)])) as Record<TaskStatus, number>;

/** Jumps from scope to scope in the index, rather than reading it. */
export function allScopes(c: Connection): string[] {
  const rows = all(
    c,
    `WITH RECURSIVE s (scope) AS (
       SELECT min(scope) FROM task UNION ALL SELECT (SELECT min(scope) FROM task WHERE scope > s.scope) FROM s WHERE s.scope IS NOT NULL
     ) SELECT scope FROM s WHERE scope IS NOT NULL`,
  );
  return rows.map((row) => row["scope"] as string);
}

/** For the text of a statement: SQLite prepares one whose limit is a parameter anew each time, for five times the cost. */
const rowLimit = (limit: number): number => Math.min(Math.max(Math.trunc(limit) || 0, 0), 1e15);

const number = (row: SqliteRow, column: string): number => row[column] as number;
