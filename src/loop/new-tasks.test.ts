import { expect, test } from "vitest";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { countNewTasks, parkBeyondLimit } from "./new-tasks.ts";

const withTasks = async (...ids: readonly string[]): Promise<Store> => {
  const store = createMemoryStore({ clock: () => 1, newId: () => "t-0", isAlive: () => true });
  await store.add(ids.map((id) => ({ id, scope: "workspace", title: id })));
  return store;
};
const statuses = async (store: Store): Promise<unknown> =>
  Object.fromEntries((await store.list()).tasks.map(({ id, status }) => [id, status]));

test("W-01 D-05 the limit holds over all sessions of a run, and each run has its own", async () => {
  const store = await withTasks("a", "b", "c", "d");
  expect(await parkBeyondLimit(store, { run: "r-1", ids: ["a"], limit: 2 })).toEqual([]);
  expect(await parkBeyondLimit(store, { run: "r-1", ids: ["b", "c"], limit: 2 })).toEqual(["c"]);
  expect(await parkBeyondLimit(store, { run: "r-2", ids: ["d"], limit: 2 })).toEqual([]);
  expect(await statuses(store)).toEqual({ a: "pending", b: "pending", c: "parked", d: "pending" });
  expect([await countNewTasks(store, "r-1"), await countNewTasks(store, "r-2")]).toEqual([3, 1]);
  expect(await countNewTasks(store, "r-3")).toBe(0);
});

test("W-01 naming a task twice counts it once, and parks it once", async () => {
  const store = await withTasks("a", "b");
  await parkBeyondLimit(store, { run: "r-1", ids: ["a", "b"], limit: 1 });
  await store.change("b", { kind: "answer", answer: "keep it" }, "person");
  expect(await parkBeyondLimit(store, { run: "r-1", ids: ["a"], limit: 1 })).toEqual([]);
  expect(await countNewTasks(store, "r-1")).toBe(2);
  expect((await store.log("b")).map(({ by, kind, text }) => [by, kind, text])).toEqual([
    ["loop", "park", "Added by a session beyond the limit of 1 new task. Keep it?"],
    ["person", "answer", "keep it"],
  ]);
});

test("W-01 of a parent and its parts the parts are parked; what is settled stays, and no limit at all parks everything", async () => {
  const store = await withTasks("p", "done");
  await store.add([{ id: "k", scope: "workspace", title: "k", parent: "p" }]);
  await store.change("done", { kind: "complete" }, "person");
  expect(await parkBeyondLimit(store, { run: "r-1", ids: ["p", "k", "done", "gone"], limit: 0 })).toEqual(["k"]);
  expect(await statuses(store)).toEqual({ p: "pending", done: "done", k: "parked" });
});

test("W-01 junk in the place of the count is no reason to stop", async () => {
  const store = await withTasks("a");
  await store.setMeta("new-tasks/r-1", { junk: true });
  expect(await parkBeyondLimit(store, { run: "r-1", ids: ["a"], limit: 1 })).toEqual([]);
  expect(await countNewTasks(store, "r-1")).toBe(1);
});
