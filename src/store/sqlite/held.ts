import type { SqliteValue } from "../../system/sqlite-driver.ts";
import type { TaskSnapshot } from "../store.ts";
import { all, type Connection, get } from "./connection.ts";

/** What is held of a task: a column or what is made of several, and what of a `Task` it is a part of. */
export interface HeldField {
  readonly sql: string;
  readonly name: string;
  /** It is a column, and can be written back as it is. */
  readonly isColumn: boolean;
}

const made = (name: string, sql: string): HeldField => ({ sql, name, isColumn: false });
const columns = (name: string, sql: string): HeldField[] =>
  sql.split(" ").map((column) => ({ sql: column, name, isColumn: true }));

/** What follows from other tasks is not among them, nor the end of a lease, which every heartbeat moves. */
const FIELDS: readonly HeldField[] = [
  made("parent", "parent"),
  made("needs", "(SELECT group_concat(blocker) FROM dependency WHERE blocked = t.seq)"),
  made("status", "iif(children = 0, status, own)"),
  made("lease", "lease_until IS NOT NULL"),
  ...columns("status", "own"),
  ...columns("scope", "scope"),
  ...columns("priority", "priority"),
  ...columns("retry", "retry retry_limit"),
  ...columns("attempts", "attempts"),
  ...columns("attemptLimit", "attempt_limit"),
  ...columns("lease", "fence lease_host lease_pid lease_start lease_ms lease_run has_verdict"),
  ...columns("times", "created_at updated_at started_at ended_at"),
  ...columns("allowNoChange", "allow_no_change"),
  ...columns("title", "title"),
  ...columns("model", "model"),
  ...columns("tags", "tags"),
  ...columns("gates", "gates"),
  ...columns("source", "source_file source_key"),
];

const TEXTS: readonly HeldField[] = [
  ...columns("acceptance", "acceptance"),
  ...columns("question", "question"),
  ...columns("reason", "reason"),
  ...columns("summary", "summary"),
  ...columns("description", "description"),
];

type Extent = "all" | "without texts" | "near";

export const fieldsIn = (extent: Extent): readonly HeldField[] =>
  extent === "without texts" ? FIELDS : [...FIELDS, ...TEXTS];

const MB = 1024 * 1024;
/** From so many tasks, or so large a file, on, long texts would fill the memory. */
const WITHOUT_TEXTS = { tasks: 20_000, bytes: 64 * MB };
/** From so many on, only those that somebody works on, and some of the next in line. */
const NEAR = { tasks: 100_000, bytes: 512 * MB };
const NEXT_IN_LINE = 1000;
const BLOCK = 1000;

export interface HeldRow {
  readonly id: string;
  readonly seq: number;
  readonly revision: number;
  /** Of each field, in their order. */
  readonly values: readonly SqliteValue[];
}

/** What a store knows behind the back of `TaskSnapshot`. */
export interface Holding extends TaskSnapshot {
  readonly extent: Extent;
  /** A block of tasks each, as one text that is taken apart only where it differs: a line of JSON per task. */
  readonly blocks: readonly string[];
  readonly lastSeq: number;
  /** The connection, and what it had seen of others: as long as both are the same, nobody else has written. */
  readonly db: unknown;
  readonly version: unknown;
}

/** Within a transaction. */
export function holdTasks(c: Connection): Holding {
  const lastSeq = lastSeqOf(c);
  const bytes = pragma(c, "page_count") * pragma(c, "page_size");
  const isMore = (than: { tasks: number; bytes: number }): boolean => lastSeq > than.tasks || bytes > than.bytes;
  const extent = isMore(NEAR) ? "near" : isMore(WITHOUT_TEXTS) ? "without texts" : "all";
  const near = `seq IN (SELECT seq FROM task WHERE lease_until IS NOT NULL
    UNION ALL SELECT * FROM (SELECT seq FROM task WHERE queue IS NOT NULL LIMIT ${NEXT_IN_LINE}))`;
  const blocks = extent === "near" ? [textOf(c, extent, { where: near, values: [] })] : blocksOf(c, extent);
  return { at: c.clock(), extent, blocks, lastSeq, db: c.db, version: versionOf(c) };
}

/** The tasks as they are now, in the same blocks. */
export function blocksNow(c: Connection, { extent, blocks, lastSeq }: Holding): string[] {
  if (extent !== "near") return blocksOf(c, extent);
  const ids = JSON.stringify(rowsIn(blocks[0]!).map(({ id }) => id));
  return [textOf(c, extent, { where: "seq > ? OR id IN (SELECT value FROM json_each(?))", values: [lastSeq, ids] })];
}

/** Within a transaction: whether no other connection has written since. */
export const isUntouched = (c: Connection, { db, version, lastSeq }: Holding): boolean =>
  db === c.db && lastSeqOf(c) >= lastSeq && version === versionOf(c);

export function rowsIn(block: string): HeldRow[] {
  if (block === "") return [];
  return block.split("\n").map((line) => {
    // As `textOf` has written it.
    const [id, seq, revision, ...values] = JSON.parse(line) as [string, number, number, ...SqliteValue[]];
    return { id, seq, revision, values };
  });
}

function blocksOf(c: Connection, extent: Extent): string[] {
  const count = Math.ceil(lastSeqOf(c) / BLOCK);
  return Array.from({ length: count }, (_, n) =>
    textOf(c, extent, { where: "seq > ? AND seq <= ?", values: [n * BLOCK, (n + 1) * BLOCK] }),
  );
}

interface Which {
  readonly where: string;
  readonly values: readonly SqliteValue[];
}

function textOf(c: Connection, extent: Extent, { where, values }: Which): string {
  const fields = fieldsIn(extent).map(({ sql }) => sql);
  const line = `json_array(id, seq, revision, ${fields.join(", ")})`;
  const rows = all(c, `SELECT group_concat(${line}, char(10)) AS text FROM task AS t WHERE ${where}`, ...values);
  return (rows[0]?.["text"] as string | null) ?? "";
}

const lastSeqOf = (c: Connection): number =>
  (get(c, "SELECT max(seq) AS last FROM task")?.["last"] as number | null) ?? 0;

const pragma = (c: Connection, name: string): number => Number(get(c, `PRAGMA ${name}`)?.[name]);

// Asked after a statement of the same transaction: then it tells of what that one saw.
const versionOf = (c: Connection): number => pragma(c, "data_version");
