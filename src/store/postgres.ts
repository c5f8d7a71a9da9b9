import { RalphError } from "../domain/error.ts";
import { cleanPatch, cleanTask, type CleanTask } from "../domain/task-input.ts";
import type { Owner, TaskId } from "../domain/task.ts";
import { fleetIdentity, isAliveHere } from "../system/process/fleet-identity.ts";
import { openPostgres, type PgPool } from "../system/postgres.ts";
import type { IsAlive } from "./lease.ts";
import { addCounted, addTasks } from "./postgres/add.ts";
import { checkAddress, safeName } from "./postgres/address.ts";
import { findProblems } from "./postgres/check.ts";
import { adoptLease, beat, claimTask, listOpenVerdicts, saveVerdict } from "./postgres/claim.ts";
import { alone, type Database, edit, nothingKnown, preview, read } from "./postgres/connection.ts";
import { addEdge, applyEdits, removeEdge, removeTask, updateTasks } from "./postgres/edit.ts";
import { listMachines, type MachineLeases } from "./postgres/machines.ts";
import { requireSchema } from "./postgres/migrate.ts";
import { translated } from "./postgres/postgres-error.ts";
import {
  allScopes,
  countTasks,
  findTask,
  listById,
  listDependents,
  listDone,
  listTasks,
  readyTasks,
  resolveId,
  taskTree,
} from "./postgres/read.ts";
import { addLog, listAttempts, listLog, readMeta, writeMeta } from "./postgres/record.ts";
import { seqOf } from "./postgres/rows.ts";
import { type Shared, sharedIn } from "./postgres/shared.ts";
import { changeTask, settleTask } from "./postgres/settle.ts";
import { randomId } from "./sqlite/open.ts";
import type { Store, StoreFile, TaskPage } from "./store.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Whose tasks: several repositories share a database, and none sees another's (F-09). */
  readonly repository: string;
  /** Adds the repository if the database does not know it yet. */
  readonly isNew?: boolean | undefined;
  readonly connections?: number | undefined;
  /** For tests: otherwise the server's time is the only one. */
  readonly clock?: (() => number) | undefined;
  readonly newId?: (() => TaskId) | undefined;
  readonly isAlive?: IsAlive | undefined;
  readonly host?: string | undefined;
}

export interface PostgresStore extends Store, Pick<StoreFile, "check"> {
  /** Host and database, for people. */
  readonly name: string;
  /** Who works on something. */
  machines(): Promise<MachineLeases[]>;
  /** Does all that workers do, and undoes it: throws if the role may not. */
  tryRights(): Promise<void>;
}

/** Opens the tasks of one repository in a database that `fleet init` has set up. */
export const openPostgresStore = async (options: PostgresOptions): Promise<PostgresStore> =>
  storeOn(await openDatabase(options));

export async function openDatabase(options: PostgresOptions): Promise<Database> {
  checkAddress(options.url);
  const name = safeName(options.url);
  const pool = await openPostgres(options.url, { connections: options.connections ?? 8 });
  try {
    await requireSchema(pool, name);
    return {
      pool,
      name,
      repository: await numberOf(pool, name, options),
      clock: options.clock,
      newId: options.newId ?? randomId,
      isAlive: options.isAlive ?? isAliveHere,
      host: options.host ?? fleetIdentity().host,
      known: nothingKnown(),
      client: undefined,
      preview: undefined,
    };
  } catch (error) {
    await pool.end();
    throw translated(error, name);
  }
}

async function numberOf(pool: PgPool, name: string, { repository, isNew }: PostgresOptions): Promise<number> {
  const add = "INSERT INTO ralphctl.repository (key) VALUES ($1) ON CONFLICT DO NOTHING";
  if (isNew === true) await pool.query(add, [repository]);
  const { rows } = await pool.query("SELECT id FROM ralphctl.repository WHERE key = $1", [repository]);
  if (rows[0] !== undefined) return rows[0]["id"] as number;
  throw new RalphError(
    "config",
    `PostgreSQL at ${name} has no tasks of this repository, which began with ${repository}`,
    {
      hint: "Check that this is the right clone and database, or add the repository: ralphctl fleet init",
    },
  );
}

/** Everything that a worker does, on rows that nobody else ever sees. */
async function tryRights(c: Database): Promise<void> {
  await preview(c, async (inner) => {
    const [trial, shared, owner] = [storeOn(inner), sharedIn(inner), fleetIdentity()];
    const [id] = await trial.add([{ scope: "workspace", title: "Try what the role may do" }], { by: "person" });
    const run = { id: "trial", scope: "workspace", target: "trial", request: {}, limits: {}, owner, leaseMs: 60_000 };
    await shared.beginRun(run);
    const member = await shared.join({ owner, name: "trial", lanes: 1, harnesses: [], version: "", leaseMs: 60_000 });
    await shared.takeIteration("trial");
    const claim = await trial.claim({ only: [id!], owner, leaseMs: 60_000 });
    await shared.reserve("trial", { holder: "trial", lease: claim?.lease });
    await shared.spend("trial", {}, "trial");
    await tryLanding(shared, owner);
    await shared.appendEvents("trial", { spool: "trial", from: 0, lines: ["{}"] });
    await shared.cool("trial", "trial", { why: "limit", times: 1, message: "", forMs: 1 });
    await shared.cool("trial", "trial", undefined);
    await shared.answer(await shared.ask({ member: 1, run: "trial", file: "", maxBytes: 1 }), { problem: "" });
    if (claim) await trial.settle(claim.lease, { outcome: "tried", to: "done", counted: false });
    await trial.add([{ scope: "workspace", title: "Needs it", needs: [id!] }]);
    await trial.setMeta("trial", 1);
    await trial.setMeta("trial", undefined);
    await shared.leave(member);
    await shared.endRun("trial", {});
  });
}

async function tryLanding(shared: Shared, owner: Owner): Promise<void> {
  const { epoch } = (await shared.takeLander("trial", { owner, leaseMs: 60_000 }))!;
  const intent = { target: "trial", epoch, from: undefined, to: "trial", tree: "trial", run: "trial" };
  await shared.addIntent(intent);
  await shared.closeIntent(intent, { epoch, how: "given-up" });
}

export const storeOn = (c: Database): PostgresStore => ({
  ...reads(c),
  ...writes(c),
  ...claims(c),
  ...records(c),
  name: c.name,
  check: () => read(c, findProblems),
  machines: () => alone(c, listMachines),
  tryRights: () => tryRights(c),
  preview: (work) => preview(c, async (inner) => await work(storeOn(inner))),
  close: () => close(c),
  [Symbol.asyncDispose]: () => close(c),
});

async function close(c: Database): Promise<void> {
  if (c.preview === undefined && !closed.has(c.pool)) {
    closed.add(c.pool);
    await c.pool.end();
  }
}

const closed = new WeakSet<PgPool>();

function reads(c: Database) {
  const list: Store["list"] = (filter = {}, page = {}) => alone(c, (on) => listTasks(on, filter, page));
  return {
    get: (id) => alone(c, (on) => findTask(on, id)),
    resolve: (text) => alone(c, (on) => resolveId(on, text)),
    list,
    async *each(filter = {}, order = "age") {
      const byId = order === "id";
      for (let cursor: string | undefined = byId ? "" : "0"; cursor !== undefined;) {
        const after: string = cursor;
        const page: TaskPage = byId
          ? await alone(c, (on) => listById(on, filter, after))
          : await list(filter, { cursor });
        yield* page.tasks;
        cursor = page.cursor;
      }
    },
    async *done(filter = {}) {
      for (let after: number | undefined = 0; after !== undefined;) {
        const from: number = after;
        const page = await alone(c, (on) => listDone(on, filter, from));
        yield* page.tasks;
        after = page.next;
      }
    },
    ready: (filter = {}) => alone(c, (on) => readyTasks(on, filter)),
    tree: (filter = {}) => read(c, (on) => taskTree(on, filter)),
    scopes: () => alone(c, allScopes),
    counts: (scopes) => alone(c, (on) => countTasks(on, scopes)),
    dependents: (id) => read(c, (on) => listDependents(on, id)),
  } satisfies Partial<Store>;
}

function writes(c: Database) {
  return {
    add: (tasks, options = {}) => edit(c, (on) => addTasks(on, tasks, options)),
    async addStream(chunks, options = {}) {
      const tasks: CleanTask[] = [];
      for await (const chunk of chunks) {
        for (const task of chunk) tasks.push(cleanTask(task));
        options.onProgress?.(tasks.length, "read");
      }
      return await edit(c, (on) => addCounted(on, tasks, options));
    },
    async update(id, patch, by) {
      const clean = cleanPatch(patch);
      return await edit(c, async (on) => {
        await updateTasks(on, [{ id, patch: clean }], by);
        return (await findTask(on, id))!;
      });
    },
    apply: (edits, by) => edit(c, (on) => applyEdits(on, edits, by)),
    addDependency: (id, needs) => edit(c, (on) => addEdge(on, id, needs)),
    removeDependency: (id, needs) => edit(c, (on) => removeEdge(on, id, needs)),
    remove: (id) => edit(c, (on) => removeTask(on, id)),
    change: (id, change, by) => alone(c, (on) => changeTask(on, id, { change, by })),
  } satisfies Partial<Store>;
}

const claims = (c: Database) =>
  ({
    claim: (request) => alone(c, (on) => claimTask(on, request)),
    heartbeat: (lease) => alone(c, (on) => beat(on, lease)),
    release: (lease, reason) =>
      alone(c, (on) => settleTask(on, lease, { outcome: "released", to: "pending", counted: false, reason })),
    settle: (lease, settlement) => alone(c, (on) => settleTask(on, lease, settlement)),
    recordVerdict: (lease, verdict) => alone(c, (on) => saveVerdict(on, lease, verdict)),
    openVerdicts: () => alone(c, listOpenVerdicts),
    adopt: (lease, owner) => alone(c, (on) => adoptLease(on, lease, owner)),
  }) satisfies Partial<Store>;

const records = (c: Database) =>
  ({
    note: (id, entry) => alone(c, async (on) => await addLog(on, await seqOf(on, id), entry)),
    log: (id, kinds) => alone(c, (on) => listLog(on, id, kinds)),
    attempts: (id, after) => alone(c, (on) => listAttempts(on, id, after)),
    getMeta: (key) => alone(c, (on) => readMeta(on, key)),
    setMeta: (key, value) => alone(c, (on) => writeMeta(on, key, value)),
    updateMeta: (key, next) =>
      edit(c, async (on) => {
        const value = next(await readMeta(on, key));
        await writeMeta(on, key, value);
        return value;
      }),
  }) satisfies Partial<Store>;
