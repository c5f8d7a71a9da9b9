import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { loadSqlite } from "../system/sqlite-driver.ts";
import { addTasks } from "./sqlite/add.ts";
import { connect, read, write } from "./sqlite/connection.ts";
import { preview } from "./sqlite/preview.ts";
import { listTasks } from "./sqlite/read.ts";
import { openSqliteStore, type SqliteStore } from "./sqlite.ts";
import { newTask } from "./store.contract.ts";
import type { Store } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-preview-"));
const stores: SqliteStore[] = [];
let number = 0;

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two connections to one store, as two processes have them. */
async function openTwice(): Promise<[one: SqliteStore, other: SqliteStore]> {
  const path = join(folder, `${++number}.db`);
  const both = [await openSqliteStore({ path }), await openSqliteStore({ path })] as const;
  stores.push(...both);
  await both[0].add([newTask("a")]);
  return [...both];
}

const ids = async (store: Store): Promise<string[]> => (await store.list()).tasks.map(({ id }) => id);

test("W-06 others read while a preview has written, and see none of it", async () => {
  const [one, other] = await openTwice();
  const seen = await one.preview(async (inner) => {
    await inner.add([newTask("b")]);
    return [await ids(inner), await ids(other), await ids(one)];
  });
  expect(seen).toEqual([["a", "b"], ["a"], ["a"]]);
});

test("W-06 others write until a preview does; then it starts over and sees what they wrote", async () => {
  const [one, other] = await openTwice();
  let tries = 0;
  const seen = await one.preview(async (inner) => {
    tries += 1;
    const before = await ids(inner);
    if (tries === 1) await other.add([newTask("b")]);
    await inner.add([newTask("c")]);
    return [before, await ids(inner)];
  });
  expect(seen).toEqual([
    ["a", "b"],
    ["a", "b", "c"],
  ]);
  expect([tries, await ids(other)]).toEqual([2, ["a", "b"]]);
});

test("W-06 a preview that ignores the error of a lost race is repeated, and nothing of it stays", async () => {
  const [one, other] = await openTwice();
  let tries = 0;
  const seen = await one.preview(async (inner) => {
    tries += 1;
    await ids(inner);
    if (tries === 1) await other.add([newTask("b")]);
    await inner.add([newTask("c")]).catch(() => undefined);
    await inner.add([newTask("d")]).catch(() => undefined);
    return await ids(inner).catch(() => []);
  });
  expect(seen).toEqual(["a", "b", "c", "d"]);
  expect([tries, await ids(other)]).toEqual([2, ["a", "b"]]);
});

test("W-06 a write that begins during a preview waits until it is over", async () => {
  const [one, other] = await openTwice();
  let added: Promise<string[]> | undefined;
  await one.preview(async (inner) => {
    await inner.add([newTask("b")]);
    added = other.add([newTask("c")]);
    await new Promise((done) => setTimeout(done, 250));
  });
  expect(await added).toEqual(["c"]);
  expect(await ids(one)).toEqual(["a", "c"]);
});

test("W-03 a preview of a store whose file was deleted sees its tasks", async () => {
  const [one] = await openTwice();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(folder, `${number}.db${suffix}`));
  expect(await one.preview(ids)).toEqual(["a"]);
});

test("W-06 a store that may not be written can be previewed", async () => {
  const [one] = await openTwice();
  const path = join(folder, `${number}.db`);
  const driver = await loadSqlite();
  let opened = 0;
  const c = connect({
    path,
    driver: {
      name: "read-only",
      open(file) {
        const db = driver.open(file);
        // Of the first one a copy is made, which a connection that only queries may not.
        if (file === path && opened++ > 0) db.exec("PRAGMA query_only = ON");
        return db;
      },
    },
    clock: Date.now,
    newId: () => "t-1",
    isAlive: () => true,
    owner: () => ({ host: "here", pid: 1, startTime: "1" }),
    streamMemory: 1,
  });
  const seen = await preview(c, async (inner) => {
    await write(inner, () => addTasks(inner, [newTask("b")]));
    return await read(inner, () => listTasks(inner, {}, {}).tasks.map(({ id }) => id));
  });
  c.db.close();
  expect(seen).toEqual(["a", "b"]);
  expect(await ids(one)).toEqual(["a"]);
});

test("W-06 a store in memory leaves no file", async () => {
  const before = [readdirSync(folder), readdirSync(".")];
  const store = await openSqliteStore({ path: ":memory:" });
  stores.push(store);
  await store.add([newTask("a")]);
  await store.preview(async (inner) => await inner.remove("a"));
  expect(await ids(store)).toEqual(["a"]);
  expect([readdirSync(folder), readdirSync(".")]).toEqual(before);
});
