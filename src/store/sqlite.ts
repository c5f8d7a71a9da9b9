import { randomBytes } from "node:crypto";
import { RalphError } from "../domain/error.ts";
import { cleanPatch } from "../domain/task-input.ts";
import type { Owner, TaskId } from "../domain/task.ts";
import { isAlive, processIdentity } from "../system/process/process-identity.ts";
import { loadSqlite, type SqliteDriver } from "../system/sqlite-driver.ts";
import { fileExists, fileKey } from "../system/store-file.ts";
import type { IsAlive } from "./lease.ts";
import { addTasks } from "./sqlite/add.ts";
import { applyEdits } from "./sqlite/apply.ts";
import { keepCopy, restoreCopy } from "./sqlite/backup.ts";
import { findProblems } from "./sqlite/check.ts";
import { adoptLease, beat, claimTask, listOpenVerdicts, saveVerdict } from "./sqlite/claim.ts";
import { ask, connect, type Connection, openDatabase, patiently, read, run, write } from "./sqlite/connection.ts";
import { addEdge, editTask, removeEdge, removeTask } from "./sqlite/edit.ts";
import { type Holding, holdTasks } from "./sqlite/held.ts";
import { homeKeeper } from "./sqlite/home-keeper.ts";
import { idOf, linksOf, seqOf } from "./sqlite/links.ts";
import { takeLock } from "./sqlite/lock.ts";
import { createSchema, isBlank, migrate } from "./sqlite/migrate.ts";
import { MEMORY, preview } from "./sqlite/preview.ts";
import { isAsHeld, putBackTasks } from "./sqlite/put-back.ts";
import {
  allScopes,
  countTasks,
  findTask,
  listById,
  listTasks,
  readyTasks,
  resolveId,
  taskTree,
} from "./sqlite/read.ts";
import { addLog, listAttempts, listLog, readMeta, writeMeta } from "./sqlite/record.ts";
import { changeTask, readTask, settleTask } from "./sqlite/settle.ts";
import { addStream } from "./sqlite/stream.ts";
import { refuseIfUnsound } from "./sqlite/unclean.ts";
import type { GuardReport, Store, StoreFile, TaskPage, TaskSnapshot } from "./store.ts";

export interface SqliteOptions {
  readonly path: string;
  /** Where the last backup lies: what the store is put back from when the open file itself was overwritten. */
  readonly copy?: string | undefined;
  /** Called when there was no store, or an empty file in its place, and the copy was put there. */
  readonly onRestored?: (() => void) | undefined;
  readonly clock?: (() => number) | undefined;
  readonly newId?: (() => TaskId) | undefined;
  readonly isAlive?: IsAlive | undefined;
  readonly owner?: Owner | undefined;
  /** So many tasks of a stream are kept in memory; more are put aside on disk, which takes twice as long. */
  readonly streamMemory?: number | undefined;
  /** For tests: called before every statement that writes. */
  readonly onWrite?: ((statement: string) => void) | undefined;
}

export interface SqliteStore extends Store, StoreFile {}

/** Creates the file if there is none; its folder must exist. `:memory:` is an empty store without a file. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const driver = await loadSqlite();
  if (options.path === MEMORY) {
    const c = connectWith(options, driver);
    createSchema(c.db);
    return storeOn(c, () => ({ kind: "intact" }));
  }
  const { c, opened } = await openFile(options, driver);
  try {
    await refuseIfUnsound(c);
  } catch (error) {
    closeAnyway(c);
    throw error;
  }
  const { keepHome, isAtHome, guard } = homeKeeper(c, { copy: options.copy, opened });
  c.beforeWrite = keepHome;
  c.isAtHome = isAtHome;
  return storeOn(c, guard);
}

const storeOn = (c: Connection, guard: () => GuardReport): SqliteStore => ({
  ...reads(c),
  ...writes(c),
  ...claims(c),
  ...records(c),
  ...snapshots(c),
  ...upkeep(c, guard),
  preview: (work) => preview(c, async (inner) => await work(storeOn(inner, guard))),
});

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

/** Makes sure that it opened the file that has the name now: another process may have replaced it meanwhile. */
async function openFile(
  options: SqliteOptions,
  driver: SqliteDriver,
): Promise<{ c: Connection; opened: string | undefined }> {
  for (let tries = 1; ; tries++) {
    const before = fileKey(options.path);
    const c = connectWith(options, driver);
    try {
      const opened = await prepare(c, { ...options, before });
      if (fileKey(c.path) === opened || tries === OPEN_TRIES) return { c, opened };
    } catch (error) {
      closeAnyway(c);
      throw error;
    }
    c.db.close();
  }
}

function closeAnyway(c: Connection): void {
  try {
    c.db.close();
  } catch {
    // it is closed already: the error that is on its way says why
  }
}

/**
 * Brings the schema up to date. A database without one is a new store, or what is left of one: who may decide that is
 * alone with the files, or it would take away what another has begun to write. Returns which file it is.
 */
async function prepare(
  c: Connection,
  { copy, onRestored, before }: SqliteOptions & { readonly before: string | undefined },
): Promise<string | undefined> {
  if (!(await patiently(c, () => isBlank(c.db)))) {
    await migrate(c);
    return before;
  }
  c.db.close();
  const unlock = await patiently(c, () => takeLock(c.driver, { path: c.path, copy }));
  try {
    c.db = openDatabase(c);
    if (copy !== undefined && fileExists(copy) && (await patiently(c, () => isBlank(c.db)))) {
      c.db.close();
      restoreCopy(c.driver, { from: copy, to: c.path });
      c.db = openDatabase(c);
      onRestored?.();
    }
    await migrate(c);
    return fileKey(c.path);
  } finally {
    unlock();
  }
}

/** Puts a backup in the place of a store that nobody has open. */
export async function restoreSqliteStore({ from, to }: { from: string; to: string }): Promise<void> {
  const driver = await loadSqlite();
  const unlock = await patiently({ path: to }, () => takeLock(driver, { path: to, copy: from }));
  try {
    restoreCopy(driver, { from, to });
  } finally {
    unlock();
  }
}

/** At a million tasks eight digits collide now and then; the store then asks again. */
export const randomId = (): TaskId => `t-${randomBytes(4).toString("hex")}`;

function reads(
  c: Connection,
): Pick<Store, "get" | "resolve" | "list" | "each" | "ready" | "tree" | "scopes" | "counts" | "dependents"> {
  const list: Store["list"] = (filter = {}, page = {}) => read(c, () => listTasks(c, filter, page));
  return {
    get: (id) => ask(c, () => findTask(c, id)),
    resolve: (text) => read(c, () => resolveId(c, text)),
    list,
    async *each(filter = {}, order = "age") {
      const byId = order === "id";
      for (let cursor: string | undefined = byId ? "" : "0"; cursor !== undefined;) {
        const after: string = cursor;
        const page: TaskPage = byId ? await read(c, () => listById(c, filter, after)) : await list(filter, { cursor });
        yield* page.tasks;
        cursor = page.cursor;
      }
    },
    ready: (filter = {}) => (filter.scopes?.length === 1 ? ask : read)(c, () => readyTasks(c, filter)),
    tree: (filter = {}) => read(c, () => taskTree(c, filter)),
    scopes: () => read(c, () => allScopes(c)),
    counts: (scopes) => read(c, () => countTasks(c, scopes)),
    dependents: (id) =>
      read(c, () =>
        linksOf(c)
          .dependents(seqOf(c, id))
          .map((seq) => idOf(c, seq)),
      ),
  };
}

function writes(
  c: Connection,
): Pick<Store, "add" | "addStream" | "update" | "apply" | "addDependency" | "removeDependency" | "remove" | "change"> {
  const durable = { durable: true };
  return {
    add: (tasks, options = {}) => write(c, () => addTasks(c, tasks, options), durable),
    addStream: (chunks, options = {}) => addStream(c, chunks, options),
    async update(id, patch, by) {
      const clean = cleanPatch(patch);
      return write(c, () => {
        const seq = editTask(c, id, clean);
        addLog(c, seq, { by, kind: "edited", text: Object.keys(patch).sort().join(", ") });
        return readTask(c, id);
      });
    },
    apply: (edits, by) => write(c, () => applyEdits(c, edits, by), durable),
    addDependency: (id, needs) => write(c, () => addEdge(c, id, needs)),
    removeDependency: (id, needs) => write(c, () => removeEdge(c, id, needs)),
    remove: (id) => write(c, () => removeTask(c, id)),
    change: (id, change, by) => write(c, () => changeTask(c, id, { change, by }), durable),
  };
}

function claims(
  c: Connection,
): Pick<Store, "claim" | "heartbeat" | "release" | "settle" | "recordVerdict" | "openVerdicts" | "adopt"> {
  // Git may already have the commit: a task that is done there must not be undone here by a power cut.
  const durable = { durable: true };
  return {
    claim: (request) => write(c, () => claimTask(c, request)),
    heartbeat: (lease) => write(c, () => beat(c, lease)),
    release: (lease, reason) =>
      write(c, () => settleTask(c, lease, { outcome: "released", to: "pending", counted: false, reason })),
    settle: (lease, settlement) =>
      // Of a task that stays open a power cut takes back an attempt, and nothing that was proven.
      write(c, () => settleTask(c, lease, settlement), { durable: settlement.to !== "pending" }),
    recordVerdict: (lease, verdict) => write(c, () => saveVerdict(c, lease, verdict), durable),
    openVerdicts: () => read(c, () => listOpenVerdicts(c)),
    adopt: (lease, owner) => write(c, () => adoptLease(c, lease, owner)),
  };
}

function records(c: Connection): Pick<Store, "note" | "log" | "attempts" | "getMeta" | "setMeta" | "updateMeta"> {
  return {
    note: (id, entry) => write(c, () => addLog(c, seqOf(c, id), entry)),
    log: (id, kinds) => read(c, () => listLog(c, id, kinds)),
    attempts: (id, after) => read(c, () => listAttempts(c, id, after)),
    getMeta: (key) => read(c, () => readMeta(c, key)),
    setMeta: (key, value) => write(c, () => writeMeta(c, key, value)),
    updateMeta: (key, next) =>
      write(c, () => {
        const value = next(readMeta(c, key));
        writeMeta(c, key, value);
        return value;
      }),
  };
}

function snapshots(c: Connection): Pick<StoreFile, "snapshot" | "revertTampering"> {
  const holdings = new WeakMap<TaskSnapshot, Holding>();
  return {
    async snapshot() {
      const holding = await read(c, () => holdTasks(c));
      const held = { at: holding.at };
      holdings.set(held, holding);
      return held;
    },
    async revertTampering(held) {
      const holding = holdings.get(held);
      if (holding === undefined) throw new Error("Held by another store");
      if (await read(c, () => isAsHeld(c, holding))) return [];
      return await write(c, () => putBackTasks(c, holding), { durable: true });
    },
  };
}

async function tidyUp(c: Connection): Promise<void> {
  await write(c, () => run(c, "DELETE FROM opening WHERE handle = ?", c.handle()));
  // One of the drivers leaves the WAL behind; this way the database file alone is the whole store.
  await patiently(c, () => c.db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
}

function upkeep(
  c: Connection,
  guard: () => GuardReport,
): Pick<SqliteStore, "check" | "guard" | "backupTo" | "close" | typeof Symbol.asyncDispose> {
  const close = async (): Promise<void> => {
    if (c.isClosed) return;
    c.isClosed = true;
    try {
      if (c.isMarked) await tidyUp(c);
    } catch (error) {
      // What was done is committed. On a full disk the mark stays, and the next one looks the file through.
      if (!(error instanceof RalphError)) throw error;
    } finally {
      closeAnyway(c);
    }
  };
  return {
    check: () => read(c, () => findProblems(c)),
    guard: () => patiently(c, guard),
    async backupTo(path) {
      if (path === c.path) throw new RalphError("usage", "A copy needs another place than the store itself");
      await keepCopy(c, path);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
