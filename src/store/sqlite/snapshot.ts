import type { SqliteValue } from "../../system/sqlite-driver.ts";
import type { TaskSnapshot } from "../store.ts";
import { type Connection, dataVersion, get, pragma } from "./connection.ts";
import { lastSeqOf } from "./links.ts";

interface Field {
  /** As a report calls it. */
  readonly name: string;
  readonly sql: string;
}

/** The columns that only a change of the task itself may alter. Without those that follow from other tasks. */
const COLUMNS: readonly Field[] = Object.entries({
  state: "own",
  scope: "scope",
  priority: "priority",
  retry: "retry retry_limit",
  attempts: "attempts",
  "attempt limit": "attempt_limit",
  // Not its end: every heartbeat moves that.
  lease: "fence lease_host lease_pid lease_start lease_ms lease_run has_verdict",
  times: "created_at updated_at started_at ended_at",
  "no-change rule": "allow_no_change",
  "own work": "keeps_work",
  "files it may change": "may_change",
  title: "title",
  description: "description",
  "acceptance criteria": "acceptance",
  model: "model",
  tags: "tags",
  gates: "gates",
  source: "source_file source_key",
  question: "question",
  reason: "reason",
  summary: "summary",
}).flatMap(([name, columns]) => columns.split(" ").map((sql) => ({ name, sql })));

const FIELDS: readonly Field[] = [
  { name: "parent", sql: "(SELECT id FROM task AS p WHERE p.seq = t.parent)" },
  {
    name: "needs",
    sql: "(SELECT group_concat(b.id) FROM dependency AS d JOIN task AS b ON b.seq = d.blocker WHERE d.blocked = t.seq)",
  },
  { name: "lease", sql: "lease_until IS NOT NULL" },
  { name: "state", sql: "iif(is_group = 0, status, own)" },
  ...COLUMNS,
];

/** Above this a snapshot has only the tasks that somebody works on, and some of the next in line. */
const MANY = { tasks: 20_000, bytes: 64 * 1024 * 1024 };
const NEXT_IN_LINE = 1000;
const BLOCK = 1000;

export interface TaskRow {
  readonly id: string;
  readonly seq: number;
  readonly revision: number;
  /** The id of the parent. */
  readonly parent: string | null;
  readonly needs: readonly string[];
  readonly hasLease: boolean;
  /** Of each field, in their order. */
  readonly values: readonly SqliteValue[];
}

/** What a `TaskSnapshot` stands for. */
export interface SnapshotRows extends TaskSnapshot {
  readonly isNear: boolean;
  /** Each is a block of tasks, a line of JSON per task. A block is parsed only if it differs later. */
  readonly blocks: readonly string[];
  readonly lastSeq: number;
  /** The connection, and what it had seen of others: while both are the same, nobody else has written. */
  readonly db: unknown;
  readonly version: number;
}

/** Within a transaction, like all below. */
export function takeSnapshot(c: Connection): SnapshotRows {
  const lastSeq = lastSeqOf(c);
  const isNear = lastSeq > MANY.tasks || pragma(c, "page_count") * pragma(c, "page_size") > MANY.bytes;
  const near = `seq IN (SELECT seq FROM task WHERE lease_until IS NOT NULL
    UNION ALL SELECT * FROM (SELECT seq FROM task WHERE queue IS NOT NULL LIMIT ${NEXT_IN_LINE}))`;
  const blocks = isNear ? [textOf(c, near)] : blocksOf(c);
  return { at: c.clock(), isNear, blocks, lastSeq, db: c.db, version: dataVersion(c) };
}

/** Whether no other connection has written since. */
export const isUntouched = (c: Connection, { db, version, lastSeq }: SnapshotRows): boolean =>
  db === c.db && lastSeqOf(c) >= lastSeq && version === dataVersion(c);

export interface Tampering {
  readonly changed: readonly { readonly row: TaskRow; readonly fields: readonly string[] }[];
  readonly deleted: readonly TaskRow[];
  readonly inserted: readonly TaskRow[];
}

/** The differences that were not made through a store, which would have raised the revision. */
export function findTampering(c: Connection, snapshot: SnapshotRows): Tampering {
  const changed: { row: TaskRow; fields: readonly string[] }[] = [];
  const deleted: TaskRow[] = [];
  const inserted: TaskRow[] = [];
  const now = blocksNow(c, snapshot);
  for (let at = 0; at < Math.max(now.length, snapshot.blocks.length); at++) {
    const [before = "", after = ""] = [snapshot.blocks[at], now[at]];
    if (before === after) continue;
    const found = new Map(rowsIn(after).map((row) => [row.id, row]));
    for (const row of rowsIn(before)) {
      const other = found.get(row.id);
      found.delete(row.id);
      if (other === undefined) deleted.push(...(isMissing(c, row, snapshot) ? [row] : []));
      else if (other.revision <= row.revision) changed.push({ row, fields: differences(row, other) });
    }
    inserted.push(...[...found.values()].filter(({ revision }) => revision === 0));
  }
  return { changed: changed.filter(({ fields }) => fields.length > 0), deleted, inserted };
}

/** Not in another block, and not removed through a store. */
const isMissing = (c: Connection, { id }: TaskRow, { at }: SnapshotRows): boolean =>
  get(c, "SELECT 1 FROM task WHERE id = ?", id) === undefined &&
  get(c, "SELECT 1 FROM removed WHERE id = ? AND at >= ?", id, at) === undefined;

function differences(before: TaskRow, now: TaskRow): string[] {
  const different = FIELDS.filter((_, at) => before.values[at] !== now.values[at]);
  return [...new Set(different.map(({ name }) => name))];
}

/** The columns of a row, with their values. */
export const columnsOf = ({ values }: TaskRow): [column: string, value: SqliteValue][] =>
  COLUMNS.map(({ sql }, at) => [sql, values[FIELDS.length - COLUMNS.length + at]!]);

function blocksNow(c: Connection, { isNear, blocks, lastSeq }: SnapshotRows): string[] {
  if (!isNear) return blocksOf(c);
  const ids = JSON.stringify(rowsIn(blocks[0]!).map(({ id }) => id));
  return [textOf(c, "seq > ? OR id IN (SELECT value FROM json_each(?))", lastSeq, ids)];
}

const blocksOf = (c: Connection): string[] =>
  Array.from({ length: Math.ceil(lastSeqOf(c) / BLOCK) }, (_, n) =>
    textOf(c, "seq > ? AND seq <= ?", n * BLOCK, (n + 1) * BLOCK),
  );

function textOf(c: Connection, where: string, ...values: readonly SqliteValue[]): string {
  const line = `json_array(id, seq, revision, ${FIELDS.map(({ sql }) => sql).join(", ")})`;
  const row = get(c, `SELECT group_concat(${line}, char(10)) AS text FROM task AS t WHERE ${where}`, ...values);
  return (row?.["text"] as string | null) ?? "";
}

function rowsIn(block: string): TaskRow[] {
  if (block === "") return [];
  return block.split("\n").map((line) => {
    const [id, seq, revision, ...values] = JSON.parse(line) as [string, number, number, ...SqliteValue[]];
    const [parent, needs, hasLease] = values as [string | null, string | null, number];
    return { id, seq, revision, parent, needs: needs?.split(",") ?? [], hasLease: hasLease === 1, values };
  });
}
