import { randomBytes } from "node:crypto";
import { RalphError } from "../../domain/error.ts";
import type { Owner, TaskId } from "../../domain/task.ts";
import { isAlive, processIdentity } from "../../system/process/process-identity.ts";
import { loadSqlite, type SqliteDriver } from "../../system/sqlite-driver.ts";
import { fileExists, fileFacts, fileKey } from "../../system/store-file.ts";
import type { IsAlive } from "../lease.ts";
import type { GuardReport } from "../store.ts";
import { restoreCopy } from "./backup.ts";
import { all, connect, type Connection, openDatabase, patiently, read, run, write } from "./connection.ts";
import { fileGuard } from "./guard.ts";
import { forgetReplacement, isNameOf, takeLock } from "./lock.ts";
import { createSchema, isBlank, migrate } from "./migrate.ts";
import { attemptOwner } from "../rows.ts";
import { DamageError } from "./sqlite-error.ts";

export interface SqliteOptions {
  readonly path: string;
  /** The last backup, from which the store is restored if its file is overwritten. */
  readonly copy?: string | undefined;
  /** Called if there was no store, or an empty file, and it was restored from the copy. */
  readonly onRestored?: (() => void) | undefined;
  readonly clock?: (() => number) | undefined;
  readonly newId?: (() => TaskId) | undefined;
  readonly isAlive?: IsAlive | undefined;
  readonly owner?: Owner | undefined;
  /** How many tasks of a stream stay in memory; more go to disk, which takes twice as long. */
  readonly streamMemory?: number | undefined;
  /** For tests: called before every statement that writes. */
  readonly onWrite?: ((statement: string) => void) | undefined;
}

export const MEMORY = ":memory:";

/** Opens a database, brings its schema up to date, and looks after its file. */
export async function openConnection(options: SqliteOptions): Promise<{ c: Connection; guard: () => GuardReport }> {
  const driver = await loadSqlite();
  if (options.path === MEMORY) {
    const c = connectWith(options, driver);
    createSchema(c.db);
    return { c, guard: () => ({ kind: "intact" }) };
  }
  const { c, opened } = await openFile(options, driver);
  return { c, guard: fileGuard(c, { copy: options.copy, opened }) };
}

const connectWith = (options: SqliteOptions, driver: SqliteDriver): Connection =>
  connect({
    path: options.path,
    driver,
    clock: options.clock ?? Date.now,
    newId: options.newId ?? randomId,
    isAlive: options.isAlive ?? isAlive,
    owner: () => options.owner ?? processIdentity(),
    streamMemory: options.streamMemory ?? 120_000,
    onWrite: options.onWrite,
  });

const OPEN_TRIES = 50;

/**
 * Makes sure that it opened the file that has the name now. Another process may replace it meanwhile: SQLite then finds
 * the WAL of one file beside the other, and every error that it reports may come from that.
 */
async function openFile(options: SqliteOptions, driver: SqliteDriver): Promise<Opened> {
  for (let tries = 1; ; tries++) {
    const before = fileKey(options.path);
    let found: Opened | undefined;
    try {
      found = (await openFilled(options, driver)) ?? (await openUnderLock(options, driver));
      await refuseIfUnsound(found, options.copy);
      if (fileKey(options.path) === found.opened || tries === OPEN_TRIES) return found;
    } catch (error) {
      if (found !== undefined) closeAnyway(found.c);
      if (fileKey(options.path) === before || tries === OPEN_TRIES) throw error;
      continue;
    }
    found.c.db.close();
  }
}

export function closeAnyway(c: Connection): void {
  try {
    c.db.close();
  } catch {
    // it is closed already; the error on its way up says why
  }
}

interface Opened {
  readonly c: Connection;
  /** Which file it is. */
  readonly opened: string | undefined;
}

/**
 * Undefined if there is no database, or one without a schema. An empty file is not opened at all: SQLite would delete the
 * WAL beside it, which may be that of a database that another process puts there just now.
 */
async function openFilled(options: SqliteOptions, driver: SqliteDriver): Promise<Opened | undefined> {
  const opened = fileKey(options.path);
  if ((fileFacts(options.path)?.size ?? 0) === 0) return undefined;
  const c = connectWith(options, driver);
  return await closedOnError(c, async () => {
    if (await patiently(c, () => isBlank(c.db))) {
      c.db.close();
      return undefined;
    }
    await migrate(c);
    return { c, opened };
  });
}

/** A database without a schema is new, or was emptied and must be restored. Another process may be creating it. */
async function openUnderLock(options: SqliteOptions, driver: SqliteDriver): Promise<Opened> {
  const { path, copy, onRestored } = options;
  const unlock = await patiently({ path, preview: undefined }, () => takeLock(driver, { path, copy }));
  try {
    const c = connectWith(options, driver);
    return await closedOnError(c, async () => {
      if (copy !== undefined && fileExists(copy) && (await patiently(c, () => isBlank(c.db)))) {
        c.db.close();
        restoreCopy(driver, { from: copy, to: path });
        c.db = openDatabase(c);
        onRestored?.();
      }
      await migrate(c);
      return { c, opened: fileKey(path) };
    });
  } finally {
    unlock();
  }
}

async function closedOnError<Result>(c: Connection, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    closeAnyway(c);
    throw error;
  }
}

/** With a million tasks eight digits collide now and then; the store then asks for another id. */
export const randomId = (): TaskId => `t-${randomBytes(4).toString("hex")}`;

/** If a process that wrote has died without closing, checks the whole file once before anybody relies on it. */
async function refuseIfUnsound({ c, opened }: Opened, copy: string | undefined): Promise<void> {
  const dead = await read(c, () =>
    all(c, "SELECT * FROM opening").filter((row) => c.isAlive(attemptOwner(row)) === false),
  );
  if (dead.length === 0) return;
  const found = await patiently(c, () => c.db.prepare("PRAGMA quick_check(1)").get());
  if (found?.["quick_check"] !== "ok") {
    throw new RalphError("io", `The task database \`${c.path}\` was damaged when its last process died`, {
      hint: "Look at it with: ralphctl doctor",
      cause: new DamageError("quick_check"),
    });
  }
  c.beforeWrite = () => {
    forgetReplacement(c, copy);
    if (fileKey(c.path) !== opened) throw new DamageError("The file was replaced"); // the caller opens the other one
  };
  c.isAtHome = () => isNameOf(c.path, opened);
  await write(c, () => {
    for (const row of dead) run(c, "DELETE FROM opening WHERE handle = ?", row["handle"]!);
  });
}
