import { RalphError } from "../domain/error.ts";
import { cleanPatch } from "../domain/task-input.ts";
import { addTasks } from "./sqlite/add.ts";
import { applyEdits } from "./sqlite/apply.ts";
import { keepCopy } from "./sqlite/backup.ts";
import { findProblems } from "./sqlite/check.ts";
import { adoptLease, beat, claimTask, hasVerdict, listOpenVerdicts, saveVerdict } from "./sqlite/claim.ts";
import { type Connection, patiently, read, run, write } from "./sqlite/connection.ts";
import { listDone } from "./sqlite/done.ts";
import { addEdge, editTask, removeEdge, removeTask } from "./sqlite/edit.ts";
import { idOf, linksOf, seqOf } from "./sqlite/links.ts";
import { closeAnyway, openConnection, type SqliteOptions } from "./sqlite/open.ts";
import { preview } from "./sqlite/preview.ts";
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
import { revert } from "./sqlite/revert.ts";
import { changeTask, settleTask } from "./sqlite/settle.ts";
import { isUntouched, type SnapshotRows, takeSnapshot } from "./sqlite/snapshot.ts";
import { addStream } from "./sqlite/stream.ts";
import type { GuardReport, Store, StoreFile, TaskPage } from "./store.ts";

export { randomId, type SqliteOptions } from "./sqlite/open.ts";

export interface SqliteStore extends Store, StoreFile {}

/** Creates the file if there is none; its folder must exist. `:memory:` is an empty store without a file. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const { c, guard } = await openConnection(options);
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

function reads(c: Connection) {
  const list: Store["list"] = (filter = {}, page = {}) => read(c, () => listTasks(c, filter, page));
  return {
    get: (id) => patiently(c, () => findTask(c, id)),
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
    async *done(filter = {}) {
      for (let after: number | undefined = 0; after !== undefined;) {
        const from: number = after;
        const page = await read(c, () => listDone(c, filter, from));
        yield* page.tasks;
        after = page.next;
      }
    },
    ready: (filter = {}) => (filter.scopes?.length === 1 ? patiently : read)(c, () => readyTasks(c, filter)),
    tree: (filter = {}) => read(c, () => taskTree(c, filter)),
    scopes: () => read(c, () => allScopes(c)),
    counts: (scopes) => read(c, () => countTasks(c, scopes)),
    dependents: (id) =>
      read(c, () =>
        linksOf(c)
          .dependents(seqOf(c, id))
          .map((seq) => idOf(c, seq)),
      ),
  } satisfies Partial<Store>;
}

function writes(c: Connection) {
  const durable = { durable: true };
  return {
    add: (tasks, options = {}) => write(c, () => addTasks(c, tasks, options), durable),
    addStream: (chunks, options = {}) => addStream(c, chunks, options),
    async update(id, patch, by) {
      const clean = cleanPatch(patch);
      return write(c, () => {
        editTask(c, { id, patch: clean, by });
        return findTask(c, id)!;
      });
    },
    apply: (edits, by) => write(c, () => applyEdits(c, edits, by), durable),
    addDependency: (id, needs) => write(c, () => addEdge(c, id, needs)),
    removeDependency: (id, needs) => write(c, () => removeEdge(c, id, needs)),
    remove: (id) => write(c, () => removeTask(c, id)),
    change: (id, change, by) => write(c, () => changeTask(c, id, { change, by }), durable),
  } satisfies Partial<Store>;
}

function claims(c: Connection) {
  // Git may already have the commit: a task that is done there must not be undone here by a power cut.
  const durable = { durable: true };
  return {
    claim: (request) => write(c, () => claimTask(c, request)),
    heartbeat: (lease) => write(c, () => beat(c, lease)),
    release: (lease, reason) =>
      write(c, () => settleTask(c, lease, { outcome: "released", to: "pending", counted: false, reason })),
    async settle(lease, settlement) {
      // Of a task that stays open a power cut takes back an attempt, and nothing that was proven; and a verdict is on the
      // disk already, by which the next run settles the claim again.
      const isSafe = settlement.to === "pending" || (await read(c, () => hasVerdict(c, lease)));
      return await write(c, () => settleTask(c, lease, settlement), { durable: !isSafe });
    },
    recordVerdict: (lease, verdict) => write(c, () => saveVerdict(c, lease, verdict), durable),
    openVerdicts: () => read(c, () => listOpenVerdicts(c)),
    adopt: (lease, owner) => write(c, () => adoptLease(c, lease, owner)),
  } satisfies Partial<Store>;
}

const records = (c: Connection) =>
  ({
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
  }) satisfies Partial<Store>;

const snapshots = (c: Connection) =>
  ({
    snapshot: () => read(c, () => takeSnapshot(c)),
    async revertTampering(before) {
      const snapshot = before as SnapshotRows; // the only kind there is
      if (await read(c, () => isUntouched(c, snapshot))) return [];
      return await write(c, () => revert(c, snapshot), { durable: true });
    },
  }) satisfies Partial<StoreFile>;

async function tidyUp(c: Connection): Promise<void> {
  await write(c, () => run(c, "DELETE FROM opening WHERE handle = ?", c.handle()));
  // One of the drivers leaves the WAL behind; this way the database file alone is the whole store.
  await patiently(c, () => c.db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
}

function upkeep(c: Connection, guard: () => GuardReport) {
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
  } satisfies Partial<SqliteStore>;
}
