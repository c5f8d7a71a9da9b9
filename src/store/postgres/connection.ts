import type { TaskId } from "../../domain/task.ts";
import type { PgClient, PgPool, PgResult, PgRow, PgValue } from "../../system/postgres.ts";
import type { IsAlive } from "../lease.ts";
import { LOCK_CLASS } from "./functions.ts";
import { isRetryable, translated } from "./postgres-error.ts";

export interface Database {
  readonly pool: PgPool;
  /** The database's address without its password, for messages. */
  readonly name: string;
  /** The number of the repository whose tasks these are. */
  readonly repository: number;
  /** Undefined: the server's time, which is the same for all machines. Set in tests, and within a transaction. */
  readonly clock: (() => number) | undefined;
  readonly newId: () => TaskId;
  readonly isAlive: IsAlive;
  /** This machine: of its processes `isAlive` knows more than their leases say. */
  readonly host: string;
  /** What this process knows from before, to ask less. */
  readonly known: Known;
  /** Set within a transaction: all statements go there. */
  readonly client: PgClient | undefined;
  /** Set in a preview: one transaction that is rolled back, in which one thing happens after the other. */
  readonly preview: Turns | undefined;
}

export interface Known {
  /** When leases were last looked at; monotonic. */
  sweptMs: number;
  /** The rows of tasks that were claimed here, by their leases. */
  readonly held: Map<string, PgRow>;
}

export const nothingKnown = (): Known => ({ sweptMs: -Infinity, held: new Map() });

const SERVER_TIME = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/**
 * In a statement `@repo` is the repository and `@now` the time: of the server, or of the transaction. `@clock` is only the
 * latter, for functions that take the server's time when they have their lock.
 */
function filled(c: Database, sql: string): string {
  const own = c.clock === undefined ? undefined : `${Math.trunc(c.clock())}::bigint`;
  return sql
    .replaceAll("@repo", String(c.repository))
    .replaceAll("@now", own ?? SERVER_TIME)
    .replaceAll("@clock", own ?? "NULL");
}

/** Texts of a database have no NUL. Those of tasks have none either; names that are looked up may. */
const withoutNul = (value: PgValue): PgValue =>
  typeof value === "string"
    ? value.replaceAll("\u0000", "\ufffd")
    : Array.isArray(value)
      ? value.map((one: string | number | null) => withoutNul(one) as string | number | null)
      : value;

export const query = (c: Database, sql: string, ...values: readonly PgValue[]): Promise<PgResult> =>
  (c.client ?? c.pool).query(filled(c, sql), values.map(withoutNul));

export const all = async (c: Database, sql: string, ...values: readonly PgValue[]): Promise<readonly PgRow[]> =>
  (await query(c, sql, ...values)).rows;

export const get = async (c: Database, sql: string, ...values: readonly PgValue[]): Promise<PgRow | undefined> =>
  (await query(c, sql, ...values)).rows[0];

/** How many rows it changed. */
export const run = async (c: Database, sql: string, ...values: readonly PgValue[]): Promise<number> =>
  (await query(c, sql, ...values)).rowCount ?? 0;

type Work<Result> = (c: Database) => Promise<Result>;

/** Statements that are whole by themselves: each one is a transaction. */
export const alone = <Result>(c: Database, work: Work<Result>): Promise<Result> =>
  c.preview ? within(c, work) : patiently(c, () => work(c));

/** Several statements that all happen or none. */
export const together = <Result>(c: Database, work: Work<Result>): Promise<Result> =>
  c.preview ? within(c, work) : patiently(c, () => transaction(c, "BEGIN", work));

/** Several statements that must see one state. */
export const read = <Result>(c: Database, work: Work<Result>): Promise<Result> =>
  c.preview
    ? within(c, work)
    : patiently(c, () => transaction(c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work));

/**
 * A transaction that changes which tasks there are, or how they depend on each other. Those of one repository take turns
 * by its lock, which claims and settlements share: none of them happens meanwhile.
 */
export const edit = <Result>(c: Database, work: Work<Result>): Promise<Result> => {
  const locked: Work<Result> = async (inside) => {
    const lock = `WITH mine AS MATERIALIZED (SELECT pg_advisory_xact_lock(${LOCK_CLASS}, @repo)) SELECT @now AS now FROM mine`;
    const now = (await get(inside, lock))?.["now"] as number;
    return await work({ ...inside, clock: () => now });
  };
  return c.preview ? within(c, locked) : patiently(c, () => transaction(c, "BEGIN", locked));
};

/** What a claim or a settlement begins with; the time is taken when it has the lock. */
export const SHARED_LOCK = `locked AS MATERIALIZED (SELECT ralphctl.share(@repo)),
  here AS MATERIALIZED (SELECT @now AS now FROM locked)`;

const TRIES = 20;

/** Tries again what the server gave up because of others: a deadlock, a row that changed meanwhile. */
async function patiently<Result>(c: Database, work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || tries === TRIES) throw translated(error, c.name);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(10 * tries, 200)));
  }
}

async function transaction<Result>(c: Database, begin: string, work: Work<Result>): Promise<Result> {
  const client = await c.pool.connect();
  let failure: unknown;
  try {
    await client.query(begin);
    const result = await work({ ...c, client });
    await client.query("COMMIT");
    return result;
  } catch (error) {
    failure = await rolledBack(client, "ROLLBACK");
    throw error;
  } finally {
    client.release(failure);
  }
}

/** What kept it from being rolled back: then the connection is of no more use, and the server ends it. */
async function rolledBack(client: PgClient, sql: string): Promise<unknown> {
  try {
    await client.query(sql);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A step of a preview: after an error its changes are undone, and the preview goes on. */
async function within<Result>(c: Database, work: Work<Result>): Promise<Result> {
  const client = c.client!;
  return await c.preview!.next(async () => {
    try {
      await client.query("SAVEPOINT step");
      const result = await work({ ...c, preview: undefined });
      await client.query("RELEASE step");
      return result;
    } catch (error) {
      await rolledBack(client, "ROLLBACK TO step; RELEASE step");
      throw isRetryable(error) ? error : translated(error, c.name);
    }
  });
}

/** Runs `work` in a transaction that is rolled back. */
export async function preview<Result>(c: Database, work: Work<Result>): Promise<Result> {
  if (c.preview !== undefined) {
    const client = c.client!;
    return await c.preview.next(async () => {
      await client.query("SAVEPOINT preview");
      try {
        return await work({ ...c, preview: turns() });
      } finally {
        await client.query("ROLLBACK TO preview; RELEASE preview");
      }
    });
  }
  return await patiently(c, () => onOwnClient(c, work));
}

async function onOwnClient<Result>(c: Database, work: Work<Result>): Promise<Result> {
  const client = await c.pool.connect();
  let failure: unknown;
  try {
    await client.query("BEGIN");
    return await work({ ...c, client, preview: turns() });
  } finally {
    failure = await rolledBack(client, "ROLLBACK");
    client.release(failure);
  }
}

/** One after the other, in the order in which they came. */
interface Turns {
  next<Result>(work: () => Promise<Result>): Promise<Result>;
}

function turns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    next(work) {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
