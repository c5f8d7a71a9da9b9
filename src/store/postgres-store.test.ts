import { afterEach, describe, expect, test, vi } from "vitest";
import type { Owner } from "../domain/task.ts";
import { openPostgres, type PgPool } from "../system/postgres.ts";
import { atEnd } from "../../test/at-end.ts";
import { fleetDatabase } from "../../test/fleet-database.ts";
import { newDatabase, onDatabase, postgresMissing } from "../../test/postgres.ts";
import { LOCK_CLASS } from "./postgres/functions.ts";
import { migrate, requireSchema, schemaSql } from "./postgres/migrate.ts";
import { translated } from "./postgres/postgres-error.ts";
import { migrations } from "./postgres/schema.ts";
import { openPostgresStore, type PostgresStore } from "./postgres.ts";
import { DONE, ME, newTask, request } from "./store.contract.ts";
import type { Store } from "./store.ts";

let database: Promise<string> | undefined;
let count = 0;

const open = async (repository = `repository ${++count}`): Promise<PostgresStore> => {
  const store = await openPostgresStore({
    isNew: true,
    url: await (database ??= fleetDatabase()),
    repository,
    host: "here",
    isAlive: () => true,
  });
  atEnd(() => store.close());
  return store;
};

const poolOf = async (url: string): Promise<PgPool> => {
  const pool = await openPostgres(url, { connections: 10 });
  atEnd(() => pool.end());
  return pool;
};

const ids = async (store: Store): Promise<string[]> => (await store.list()).tasks.map(({ id }) => id);
const there: Owner = { host: "there", pid: 7, startTime: "7" };
const HOUR = 3_600_000;

/** Connections to a database beside the one that asks. */
const OTHERS = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

afterEach(() => void vi.restoreAllMocks());

describe.skipIf(postgresMissing !== undefined)("F-01 PostgreSQL", () => {
  test("F-01 leases run by the server's time, whatever the clock of a machine says", async () => {
    const [one, other] = [await open("clocks"), await open("clocks")];
    await one.add([newTask("a")]);
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now - HOUR);
    const claim = (await one.claim(request({ owner: there })))!;
    const left = claim.task.lease!.untilMs - (await serverTime());
    expect([left > 0, left <= request().leaseMs, claim.task.startedAt! > now - HOUR / 2]).toEqual([true, true, true]);
    vi.spyOn(Date, "now").mockReturnValue(now + HOUR);
    expect(await other.claim(request())).toBe(undefined);
    expect(await other.heartbeat(claim.lease)).toBe("held");
  });

  test("F-02 a zombie settles nothing: after another has its task, all that it says is fenced", async () => {
    const [one, other] = [await open("zombie"), await open("zombie")];
    await one.add([newTask("a")]);
    const zombie = (await one.claim(request({ owner: there, leaseMs: 1 })))!.lease;
    const taken = await vi.waitUntil(() => other.claim(request()), { timeout: 60_000 });
    const told = [
      await one.heartbeat(zombie),
      await one.recordVerdict(zombie, { tree: "t" }),
      await one.adopt(zombie, there),
      (await one.settle(zombie, DONE)).kind,
      (await one.release(zombie)).kind,
    ];
    expect(told).toEqual(["fenced", "fenced", undefined, "fenced", "fenced"]);
    expect(await other.get("a")).toMatchObject({ status: "in_progress", lease: { owner: ME, fence: 2 } });
    expect(await other.settle(taken.lease, DONE)).toMatchObject({ kind: "settled", task: { status: "done" } });
  });

  test("F-01 what the server gives up because of others is tried again, and nothing is done twice", async () => {
    const store = await open();
    await store.add([newTask("a")]);
    for (const code of ["40001", "40P01"]) {
      let tries = 0;
      const next = (value: unknown): number => {
        if (++tries < 3) throw Object.assign(new Error("again"), { code });
        return ((value as number | undefined) ?? 0) + 1;
      };
      await store.updateMeta("k", next);
      expect(tries).toBe(3);
    }
    expect(await store.getMeta("k")).toBe(2);
  });

  test("F-01 a refused password is a login that was refused, and a lost connection is a server out of reach", () => {
    const told = (code: string, words: string): unknown =>
      translated(Object.assign(new Error(words), { code }), "db/ralph");
    expect(told("28P01", "password authentication failed")).toMatchObject({
      kind: "login",
      hint: expect.stringContaining("~/.pgpass"),
    });
    expect(told("57P01", "terminating connection")).toMatchObject({ kind: "unavailable" });
    expect(told("", "Connection terminated unexpectedly")).toMatchObject({ kind: "unavailable" });
    expect(told("53100", "no space left")).toMatchObject({
      kind: "io",
      message: expect.stringContaining("no space left (53100)"),
    });
  });

  test("F-01 a settlement waits for an edit of the graph, and counts the edge that it made", async () => {
    const store = await open("waits");
    await store.add([newTask("a"), newTask("b")]);
    const { lease } = (await store.claim(request()))!;
    const editor = await (await poolOf(await database!)).connect();
    const repository = "(SELECT id FROM ralphctl.repository WHERE key = 'waits')";
    try {
      await editor.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${repository})`);
      const settled = store.settle(lease, DONE);
      const isWaiting =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      const wait = vi.waitUntil(async () => (await onDatabase(await database!, isWaiting)).length > 0, {
        timeout: 60_000,
      });
      expect(await Promise.race([wait.then(() => "waits"), settled.then(() => "went on")])).toBe("waits");
      await editor.query(`INSERT INTO ralphctl.dependency SELECT ${repository}, 2, 1; COMMIT`);
      expect(await settled).toMatchObject({ kind: "settled" });
    } finally {
      editor.release(true);
    }
    expect([(await store.ready()).map(({ id }) => id), await store.check()]).toEqual([["b"], []]);
  });

  test("F-01 to claim and to settle reads a few rows, however many tasks there are", async () => {
    const url = await fleetDatabase();
    const read = "SELECT sum(idx_tup_read)::int AS n FROM pg_stat_user_indexes WHERE relname IN ('task', 'dependency')";
    const rowsRead = async (): Promise<number> => (await onDatabase(url, read))[0]!["n"] as number;
    const filling = await openPostgresStore({ url, repository: "many", isNew: true });
    await filling.add(
      Array.from({ length: 3000 }, (_, n) => newTask(`t${n}`, n % 2 === 1 ? { needs: [`t${n - 1}`] } : {})),
    );
    await filling.close();
    await onDatabase(url, "ANALYZE");
    // What a connection has read is known when it ends.
    await vi.waitUntil(async () => (await onDatabase(url, OTHERS)).length === 0, { timeout: 60_000 });
    const before = await rowsRead();
    const store = await openPostgresStore({ url, repository: "many" });
    for (let turn = 0; turn < 20; turn++) {
      const { lease } = (await store.claim(request()))!;
      await store.settle(lease, DONE);
    }
    await store.close();
    await vi.waitUntil(async () => (await onDatabase(url, OTHERS)).length === 0, { timeout: 60_000 });
    expect((await rowsRead()) - before).toBeLessThan(3000);
  });

  test("F-01 a tree may be deep, and what happens at its end reaches its top", async () => {
    const store = await open();
    const depth = 1500;
    await store.add(Array.from({ length: depth }, (_, n) => newTask(`d${n}`, n === 0 ? {} : { parent: `d${n - 1}` })));
    await store.add([newTask("first"), newTask("after", { needs: ["d0"] })]);
    await store.addDependency("d0", "first");
    expect((await store.ready()).map(({ id }) => id)).toEqual(["first"]);
    for (const id of ["first", `d${depth - 1}`]) {
      const claim = (await store.claim(request()))!;
      expect([claim.task.id, (await store.settle(claim.lease, DONE)).kind]).toEqual([id, "settled"]);
    }
    expect((await store.get("d0"))?.status).toBe("done");
    expect((await store.ready()).map(({ id }) => id)).toEqual(["after"]);
    expect(await store.check()).toEqual([]);
  });

  test("W-06 others read while a preview has written, and see none of it", async () => {
    const [one, other] = [await open("preview"), await open("preview")];
    await one.add([newTask("a")]);
    const seen = await one.preview(async (inner) => {
      await Promise.all([inner.add([newTask("b")]), inner.setMeta("k", 1), inner.get("a")]);
      return [await ids(inner), await ids(other), await ids(one)];
    });
    expect(seen).toEqual([["a", "b"], ["a"], ["a"]]);
    expect(await ids(one)).toEqual(["a"]);
  });

  test("F-01 the database takes no state that there is not, and no count below zero, whoever writes it", async () => {
    const url = await fleetDatabase();
    await using store = await openPostgresStore({ url, repository: "r", isNew: true });
    const [id = ""] = await store.add([newTask("a")]);
    const set = async (what: string): Promise<unknown> =>
      await onDatabase(url, `UPDATE ralphctl.task SET ${what}`).catch(String);
    expect(await set("own = 'finished'")).toContain(`task ${id} cannot be finished with 0 open needs`);
    expect(await set("open_needs = -1")).toContain(`task ${id} cannot be pending with -1 open needs`);
    expect(await store.get(id)).toMatchObject({ status: "pending", ready: true });
  });

  test("F-01 a settlement answers with the task as it is then, whether its process has claimed it or another", async () => {
    const here = await open();
    const elsewhere = await open(`repository ${count}`);
    const [top = "", need = ""] = await here.add([
      { scope: "workspace", title: "Above", description: "All" },
      { scope: "workspace", title: "First", tags: ["a"] },
    ]);
    for (const store of [here, elsewhere]) {
      for (const to of ["pending", "failed", "parked", "done"] as const) {
        const [id = ""] = await here.add([{ scope: "workspace", title: to, parent: top, needs: [need], priority: 0 }]);
        await here.change(need, { kind: "complete" }, "person");
        const { lease } = (await here.claim(request({ only: [id] })))!;
        const texts = { reason: "why", question: "what", summary: "so" };
        const settled = await store.settle(lease, { outcome: to, to, counted: true, ...texts });
        expect(settled).toEqual({ kind: "settled", task: await here.get(id), repeated: false });
        await here.change(need, { kind: "reset" }, "person");
      }
    }
  });

  test("F-01 names with a NUL, which the database cannot hold, are names that nobody has", async () => {
    const store = await open();
    expect(await store.get("a\u0000")).toBe(undefined);
    await expect(store.resolve("a\u0000")).rejects.toThrow("There is no task");
  });

  test("F-09 repositories in one database have the same ids and see nothing of each other", async () => {
    const [one, other] = [await open("shop"), await open("bank")];
    await one.add([newTask("p"), newTask("a", { parent: "p" }), newTask("b", { needs: ["a"] })]);
    await other.add([newTask("a", { title: "theirs" })]);
    await one.setMeta("k", "ours");
    const claim = (await one.claim(request({ only: ["a"] })))!;
    expect(await other.settle(claim.lease, DONE)).toEqual({ kind: "fenced" });
    expect(await one.settle(claim.lease, DONE)).toMatchObject({ kind: "settled" });
    expect(await other.remove("a")).toBe(1);
    expect([await ids(other), await other.scopes(), await other.getMeta("k")]).toEqual([[], [], undefined]);
    expect((await one.ready()).map(({ id }) => id)).toEqual(["b"]);
    expect([await one.check(), await other.check()]).toEqual([[], []]);
  });
});

async function serverTime(): Promise<number> {
  const [row] = await onDatabase(
    await database!,
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now",
  );
  return row!["now"] as number;
}

describe.skipIf(postgresMissing !== undefined)("F-09 the schema", () => {
  test("F-09 many that set it up at once: it is made once, and later steps run once", async () => {
    const pool = await poolOf(await newDatabase());
    const atOnce = (known: readonly string[]): Promise<unknown> =>
      Promise.all(Array.from({ length: 8 }, () => migrate(pool, "test", known)));
    await atOnce(migrations);
    await requireSchema(pool, "test");
    const later = [...migrations, "CREATE TABLE ralphctl.more (n integer); INSERT INTO ralphctl.more VALUES (1)"];
    await atOnce(later);
    expect((await pool.query("SELECT count(*) AS n FROM ralphctl.more")).rows).toEqual([{ n: 1 }]);
  });

  test("F-09 a step that fails leaves nothing of itself", async () => {
    const url = await newDatabase();
    const broken = [...migrations, "CREATE TABLE ralphctl.more (n integer); SELECT 1 / 0"];
    await expect(migrate(await poolOf(url), "test", broken)).rejects.toMatchObject({ kind: "io" });
    expect(await onDatabase(url, "SELECT nspname FROM pg_namespace WHERE nspname = 'ralphctl'")).toEqual([]);
  });

  test("F-09 no schema, an older, a newer and half of one are refused, each with a way out", async () => {
    const url = await newDatabase();
    const pool = await poolOf(url);
    const openIt = (): Promise<unknown> => openPostgresStore({ isNew: true, url, repository: "r" });
    const setUp = { kind: "config", hint: "Run once: ralphctl fleet init" };
    await expect(openIt()).rejects.toMatchObject({
      ...setUp,
      message: expect.stringContaining("has no tasks of a fleet yet"),
    });
    await migrate(pool, "test");
    const older = expect.stringContaining("has an older schema (2, this ralphctl needs 3)");
    await expect(requireSchema(pool, "test", 3)).rejects.toMatchObject({ ...setUp, message: older });
    await onDatabase(url, "UPDATE ralphctl.version SET number = 99");
    const newer = {
      kind: "io",
      message: expect.stringContaining("was set up by a newer ralphctl (schema 99, this one knows 2)"),
    };
    await expect(openIt()).rejects.toMatchObject({ ...newer, hint: "Update it: npm install -g ralphctl@latest" });
    await expect(migrate(pool, "test")).rejects.toMatchObject(newer);
    await onDatabase(url, "DROP TABLE ralphctl.version");
    const half = { kind: "io", message: expect.stringContaining("is only half there") };
    await expect(openIt()).rejects.toMatchObject(half);
    await expect(migrate(pool, "test")).rejects.toMatchObject(half);
  });

  test("F-09 the printed statements make the schema that the program makes", async () => {
    const url = await newDatabase();
    await onDatabase(url, schemaSql());
    await onDatabase(url, schemaSql()).then(
      () => expect.unreachable(),
      () => undefined,
    );
    const store = await openPostgresStore({ isNew: true, url, repository: "r" });
    await store.add([newTask("a")]);
    expect(await migrate(await poolOf(url), "test")).toBe(migrations.length);
    expect(await ids(store)).toEqual(["a"]);
    await store.close();
  });
});
