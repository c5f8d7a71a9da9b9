import { RalphError } from "../../domain/error.ts";
import type { Owner } from "../../domain/task.ts";
import type {
  SqliteDatabase,
  SqliteDriver,
  SqliteRow,
  SqliteStatement,
  SqliteValue,
} from "../../system/sqlite-driver.ts";
import type { IsAlive } from "../lease.ts";
import { WRITER } from "../migrations/0003-writers.ts";
import { ownerValues } from "../rows.ts";
import { isBusy, translated, TurnError } from "./sqlite-error.ts";

export interface ConnectionOptions {
  readonly path: string;
  readonly driver: SqliteDriver;
  readonly clock: () => number;
  readonly newId: () => string;
  readonly isAlive: IsAlive;
  /** This process, so that another can detect a crash. Read at the first write: readers leave no trace. */
  readonly owner: () => Owner;
  /** How many tasks of a stream stay in memory; more go to a temporary table on disk. */
  readonly streamMemory: number;
  /** For tests: called before every statement that writes, and after the commit. */
  readonly onWrite?: ((statement: string) => void) | undefined;
}

/** An open database with its prepared statements. */
export interface Connection extends ConnectionOptions {
  db: SqliteDatabase;
  readonly statements: Map<string, SqliteStatement>;
  /** The name of this connection's row in `opening`. Made when first needed: readers need none, and it costs time. */
  readonly handle: () => string;
  /** Called before every write: the file may have been deleted or replaced. */
  beforeWrite: (() => void) | undefined;
  /** Asked under the write lock, which whoever replaces the file holds too: the answer stays true. */
  isAtHome: (() => boolean) | undefined;
  /** It has its row in `opening`. */
  isMarked: boolean;
  /** Statements that wrote since the last checkpoint of the WAL. */
  unsaved: number;
  isClosed: boolean;
  /** Set in a preview: everything happens inside one transaction that is rolled back. */
  preview: Preview | undefined;
}

export interface Preview {
  /** The first error that SQLite reported. It may have ended the transaction, so nothing may run after it. */
  failure: Error | undefined;
}

// How long the driver waits by itself, which blocks the process; and how often we then try again without blocking.
const BUSY_MS = 100;
const TRIES = 300;

export function connect(options: ConnectionOptions): Connection {
  const db = openDatabase(options);
  const fresh = { beforeWrite: undefined, isAtHome: undefined, isMarked: false, isClosed: false, unsaved: 0 };
  let handle: string | undefined;
  const name = (): string => (handle ??= options.newId());
  return { ...options, ...fresh, db, statements: new Map(), handle: name, preview: undefined };
}

export function openDatabase({ driver, path }: Pick<ConnectionOptions, "driver" | "path">): SqliteDatabase {
  try {
    const db = driver.open(path);
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000`);
    db.exec("PRAGMA wal_autocheckpoint = 0");
    db.function(WRITER, () => null);
    return db;
  } catch (error) {
    throw translated(error, path);
  }
}

export function statement(c: Connection, sql: string): SqliteStatement {
  const known = c.statements.get(sql);
  if (known !== undefined) return known;
  const made = c.db.prepare(sql);
  c.statements.set(sql, made);
  return made;
}

export const get = (c: Connection, sql: string, ...values: readonly SqliteValue[]): SqliteRow | undefined =>
  statement(c, sql).get(...values);

export const all = (c: Connection, sql: string, ...values: readonly SqliteValue[]): SqliteRow[] =>
  statement(c, sql).all(...values);

export const pragma = (c: Connection, name: string): number => Number(get(c, `PRAGMA ${name}`)?.[name]);

/** Changes when another connection commits. Asked after a statement of the same transaction, it tells what that saw. */
export const dataVersion = (c: Connection): number => pragma(c, "data_version");

/** A statement that writes. Returns how many rows it changed. */
export function run(c: Connection, sql: string, ...values: readonly SqliteValue[]): number {
  c.onWrite?.(sql);
  c.unsaved++;
  return Number(statement(c, sql).run(...values).changes);
}

/** A statement that writes. Returns the first row of its RETURNING clause. */
export function take(c: Connection, sql: string, ...values: readonly SqliteValue[]): SqliteRow | undefined {
  c.onWrite?.(sql);
  c.unsaved++;
  return statement(c, sql).get(...values);
}

/** Several statements that must see one state. */
export const read = <Result>(c: Connection, work: () => Result): Promise<Result> =>
  patiently(c, () => transaction(c, "BEGIN", work));

/**
 * One transaction that writes. It takes the lock at its start, so nothing inside it can find the database busy.
 * A commit survives a crash of this process. A durable one also survives a crash of the machine: it waits for the disk,
 * and with it for all earlier commits. Claims and heartbeats need not: after a reboot they are void.
 */
export const write = <Result>(c: Connection, work: () => Result, { durable = false } = {}): Promise<Result> =>
  patiently(c, () => {
    if (c.preview !== undefined) return transaction(c, "BEGIN", work);
    c.beforeWrite?.();
    if (durable) c.db.exec("PRAGMA synchronous = FULL");
    try {
      c.onWrite?.(durable ? "BEGIN, DURABLE" : "BEGIN");
      const result = transaction(c, "BEGIN IMMEDIATE", () => {
        if (c.isAtHome?.() === false) throw new TurnError("The file was replaced");
        if (!c.isMarked) mark(c);
        return work();
      });
      // Not before the commit: a rollback would have undone it.
      c.isMarked = true;
      c.onWrite?.("COMMITTED");
      checkpoint(c, durable);
      return result;
    } finally {
      if (durable) c.db.exec("PRAGMA synchronous = NORMAL");
    }
  });

// About four megabytes of WAL, and the limit while nothing durable is written.
const SOME = 2000;
const TOO_MUCH = 10_000;

/**
 * Copies the WAL into the database. SQLite would do that in any commit, for example of a claim; a durable commit waits
 * for the disk anyway.
 */
function checkpoint(c: Connection, isDurable: boolean): void {
  if (c.unsaved < (isDurable ? SOME : TOO_MUCH)) return;
  try {
    c.db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    c.unsaved = 0;
  } catch (error) {
    // The commit is made: tried again, it would be made twice. The next one comes back to the WAL.
    if (!isBusy(error)) throw error;
  }
}

/** Tries again while another process has the lock, with pauses that do not block this process. */
export async function patiently<Result>(c: Pick<Connection, "path" | "preview">, work: () => Result): Promise<Result> {
  if (c.preview !== undefined) return inPreview(c.path, c.preview, work);
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || tries === TRIES) throw translated(error, c.path);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(5 * tries, 100)));
  }
}

function inPreview<Result>(path: string, preview: Preview, work: () => Result): Result {
  if (preview.failure !== undefined) throw preview.failure;
  try {
    return work();
  } catch (error) {
    const told = translated(error, path);
    if (!(error instanceof RalphError) && told instanceof Error) preview.failure = told;
    throw told;
  }
}

/** A transaction; inside a preview, a savepoint. */
export function transaction<Result>(c: Connection, begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => Result): Result {
  const [start, end] = c.preview === undefined ? [begin, "COMMIT"] : ["SAVEPOINT step", "RELEASE step"];
  statement(c, start).run();
  try {
    const result = work();
    if (begin !== "BEGIN") c.onWrite?.("COMMIT");
    statement(c, end).run();
    return result;
  } catch (error) {
    rollback(c, c.preview && "step");
    throw error;
  }
}

export function rollback(c: Connection, savepoint?: string): void {
  try {
    if (savepoint === undefined) statement(c, "ROLLBACK").run();
    else c.db.exec(`ROLLBACK TO ${savepoint}; RELEASE ${savepoint}`);
  } catch {
    // SQLite has rolled back already; the error on its way up says why
  }
}

/** Once per connection, with its first commit: readers leave no trace. */
function mark(c: Connection): void {
  run(c, "INSERT OR REPLACE INTO opening VALUES (?, ?, ?, ?, ?)", c.handle(), ...ownerValues(c.owner()), c.clock());
}
