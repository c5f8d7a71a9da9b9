import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { NewTask } from "../domain/task-input.ts";
import type { Owner } from "../domain/task.ts";
import { processIdentity } from "../system/process/process-identity.ts";
import { openSqliteStore, type SqliteStore } from "../store/index.ts";
import type { Claim, Store } from "../store/store.ts";
import { loadSqlite, type SqliteDatabase } from "../system/sqlite-driver.ts";
import { revertTampering } from "./tamper-check.ts";

const root = mkdtempSync(join(tmpdir(), "ralph-held-"));
const opened: SqliteStore[] = [];
let count = 0;

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const task = (id: string, more: Partial<NewTask> = {}): NewTask => ({
  id,
  scope: "workspace",
  title: `Do ${id}`,
  ...more,
});

interface Loop {
  readonly store: SqliteStore;
  readonly path: string;
  /** What an agent can do with a shell of its own, once it has removed our triggers. */
  readonly sql: (...statements: readonly string[]) => Promise<void>;
  /** Another process with a store: a person, another loop. */
  readonly elsewhere: () => Promise<Store>;
  /** All that the tasks are, and that nothing in the store is wrong. */
  readonly whole: () => Promise<unknown>;
}

async function loop(...tasks: readonly NewTask[]): Promise<Loop> {
  const path = join(root, `${++count}.db`);
  const open = async (): Promise<SqliteStore> => {
    const store = await openSqliteStore({ path });
    opened.push(store);
    return store;
  };
  const store = await open();
  await store.add(tasks);
  return {
    store,
    path,
    elsewhere: open,
    async sql(...statements) {
      const db = (await loadSqlite()).open(path);
      for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()) {
        db.exec(`DROP TRIGGER ${name}`);
      }
      for (const statement of statements) db.exec(statement);
      db.close();
    },
    whole: async () => ({
      ...(await store.list()),
      problems: (await store.check()).filter(({ kind }) => kind !== "stuck"),
    }),
  };
}

const ME: Owner = processIdentity();
const claimed = async (store: Store, id: string): Promise<Claim> =>
  (await store.claim({ owner: ME, leaseMs: 60_000, only: [id], run: "r-1" }))!;
const withoutEnd = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === "untilMs" ? 0 : one)));

describe("what a session changes past the channels", () => {
  const cases: readonly (readonly [statement: string, id: string, fields: string])[] = [
    ["UPDATE task SET status = 'done', own = 'done' WHERE id = 'b'", "b", "state"],
    ["UPDATE task SET status = 'done' WHERE id = 'b'", "b", "state"],
    ["UPDATE task SET own = 'done', status = 'done', lease_until = NULL WHERE id = 'a'", "a", "lease, state"],
    ["UPDATE task SET lease_until = NULL, lease_pid = NULL, fence = 9 WHERE id = 'a'", "a", "lease"],
    ["UPDATE task SET gates = NULL WHERE id = 'c'", "c", "gates"],
    ["UPDATE task SET may_change = '[\"**\"]' WHERE id = 'b'", "b", "files it may change"],
    ["UPDATE task SET attempts = -9 WHERE id = 'b'", "b", "attempts"],
    [
      "UPDATE task SET attempt_limit = 99, allow_no_change = 1, model = 'x' WHERE id = 'b'",
      "b",
      "attempt limit, no-change rule, model",
    ],
    [
      "UPDATE task SET own = 'failed', status = 'failed', retry = 1, updated_at = 1 WHERE id = 'b'",
      "b",
      "state, retry, times",
    ],
    ["UPDATE task SET scope = 'project/x' WHERE id = 'b'", "b", "scope"],
    ["UPDATE task SET parent = NULL WHERE id = 'k'", "k", "parent"],
    ["UPDATE task SET acceptance = NULL WHERE id = 'c'", "c", "acceptance criteria"],
    ["DELETE FROM dependency", "c", "needs"],
    ["UPDATE task SET open_blockers = 0 WHERE id = 'c'", "c", "counts"],
    ["UPDATE task SET status = 'done' WHERE id = 'p'", "p", "counts"],
  ];

  test.each(cases)("W-02 %s is undone and told", async (statement, id, fields) => {
    const gates = [{ id: "unit", run: "npm test", retries: 0 }];
    const { store, sql, whole } = await loop(
      task("a"),
      task("b"),
      task("c", { needs: ["b"], gates, acceptance: ["it is green"] }),
      task("p"),
      task("k", { parent: "p" }),
    );
    await claimed(store, "a");
    const tasks = withoutEnd(await whole());
    const before = await store.snapshot();
    await sql(statement);
    expect(withoutEnd(await whole())).not.toEqual(tasks);
    expect(await revertTampering(store, before)).toEqual([
      `${id} was changed without ralphctl (${fields}); the change was undone`,
    ]);
    expect(withoutEnd(await whole())).toEqual(tasks);
  });

  test("W-02 the assigned task can still be settled by the one who has it, and it is in the log", async () => {
    const { store, sql, whole } = await loop(task("a"));
    const { lease } = await claimed(store, "a");
    const before = await store.snapshot();
    await sql("PRAGMA foreign_keys = ON", "DELETE FROM task");
    expect(await store.heartbeat(lease)).toBe("fenced");
    expect(await revertTampering(store, before)).toEqual(["a was deleted without ralphctl; the deletion was undone"]);
    expect(await store.heartbeat(lease)).toBe("held");
    expect(await store.settle(lease, { outcome: "verified", to: "done", counted: true })).toMatchObject({
      kind: "settled",
    });
    expect((await store.log("a")).map(({ by, kind, text }) => [by, kind, text])).toEqual([
      ["loop", "put back", "deleted"],
      ["loop", "verified", ""],
    ]);
    expect(await store.attempts("a")).toMatchObject([{ fence: 1, outcome: "verified", run: "r-1" }]);
    expect(await whole()).toMatchObject({ problems: [] });
  });

  test.each(["ON", "OFF"])("W-02 deleted tasks come back with their links, foreign keys %s", async (keys) => {
    const { store, sql, whole } = await loop(
      task("p"),
      task("a", { parent: "p", description: "long", priority: 1 }),
      task("b", { parent: "p", needs: ["a"] }),
      task("c", { needs: ["p"], tags: ["x"] }),
    );
    const tasks = await whole();
    const before = await store.snapshot();
    await sql(`PRAGMA foreign_keys = ${keys}`, "DELETE FROM task WHERE id <> 'p'");
    const undone = await store.revertTampering(before);
    expect(undone.map(({ id }) => id).sort()).toEqual(["a", "b", "c"]);
    expect(await whole()).toEqual(tasks);
  });

  test("W-02 a row that nobody added through ralphctl goes, and what hung on it stays", async () => {
    const { store, sql, whole } = await loop(task("a"));
    const tasks = await whole();
    const before = await store.snapshot();
    await sql(
      `INSERT INTO task (id, scope, priority, status, own, created_at, updated_at, title, description)
       VALUES ('x', 'workspace', 1, 'pending', 'pending', 1, 1, 'Do x', '')`,
      "INSERT INTO dependency SELECT (SELECT seq FROM task WHERE id = 'a'), seq FROM task WHERE id = 'x'",
      "INSERT INTO log SELECT seq, 1, 1, 'person', 'note', 'mine' FROM task WHERE id = 'x'",
    );
    const undone = await revertTampering(store, before);
    expect(undone).toEqual([
      "a was changed without ralphctl (needs); the change was undone",
      "x was added without ralphctl and removed; use ralphctl task add",
    ]);
    expect(await whole()).toEqual(tasks);
  });

  test("W-02 the second comparison finds nothing, and the next session begins from what is there", async () => {
    const { store, sql } = await loop(task("a"), task("b"));
    const before = await store.snapshot();
    await sql("UPDATE task SET own = 'done', status = 'done'");
    expect(await revertTampering(store, before)).toHaveLength(2);
    expect(await revertTampering(store, before)).toEqual([]);
    await sql("UPDATE task SET own = 'parked', status = 'parked' WHERE id = 'a'");
    expect(await revertTampering(store, await store.snapshot())).toEqual([]);
  });

  test("W-02 W-03 also when the store had to be written back first", async () => {
    const { store, sql, path, whole } = await loop(task("a"), task("b"));
    const tasks = await whole();
    const before = await store.snapshot();
    await sql("UPDATE task SET own = 'done', status = 'done' WHERE id = 'a'");
    rmSync(path);
    expect(await store.guard()).toMatchObject({ kind: "restored", from: "handle" });
    expect((await store.revertTampering(before)).map(({ id }) => id)).toEqual(["a"]);
    expect(await whole()).toEqual(tasks);
  });
});

test.each([
  ["overwritten", async (path: string) => writeFileSync(path, "rubbish".repeat(1000))],
  [
    "without its tables",
    async (path: string) => {
      const db = (await loadSqlite()).open(path);
      db.exec("PRAGMA foreign_keys = OFF; DROP TABLE task");
      db.close();
    },
  ],
])("W-02 W-03 a store that is %s: what its copy did not have is put back from the snapshot", async (_name, attack) => {
  const path = join(root, `${++count}.db`);
  const copy = join(root, `${count}-copy.db`);
  const store = await openSqliteStore({ path, copy });
  opened.push(store);
  await store.add([task("a"), task("b", { needs: ["a"] })]);
  await store.backupTo(copy);
  await store.settle((await claimed(store, "a")).lease, { outcome: "verified", to: "done", counted: true });
  await store.add([task("c", { needs: ["b"] })]);
  const tasks = await store.list();
  const before = await store.snapshot();
  await attack(path);
  expect(await store.guard()).toMatchObject({ kind: "restored", from: "copy" });
  expect((await store.revertTampering(before)).map(({ id }) => id)).toEqual(["a", "c"]);
  expect(await store.list()).toEqual(tasks);
  expect(await store.check()).toEqual([]);
});

describe("a snapshot", () => {
  const FAKE = `INSERT INTO task (id, scope, priority, status, own, created_at, updated_at, title, description)
    VALUES ('x', 'workspace', 1, 'pending', 'pending', 1, 1, 'Do x', '')`;

  test("W-02 tasks from before there were revisions are nobody's fault", async () => {
    const { store, sql, elsewhere } = await loop(task("a"), task("b"), task("c"));
    await sql("UPDATE task SET revision = 0");
    const before = await store.snapshot();
    await sql("UPDATE task SET own = 'done', status = 'done' WHERE id = 'a'");
    await (await elsewhere()).change("b", { kind: "complete" }, "person");
    expect((await store.revertTampering(before)).map(({ id }) => id)).toEqual(["a"]);
    expect((await store.list()).tasks.map(({ status }) => status)).toEqual(["pending", "done", "pending"]);
  });

  test("W-02 of more than 20,000 tasks has those that somebody works on, the next in line, and new ones", async () => {
    const { store, sql, elsewhere } = await loop(
      task("a"),
      task("b", { needs: ["a"] }),
      task("c", { parent: "b" }),
      task("d"),
    );
    await sql("UPDATE task SET seq = 30000 WHERE id = 'd'");
    await claimed(store, "a");
    const before = await store.snapshot();
    await (await elsewhere()).add([task("e")]);
    await sql(FAKE, "UPDATE task SET own = 'done', status = 'done'");
    const undone = await store.revertTampering(before);
    expect(undone.map(({ id }) => id)).toEqual(["a", "d", "x", "b"]);
    const statuses = (await store.list()).tasks.map(({ id, status }) => [id, status]);
    expect(Object.fromEntries(statuses)).toEqual({ a: "in_progress", b: "done", c: "done", d: "pending", e: "done" });
  });
});

describe("SQL of others", () => {
  const open = async (path: string): Promise<SqliteDatabase> => (await loadSqlite()).open(path);
  const WRITES = [
    "UPDATE task SET own = 'done', status = 'done'",
    "DELETE FROM task",
    "INSERT INTO log SELECT seq, 9, 1, 'agent', 'claim', '{}' FROM task",
    "DELETE FROM attempt",
    "INSERT OR REPLACE INTO meta VALUES ('k', '1')",
    "DELETE FROM dependency",
    "DELETE FROM removed",
  ];

  test.each(WRITES)("W-02 %s is refused", async (statement) => {
    const { store, path, whole } = await loop(task("a"), task("b", { needs: ["a"] }));
    const tasks = await whole();
    const before = await store.snapshot();
    const db = await open(path);
    expect(() => db.exec(statement)).toThrow("no such function: only_ralphctl_may_write");
    expect(db.prepare("SELECT id FROM task").all()).toHaveLength(2);
    db.close();
    expect(await revertTampering(store, before)).toEqual([]);
    expect(await whole()).toEqual(tasks);
  });

  test("W-02 with a function of that name it is undone", async () => {
    const { store, path, whole } = await loop(task("a"), task("b"));
    const tasks = await whole();
    const before = await store.snapshot();
    const db = await open(path);
    db.function("only_ralphctl_may_write", () => 1);
    db.exec("UPDATE task SET own = 'done', status = 'done' WHERE id = 'b'");
    db.close();
    expect(await revertTampering(store, before)).toHaveLength(1);
    expect(await whole()).toEqual(tasks);
  });

  test("W-02 triggers that were removed, replaced or added are as before, and change nothing of what we write", async () => {
    const { store, path, sql } = await loop(task("a"), task("b"));
    const db = await open(path);
    const triggers = (): unknown[] => db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
    const ours = triggers();
    const { lease } = await claimed(store, "a");
    const before = await store.snapshot();
    await sql(
      "CREATE TRIGGER task_update AFTER UPDATE ON task BEGIN SELECT 1; END",
      `CREATE TRIGGER "my own" AFTER UPDATE ON task BEGIN UPDATE task SET own = 'done', status = 'done' WHERE id = 'b'; END`,
    );
    await store.heartbeat(lease);
    expect((await store.get("b"))?.status).toBe("done");
    expect(await revertTampering(store, before)).toEqual([
      "b was changed without ralphctl (state); the change was undone",
    ]);
    expect(triggers()).toEqual(ours);
    await store.heartbeat(lease);
    expect((await store.get("b"))?.status).toBe("pending");
    db.close();
  });
});

describe("what comes through a store during a session", () => {
  const TASKS = [
    task("a"),
    task("b", { needs: ["a"] }),
    task("c"),
    task("d"),
    task("p"),
    task("k", { parent: "p" }),
    task("f", { status: "failed" }),
  ];
  const settled = async (store: Store): Promise<void> => {
    const { lease } = await claimed(store, "c");
    await store.heartbeat(lease);
    await store.recordVerdict(lease, { tree: "t" });
    await store.settle(lease, { outcome: "rejected", to: "pending", counted: true, reason: "red" });
  };
  const writes: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    add: (store) => store.add([task("new", { needs: ["a"], parent: "p" })]),
    "add, again": async (store) => await store.remove("d").then(() => store.add([task("d", { priority: 9 })])),
    "add, newer": (store) =>
      store.add([task("a", { updatedAt: Date.now() + 9e6, status: "done" })], { onExisting: "newer" }),
    addStream: async (store) =>
      await store.addStream(
        (async function* () {
          yield [task("s1", { parent: "p" }), task("k", { parent: "c", updatedAt: Date.now() + 9e6 })];
        })(),
        { onExisting: "newer" },
      ),
    update: (store) => store.update("a", { gates: [{ id: "g", run: "true", retries: 0 }], attemptLimit: 9 }, "person"),
    "update of the parent": (store) => store.update("k", { parent: "a" }, "person"),
    "update of the limit": (store) => store.update("f", { attemptLimit: 9 }, "person"),
    apply: (store) =>
      store.apply(
        {
          add: [task("planned")],
          update: [{ id: "b", patch: { title: "B" }, needs: ["c"] }],
          change: [{ id: "d", when: "pending", change: { kind: "drop" }, by: "plan" }],
        },
        "plan",
      ),
    addDependency: (store) => store.addDependency("d", "c"),
    removeDependency: (store) => store.removeDependency("b", "a"),
    remove: (store) => store.remove("p"),
    change: (store) => store.change("a", { kind: "complete" }, "person"),
    "change of a failed one": (store) => store.change("f", { kind: "reset" }, "person"),
    claim: (store) => claimed(store, "a"),
    settle: settled,
    release: async (store) => await store.release((await claimed(store, "a")).lease),
    note: (store) => store.note("a", { by: "agent", kind: "claim", text: "{}" }),
    updateMeta: (store) => store.updateMeta("k", () => 1),
  };

  test.each(Object.keys(writes))("W-02 %s by another process stays", async (name) => {
    const { store, elsewhere, whole } = await loop(...TASKS);
    const before = await store.snapshot();
    await writes[name]!(await elsewhere());
    const after = await whole();
    expect(await revertTampering(store, before)).toEqual([]);
    expect(await whole()).toEqual(after);
  });

  test("W-02 changes through the same store stay", async () => {
    const { store, whole } = await loop(task("a"), task("b", { needs: ["a"] }), task("c"));
    const before = await store.snapshot();
    await store.settle((await claimed(store, "a")).lease, { outcome: "verified", to: "done", counted: true });
    await store.remove("c");
    await store.update("b", { title: "B" }, "person");
    const after = await whole();
    expect(await revertTampering(store, before)).toEqual([]);
    expect(await whole()).toEqual(after);
  });

  test("W-02 a lost lease and an adopted verdict stay", async () => {
    const { store, elsewhere, whole } = await loop(task("a"), task("b"));
    const dead: Owner = { ...ME, pid: 4_194_304, startTime: "1" };
    await store.claim({ owner: dead, leaseMs: 60_000, only: ["a"] });
    const b = (await store.claim({ owner: dead, leaseMs: 60_000, only: ["b"] }))!;
    await store.recordVerdict(b.lease, { tree: "t" });
    const before = await store.snapshot();
    const other = await elsewhere();
    expect(await other.adopt(b.lease, ME)).toMatchObject({ owner: ME });
    expect(await claimed(other, "a")).toMatchObject({ lease: { fence: 2 } });
    const after = await whole();
    expect(await revertTampering(store, before)).toEqual([]);
    expect(await whole()).toEqual(after);
  });

  test("W-02 a lease that was lost and a verdict that was recorded meanwhile stay", async () => {
    const { store, elsewhere, whole } = await loop(task("a"), task("b"));
    const { lease } = await claimed(store, "b");
    await store.claim({ owner: { ...ME, pid: 4_194_304, startTime: "1" }, leaseMs: 60_000, only: ["a"] });
    const before = await store.snapshot();
    const other = await elsewhere();
    expect(await other.claim({ owner: ME, leaseMs: 60_000, only: ["nobody"] })).toBeUndefined();
    expect(await other.recordVerdict(lease, { tree: "t" })).toBe("recorded");
    const after = await whole();
    expect(await revertTampering(store, before)).toEqual([]);
    expect(await whole()).toEqual(after);
    expect((await store.get("a"))?.status).toBe("pending");
  });

  test("W-02 a person's edits stay while an agent's statements are undone", async () => {
    const { store, elsewhere, sql } = await loop(task("a"), task("b"), task("c"), task("d", { needs: ["b"] }));
    const before = await store.snapshot();
    const person = await elsewhere();
    await person.update("b", { title: "B" }, "person");
    await sql("UPDATE task SET own = 'done', status = 'done' WHERE id IN ('a', 'b')", "DELETE FROM dependency");
    await person.change("c", { kind: "complete" }, "person");
    await person.add([task("e")]);
    await person.addDependency("b", "d");
    const undone = await store.revertTampering(before);
    // What d needs would now close a cycle with what the person wants: theirs wins. And b is theirs since they wrote it.
    expect(undone.map(({ id }) => id)).toEqual(["a", "d"]);
    const tasks = (await store.list()).tasks.map(({ id, title, status, needs }) => ({ id, title, status, needs }));
    expect(tasks).toEqual([
      { id: "a", title: "Do a", status: "pending", needs: [] },
      { id: "b", title: "B", status: "done", needs: ["d"] },
      { id: "c", title: "Do c", status: "done", needs: [] },
      { id: "d", title: "Do d", status: "pending", needs: [] },
      { id: "e", title: "Do e", status: "pending", needs: [] },
    ]);
    expect(await store.check()).toEqual([]);
  });

  test("W-02 while nobody else writes nothing is read or written", async () => {
    const path = join(root, `${++count}.db`);
    const written: string[] = [];
    const store = await openSqliteStore({ path, onWrite: (statement) => void written.push(statement) });
    opened.push(store);
    await store.add([task("a")]);
    const before = await store.snapshot();
    await store.change("a", { kind: "complete" }, "person");
    written.length = 0;
    expect(await revertTampering(store, before)).toEqual([]);
    expect(written).toEqual([]);
  });
});
