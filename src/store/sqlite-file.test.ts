import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openRaw } from "../../test/raw-database.ts";
import type { Owner } from "../domain/task.ts";
import { loadSqlite, type SqliteDatabase } from "../system/sqlite-driver.ts";
import { addTasks } from "./sqlite/add.ts";
import { connect, run, write } from "./sqlite/connection.ts";
import { takeLock } from "./sqlite/lock.ts";
import { migrate } from "./sqlite/migrate.ts";
import { migrations } from "./migrations/migrations.ts";
import { openSqliteStore, type SqliteOptions, type SqliteStore } from "./sqlite.ts";
import { isDamage, translated } from "./sqlite/sqlite-error.ts";
import { DONE, ME, newTask, OTHER, request } from "./store.contract.ts";
import type { Store } from "./store.ts";

/** Both drivers have it; we do not use it. */
interface Stepwise {
  readonly iterate: () => Iterator<unknown>;
}

const root = mkdtempSync(join(tmpdir(), "ralph-file-"));
let folder = root;
let path = "";
let number = 0;

beforeEach(() => {
  folder = mkdtempSync(join(root, `${++number}-`));
  path = join(folder, "ralph.db");
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const open = (more: Partial<SqliteOptions> = {}): Promise<SqliteStore> => openSqliteStore({ path, ...more });
const raw = (): Promise<SqliteDatabase> => openRaw(path);
const ids = async (store: Store): Promise<string[]> => (await store.list()).tasks.map((task) => task.id);

describe("dag-R1 opening", () => {
  test("WAL, foreign keys on, a version, and the same again the next time", async () => {
    const store = await open();
    await store.add([newTask("a")]);
    await store.close();
    const again = await open();
    expect(await ids(again)).toEqual(["a"]);
    await again.close();
    const db = await raw();
    expect(db.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    expect(db.prepare("PRAGMA user_version").get()).toMatchObject({ user_version: migrations.length });
    expect(db.prepare("SELECT count(*) AS n FROM opening").get()).toMatchObject({ n: 0 });
    db.close();
  });

  test("twenty may open a store that is not there yet, all at once", async () => {
    const stores = await Promise.all(Array.from({ length: 20 }, () => open()));
    await Promise.all(stores.map((store, n) => store.add([newTask(`a${n}`)])));
    expect(await ids(stores[0]!)).toHaveLength(20);
    for (const store of stores) await store.close();
  });

  test("a newer schema is refused with a hint, and left alone", async () => {
    await (await open()).close();
    const db = await raw();
    db.exec("PRAGMA user_version = 99");
    db.close();
    await expect(open()).rejects.toMatchObject({
      kind: "io",
      message: expect.stringContaining("was written by a newer ralphctl (schema 99"),
      hint: "Update it: npm install -g ralphctl@latest",
    });
  });

  test("a database of another program, and what is none, are refused", async () => {
    const db = await raw();
    db.exec("CREATE TABLE other (x)");
    db.close();
    await expect(open()).rejects.toThrow("is a database of another program");
    writeFileSync(path, "hello, this is not a database at all, not even a bit of one".repeat(100));
    await expect(open()).rejects.toMatchObject({ kind: "io", message: expect.stringContaining("is not a database") });
    await expect(openSqliteStore({ path: join(folder, "no", "where.db") })).rejects.toMatchObject({ kind: "io" });
  });

  test("a migration is preceded by a backup, happens once, and may not lose anything", async () => {
    const store = await open();
    await store.add([newTask("a")]);
    await store.close();
    const next = [...migrations, "ALTER TABLE meta ADD COLUMN extra TEXT"];
    const options = {
      path,
      driver: await loadSqlite(),
      clock: () => 1,
      newId: () => "h",
      isAlive: () => true,
      owner: () => ME,
      streamMemory: 1,
    };
    for (const _ of [1, 2]) {
      const c = connect(options);
      await migrate(c, next);
      expect(c.db.prepare("PRAGMA user_version").get()).toMatchObject({ user_version: next.length });
      c.db.close();
    }
    const old = await openSqliteStore({ path: `${path}.v${migrations.length}.backup` });
    expect(await ids(old)).toEqual(["a"]);
    await old.close();
  });

  test("W-06 a commit is made once, also if the database is in use when its log is to be copied", async () => {
    const store = await open();
    const driver = await loadSqlite();
    const options = { path, driver, clock: () => 1, newId: () => "h", isAlive: () => true, owner: () => ME };
    const c = connect({ ...options, streamMemory: 1 });
    await write(c, () =>
      addTasks(
        c,
        Array.from({ length: 3000 }, (_, at) => newTask(`t-${at}`)),
      ),
    );
    // A statement that is not through keeps the log from being copied.
    const reading = (c.db.prepare("SELECT id FROM task") as unknown as Stepwise).iterate();
    reading.next();
    let made = 0;
    await write(c, () => void (made += run(c, "UPDATE meta SET value = value WHERE 0") + 1), { durable: true });
    reading.return?.();
    c.db.close();
    expect(made).toBe(1);
    await store.close();
  });

  test("W-02 a store from before others were kept from writing is migrated with its tasks", async () => {
    const c = connect({
      path,
      driver: await loadSqlite(),
      clock: () => 1,
      newId: () => "h",
      isAlive: () => true,
      owner: () => ME,
      streamMemory: 1,
    });
    await migrate(c, migrations.slice(0, 2));
    const columns = "id, scope, priority, status, own, open_blockers, created_at, updated_at, title, description";
    const task = (id: string, blockers: number) =>
      `INSERT INTO task (${columns}) VALUES ('${id}', 'workspace', 2, 'pending', 'pending', ${blockers}, 1, 1, '${id}', '')`;
    c.db.exec(`${task("a", 0)}; ${task("b", 1)}; INSERT INTO dependency (blocked, blocker) VALUES (2, 1)`);
    c.db.close();
    const store = await open();
    expect(await ids(store)).toEqual(["a", "b"]);
    expect(await store.get("b")).toMatchObject({ needs: ["a"], mayChange: [] });
    await store.change("a", { kind: "complete" }, "person");
    expect(await store.check()).toEqual([]);
    const db = (await loadSqlite()).open(path);
    expect(() => db.exec("DELETE FROM task")).toThrow("no such function");
    db.close();
    await store.close();
  });

  test("W-02 copies keep others from writing, too", async () => {
    const copy = join(folder, "git", "copy.db");
    const store = await open();
    await store.add([newTask("a")]);
    await store.backupTo(copy);
    await store.close();
    for (const file of [path, copy]) {
      const db = (await loadSqlite()).open(file);
      expect(() => db.exec("UPDATE task SET own = 'done'")).toThrow("no such function");
      db.close();
    }
    rmSync(path);
    const again = await open({ copy });
    await again.add([newTask("b")]);
    expect(await ids(again)).toEqual(["a", "b"]);
    await again.close();
  });

  test("a migration that fails changes nothing", async () => {
    await (await open()).close();
    const options = {
      path,
      driver: await loadSqlite(),
      clock: () => 1,
      newId: () => "h",
      isAlive: () => true,
      owner: () => ME,
      streamMemory: 1,
    };
    const c = connect(options);
    await expect(migrate(c, [...migrations, "CREATE TABLE extra (x); SELECT nonsense"])).rejects.toThrow(
      "did not take a change",
    );
    c.db.close();
    await (await open()).close();
  });

  test("a handle whose first write was refused is marked by its next one", async () => {
    const store = await open({ owner: OTHER });
    await expect(store.add([newTask("a", { needs: ["nobody"] })])).rejects.toThrow("does not exist");
    await store.add([newTask("a")]);
    const db = await raw();
    expect(db.prepare("SELECT pid FROM opening").all()).toMatchObject([{ pid: OTHER.pid }]);
    await store.close();
    expect(db.prepare("SELECT pid FROM opening").all()).toEqual([]);
    db.close();
  });

  test("after an unclean end the file is read through, once", async () => {
    const isAlive = ({ pid }: Owner): boolean => pid !== OTHER.pid;
    const left = await open({ owner: OTHER });
    await left.add(Array.from({ length: 500 }, (_, n) => newTask(`a${n}`)));
    const store = await open({ isAlive });
    expect(await ids(store)).toHaveLength(500);
    await store.close();
    const db = await raw();
    expect(db.prepare("SELECT count(*) AS n FROM opening").get()).toMatchObject({ n: 0 });
    db.exec("INSERT INTO opening VALUES ('h', 'here', 2, '2', 0); PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    await left.close();
    const bytes = readFileSync(path);
    writeFileSync(`${path}.sound`, bytes);
    bytes.fill(0x5a, bytes.length - 4096 * 20);
    writeFileSync(path, bytes);
    await expect(open({ isAlive })).rejects.toMatchObject({ kind: "io", message: expect.stringContaining("damaged") });
    // Another process restores it while this one opens it: the damage is that of the file that is gone.
    const isRestored = (owner: Owner): boolean => {
      if (existsSync(`${path}.sound`)) renameSync(`${path}.sound`, path);
      return isAlive(owner);
    };
    const again = await open({ isAlive: isRestored });
    expect(await ids(again)).toHaveLength(500);
    await again.close();
  });
});

describe("W-03 the store survives what is done to its files", () => {
  const files = (): string[] => readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name));

  test("untouched is intact", async () => {
    await using store = await open();
    await store.add([newTask("a")]);
    expect(await store.guard()).toEqual({ kind: "intact" });
  });

  test.each([
    ["all three files", ["", "-wal", "-shm"]],
    ["the database alone", [""]],
    ["the WAL alone", ["-wal"]],
  ])("deleted (%s): written back from the open handle, and a claim goes on", async (_name, suffixes) => {
    const store = await open();
    await store.add([newTask("a"), newTask("b", { needs: ["a"] })]);
    const claim = (await store.claim(request()))!;
    for (const suffix of suffixes) rmSync(path + suffix);
    expect(await store.guard()).toEqual({ kind: "restored", why: "deleted", from: "handle" });
    expect(await store.guard()).toEqual({ kind: "intact" });
    expect(await store.settle(claim.lease, DONE)).toMatchObject({ kind: "settled" });
    await store.close();
    await using again = await open();
    expect((await again.ready()).map(({ id }) => id)).toEqual(["b"]);
    expect(await again.check()).toEqual([]);
  });

  test("replaced by another store: ours comes back, also when nobody asked before the next write", async () => {
    const store = await open();
    await store.add([newTask("ours")]);
    const other = await openSqliteStore({ path: join(folder, "other.db") });
    await other.add([newTask("theirs")]);
    await other.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
    copyFileSync(join(folder, "other.db"), path);
    await store.add([newTask("more")]);
    expect(await store.guard()).toEqual({ kind: "restored", why: "replaced", from: "handle" });
    await store.close();
    await using again = await open();
    expect(await ids(again)).toEqual(["ours", "more"]);
  });

  test("an empty file waits for its turn: SQLite would delete the WAL of the database that another puts there", async () => {
    const store = await open();
    await store.add([newTask("a")]);
    const unlock = takeLock(await loadSqlite(), { path });
    renameSync(path, `${path}.old`);
    writeFileSync(path, "");
    const opening = open();
    // Begun later, it ends after the other has come to the lock.
    await (await openSqliteStore({ path: join(folder, "other.db") })).close();
    const isKept = existsSync(`${path}-wal`);
    renameSync(`${path}.old`, path);
    unlock();
    await using again = await opening;
    expect([isKept, await ids(again)]).toEqual([true, ["a"]]);
    await store.close();
  });

  test("nobody writes to a file that another process replaces; a replacement that a killed one left is removed", async () => {
    const store = await open();
    await store.add([newTask("a")]);
    await store.backupTo(`${path}.next`);
    const unlock = takeLock(await loadSqlite(), { path });
    const added = store.add([newTask("b")]);
    expect(await Promise.race([added, wait(100, "waits")])).toBe("waits");
    for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`);
    renameSync(`${path}.next`, path);
    unlock();
    expect(await added).toEqual(["b"]);
    await store.close();
    writeFileSync(`${path}.next`, "half of it");
    // SQLite would roll it back into the next replacement, which would be empty then.
    writeFileSync(`${path}.next-journal`, "of a killed process");
    const after = await open();
    expect([await after.add([newTask("c")]), await ids(after)]).toEqual([["c"], ["a", "b", "c"]]);
    expect([existsSync(`${path}.next`), existsSync(`${path}.next-journal`)]).toEqual([false, false]);
    await after.close();
  });

  test("two processes that both had it open end up with one store, and lose nothing", async () => {
    const one = await open();
    const two = await open();
    await one.add([newTask("a")]);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
    await one.add([newTask("b")]);
    await two.add([newTask("c")]);
    await one.add([newTask("d")]);
    expect(await ids(two)).toEqual(["a", "b", "c", "d"]);
    await one.close();
    await two.close();
    expect(files()).toEqual(["ralph.db", "ralph.db.lock"]);
  });

  test("dag-R7 after a deletion there is still one claim for one task, and one heartbeat", async () => {
    const one = await open();
    const two = await open();
    await one.add([newTask("a"), newTask("b", { needs: ["a"] })]);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
    await two.add([newTask("c", { needs: ["a"] })]);
    const claim = (await one.claim(request()))!;
    expect(claim.task.id).toBe("a");
    expect(await two.claim(request({ owner: OTHER }))).toBe(undefined);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
    await two.add([newTask("d", { needs: ["a"] })]);
    expect(await one.heartbeat(claim.lease)).toBe("held");
    expect(await two.settle(claim.lease, DONE)).toMatchObject({ kind: "settled", repeated: false });
    expect(await one.heartbeat(claim.lease)).toBe("fenced");
    await one.close();
    await two.close();
  });

  test.each([
    ["an empty file", ""],
    ["no file", undefined],
  ])("%s where a copy is: the copy is put there, once, however many come at once", async (_name, content) => {
    const copy = join(folder, "git", "copy.db");
    const store = await open({ copy });
    await store.add([newTask("a")]);
    await store.backupTo(copy);
    await store.close();
    rmSync(path);
    if (content !== undefined) writeFileSync(path, content);
    let restored = 0;
    const onRestored = (): void => void restored++;
    const stores = await Promise.all(Array.from({ length: 8 }, () => open({ copy, onRestored })));
    await Promise.all(stores.map((one, n) => one.add([newTask(`b${n}`)])));
    expect(await ids(stores[0]!)).toHaveLength(9);
    expect(restored).toBe(1);
    for (const one of stores) await one.close();
    expect(files().filter((name) => name.includes("part"))).toEqual([]);
  });

  test("what was added to a restored file while another had the old one open is kept by both", async () => {
    const copy = join(folder, "git", "copy.db");
    const loop = await open({ copy });
    await loop.add([newTask("a"), newTask("b")]);
    await loop.backupTo(copy);
    await loop.add([newTask("late")]);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
    const person = await open({ copy });
    await person.add([newTask("theirs", { needs: ["a"] })]);
    await person.note("theirs", { by: "person", kind: "note", text: "mine" });
    await person.change("b", { kind: "drop" }, "person");
    await loop.add([newTask("more")]);
    await person.add([newTask("again")]);
    expect(await loop.guard()).toMatchObject({ kind: "restored", why: "replaced", from: "handle" });
    expect((await ids(loop)).sort()).toEqual(["a", "again", "b", "late", "more", "theirs"]);
    expect(await loop.get("b")).toMatchObject({ status: "dropped" });
    expect(await loop.log("theirs")).toMatchObject([{ text: "mine" }]);
    expect(await loop.check()).toEqual([]);
    await person.close();
    await loop.close();
    await using again = await open({ copy });
    expect(await ids(again)).toHaveLength(6);
  });

  test("what cannot be merged is kept beside the store", async () => {
    const copy = join(folder, "git", "copy.db");
    const loop = await open({ copy });
    await loop.add([newTask("a"), newTask("b")]);
    await loop.backupTo(copy);
    await loop.addDependency("b", "a");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
    const person = await open({ copy, clock: () => Date.now() + 1000 });
    await person.addDependency("a", "b");
    await person.close();
    await loop.add([newTask("c")]);
    expect(await ids(loop)).toEqual(["a", "b", "c"]);
    expect(await loop.get("a")).toMatchObject({ needs: [] });
    await loop.close();
    const kept = files().filter((name) => name.endsWith(".kept"));
    expect(kept).toHaveLength(1);
    await using other = await openSqliteStore({ path: join(folder, kept[0]!) });
    expect(await other.get("a")).toMatchObject({ needs: ["b"] });
  });

  test("a copy of another store, with tasks, is set aside and not overwritten", async () => {
    const copy = join(folder, "git", "copy.db");
    const first = await open();
    await first.add([newTask("old")]);
    await first.backupTo(copy);
    await first.backupTo(copy);
    await first.close();
    rmSync(path);
    const second = await open();
    await second.add([newTask("new")]);
    await second.backupTo(copy);
    await second.close();
    const kept = readdirSync(join(folder, "git")).filter((name) => name.endsWith(".kept"));
    expect(kept).toHaveLength(1);
    await using old = await openSqliteStore({ path: join(folder, "git", kept[0]!) });
    expect(await ids(old)).toEqual(["old"]);
  });

  test("overwritten in place: restored from the copy, and said so; without a copy an error", async () => {
    const copy = join(folder, "git", "copy.db");
    const store = await open({ copy });
    await store.add(Array.from({ length: 200 }, (_, n) => newTask(`a${n}`)));
    await store.backupTo(copy);
    writeFileSync(path, "rubbish".repeat(1000));
    expect(await store.guard()).toEqual({ kind: "restored", why: "damaged", from: "copy" });
    expect(await ids(store)).toHaveLength(200);
    rmSync(copy);
    writeFileSync(path, "rubbish".repeat(1000));
    await expect(store.guard()).rejects.toThrow("there is no copy of it");
  });

  test("a backup is a whole store; restoring checks it first", async () => {
    const store = await open();
    await store.add([newTask("a")]);
    const copy = join(folder, "git", "copy.db");
    await store.backupTo(copy);
    await store.add([newTask("b")]);
    await store.close();
    rmSync(path);
    const again = await open({ copy });
    expect(await ids(again)).toEqual(["a"]);
    await again.close();
    rmSync(path);
    writeFileSync(copy, "rubbish".repeat(1000));
    await expect(open({ copy })).rejects.toThrow("is damaged");
    await expect((await open()).backupTo(path)).rejects.toThrow("another place");
    expect(existsSync(path)).toBe(true);
  });
});

describe("errors and upkeep", () => {
  test("check finds what was changed behind the store's back", async () => {
    const store = await open();
    await store.add([newTask("p"), newTask("a", { parent: "p" }), newTask("b", { needs: ["a"] })]);
    const db = await raw();
    db.exec(
      "UPDATE task SET open_blockers = 0 WHERE id = 'b'; UPDATE task SET status = 'done', n_done = 1 WHERE id = 'p'",
    );
    db.exec("INSERT INTO dependency SELECT a.seq, b.seq FROM task a, task b WHERE a.id = 'a' AND b.id = 'b'");
    db.close();
    const kinds = (await store.check()).map(({ kind, task }) => `${kind} ${task ?? ""}`.trim());
    expect(kinds).toEqual(expect.arrayContaining(["counter b", "counter p", "ready b", "cycle"]));
    await store.close();
  });

  test("a statement that SQLite refuses is told in a sentence of ours", async () => {
    const store = await open();
    const db = await raw();
    db.exec("CREATE TRIGGER no BEFORE INSERT ON task BEGIN SELECT raise(ABORT, 'nope'); END");
    await expect(store.add([newTask("a")])).rejects.toMatchObject({
      name: "RalphError",
      kind: "io",
      message: `The task database \`${path}\` did not take a change`,
    });
    db.exec("DROP TRIGGER no");
    await store.add([newTask("a")]);
    db.close();
    await store.close();
  });

  test("only a damaged file counts as damaged; a WAL that cannot grow is a full disk", () => {
    const sqlite = (errcode: number): Error => Object.assign(new Error("disk I/O error"), { errcode });
    expect([11, 26, 267].map((code) => isDamage(translated(sqlite(code), path)))).toEqual([true, true, true]);
    expect([10, 13, 14, 4874, 1].map((code) => isDamage(translated(sqlite(code), path)))).not.toContain(true);
    expect(translated(sqlite(4874), path)).toMatchObject({ message: expect.stringContaining("the disk is full") });
    expect(translated(sqlite(10), path)).toMatchObject({ message: expect.stringContaining("by the disk") });
  });

  test("a lock that another process holds is waited for", async () => {
    const store = await open();
    const db = await raw();
    db.exec("BEGIN IMMEDIATE");
    const added = store.add([newTask("a")]);
    await new Promise((done) => setTimeout(done, 300));
    db.exec("COMMIT");
    db.close();
    expect(await added).toEqual(["a"]);
    await store.close();
  });

  test("an id that chance gives out twice is asked for again", async () => {
    const given = ["h", "t-00000001", "t-00000001", "t-00000002"];
    const store = await open({ newId: () => given.shift() ?? "t-ffffffff" });
    const made = await store.add([
      { scope: "workspace", title: "a" },
      { scope: "workspace", title: "b" },
    ]);
    expect(made).toEqual(["t-00000001", "t-00000002"]);
    await store.close();
    await store.close();
  });
});
