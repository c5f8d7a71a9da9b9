import { describe, expect, test } from "vitest";
import type { NewTask } from "../domain/task-input.ts";
import type { Owner, Task } from "../domain/task.ts";
import type { Claim, ClaimRequest, Store, StoreFile } from "./store.ts";

/** What the suite decides for the store: what time it is, and which processes live. */
export interface World {
  now: number;
  readonly dead: Set<number>;
}

export interface Opened {
  readonly store: CheckedStore;
  readonly world: World;
}

/** A store that can say what is wrong with its tasks. */
export interface CheckedStore extends Store, Pick<StoreFile, "check"> {}

export const ME: Owner = { host: "here", pid: 1, startTime: "1" };
export const OTHER: Owner = { host: "here", pid: 2, startTime: "2" };
const LEASE = 60_000;

export const newTask = (id: string, more: Partial<NewTask> = {}): NewTask => ({
  id,
  scope: "workspace",
  title: id,
  ...more,
});
export const request = (more: Partial<ClaimRequest> = {}): ClaimRequest => ({ owner: ME, leaseMs: LEASE, ...more });
export const DONE = { outcome: "verified", to: "done", counted: true } as const;

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Every store passes these. A store's own test file is one call to this function. */
export function storeContract(open: () => Promise<Opened>): void {
  const withTasks = async (tasks: readonly NewTask[]): Promise<Opened> => {
    const opened = await open();
    await opened.store.add(tasks);
    return opened;
  };
  const find = async (store: Store, id: string): Promise<Task> => (await store.get(id))!;
  const claim = async (store: Store, more: Partial<ClaimRequest> = {}): Promise<Claim> =>
    (await store.claim(request(more)))!;
  const finish = async (store: Store, id: string): Promise<void> => {
    const { lease } = await claim(store, { only: [id] });
    await store.settle(lease, DONE);
  };
  const statuses = async (store: Store): Promise<Record<string, string>> =>
    Object.fromEntries((await store.list()).tasks.map((task) => [task.id, task.status]));
  const readyIds = async (store: Store): Promise<string[]> => (await store.ready()).map((task) => task.id);

  describe("tasks", () => {
    test("dag-R2 ids are t- and hex, unique, and cannot be edited", async () => {
      const { store } = await open();
      const ids = await store.add([
        { scope: "workspace", title: "a" },
        { scope: "workspace", title: "b" },
      ]);
      expect(new Set(ids).size).toBe(2);
      for (const id of ids) expect(id).toMatch(/^t-[0-9a-f]{8,}$/);
    });

    test("dag-R5 age is when a task was created, in whatever order a batch names them", async () => {
      const { store, world } = await withTasks([]);
      const made = (id: string, age: number): NewTask => newTask(id, { createdAt: world.now - age });
      const nameless = { scope: "workspace", title: "nameless", createdAt: world.now - 50 };
      const ids = await store.add([newTask("z"), made("a", 10), nameless, made("b", 30), made("c", 20)]);
      const oldest = [ids[2]!, "b", "c", "a", "z"];
      expect(ids).toEqual(["z", "a", expect.stringMatching(/^t-/), "b", "c"]);
      expect((await store.list()).tasks.map(({ id }) => id)).toEqual(oldest);
      expect(await readyIds(store)).toEqual(oldest);
      const claimed: string[] = [];
      for (const _ of oldest) claimed.push((await claim(store)).task.id);
      expect(claimed).toEqual(oldest);
    });

    test("dag-R7 what was added can be got, whole", async () => {
      const { store, world } = await withTasks([newTask("p"), newTask("n")]);
      const written = newTask("a", {
        scope: "project/auth",
        parent: "p",
        title: "Log in\nwith a token",
        description: "Two\nlines",
        acceptance: ["it works"],
        priority: 1,
        needs: ["n"],
        tags: ["b", "a", "b"],
        gates: [{ id: "unit", run: "npm test", timeoutMs: 1000, retries: 1 }],
        model: "opus",
        allowNoChange: true,
        keepsWork: true,
        mayChange: ["Makefile", "ci/**"],
        attemptLimit: 5,
        summary: "left a note",
        source: { file: "PLAN.md", key: "k" },
      });
      await store.add([written]);
      expect(await store.get("a")).toEqual({
        ...written,
        title: "Log in with a token",
        tags: ["a", "b"],
        status: "pending",
        ready: false,
        blocked: true,
        isParent: false,
        attempts: 0,
        retry: false,
        question: undefined,
        reason: undefined,
        lease: undefined,
        createdAt: world.now,
        updatedAt: world.now,
        startedAt: undefined,
        endedAt: undefined,
      });
      expect(await store.get("nobody")).toBe(undefined);
    });

    test("short ids resolve when unique", async () => {
      const { store } = await withTasks([newTask("t-ab12"), newTask("t-ab34"), newTask("x.1")]);
      expect(await store.resolve("ab1")).toBe("t-ab12");
      expect(await store.resolve("t-ab3")).toBe("t-ab34");
      expect(await store.resolve("x")).toBe("x.1");
      await expect(store.resolve("ab")).rejects.toThrow("Ambiguous task id 'ab'. Matches: t-ab12, t-ab34");
      await expect(store.resolve("zz")).rejects.toThrow('There is no task "zz"');
      await expect(store.resolve("")).rejects.toThrow("There is no task");
    });

    test("a batch is added whole or not at all", async () => {
      const { store } = await withTasks([newTask("a")]);
      await expect(store.add([newTask("b"), newTask("c", { needs: ["nobody"] })])).rejects.toThrow(
        "c needs nobody, which does not exist",
      );
      await expect(store.add([newTask("b"), newTask("a")])).rejects.toThrow("There is already a task a");
      await expect(store.add([newTask("b"), newTask("b")])).rejects.toThrow("There is already a task b");
      await expect(store.add([newTask("b"), newTask("c", { parent: "nobody" })])).rejects.toThrow("nobody");
      expect(Object.keys(await statuses(store))).toEqual(["a"]);
    });

    test("tasks that are there can be skipped", async () => {
      const { store } = await withTasks([newTask("a", { title: "old" })]);
      expect(await store.add([newTask("a"), newTask("b", { needs: ["a"] })], { onExisting: "skip" })).toEqual(["b"]);
      expect((await find(store, "a")).title).toBe("old");
    });

    test("a stream is added whole or not at all, with progress", async () => {
      const { store } = await open();
      const seen: number[] = [];
      const chunks = async function* (last: NewTask): AsyncIterable<readonly NewTask[]> {
        yield [newTask("b", { needs: ["a"] }), newTask("c", { parent: "d" })];
        yield [newTask("a"), newTask("d"), last];
      };
      await expect(store.addStream(chunks(newTask("a")))).rejects.toThrow("already a task a");
      expect(await statuses(store)).toEqual({});
      expect(await store.addStream(chunks(newTask("e")), { onProgress: (n) => seen.push(n) })).toEqual({
        added: 5,
        updated: 0,
        kept: 0,
      });
      expect(seen.at(-1)).toBe(5);
      expect(await readyIds(store)).toEqual(["c", "a", "e"]);
    });

    test("dag-R7 editing changes what is named and nothing else", async () => {
      const { store } = await withTasks([newTask("a", { model: "opus", tags: ["x"] }), newTask("b")]);
      const before = await find(store, "a");
      const after = await store.update(
        "a",
        { title: "new\u0000 title", model: null, priority: 0, attemptLimit: 9, mayChange: ["b", "a", "b"] },
        "person",
      );
      expect(after).toEqual({
        ...before,
        title: "new title",
        model: undefined,
        priority: 0,
        attemptLimit: 9,
        mayChange: ["a", "b"],
      });
      await expect(store.update("zz", { title: "x" }, "person")).rejects.toThrow("There is no task");
      expect((await store.log("a")).map(({ kind, text }) => [kind, text])).toEqual([
        ["edited", "attemptLimit, mayChange, model, priority, title"],
      ]);
    });

    test("dag-R7 removal takes the children along and is refused while others need one of them", async () => {
      const { store } = await withTasks([
        newTask("p"),
        newTask("c1", { parent: "p" }),
        newTask("c2", { parent: "p", needs: ["c1"] }),
        newTask("x", { needs: ["c1"] }),
      ]);
      await expect(store.remove("p")).rejects.toThrow("c1 cannot be removed: needed by x");
      await store.removeDependency("x", "c1");
      expect(await store.remove("p")).toBe(3);
      expect(await statuses(store)).toEqual({ x: "pending" });
      await expect(store.remove("p")).rejects.toThrow("There is no task");
    });

    test("list filters by scope, status, tag, text, parent and plan file, in pages", async () => {
      const { store } = await withTasks([
        newTask("a", { scope: "project/x", tags: ["ui"], source: { file: "P.md", key: "1" } }),
        newTask("b", { parent: "a", description: "The 100% LOGIN_page" }),
        newTask("c", { scope: "project/x", status: "done" }),
        newTask("d", { status: "parked", question: "why?" }),
      ]);
      const ids = async (filter: Parameters<Store["list"]>[0]): Promise<string[]> =>
        (await store.list(filter)).tasks.map((task) => task.id);
      expect(await ids({})).toEqual(["a", "b", "c", "d"]);
      expect(await ids({ scopes: ["project/x"] })).toEqual(["a", "c"]);
      expect(await ids({ scopes: ["project/x", "workspace"], statuses: ["pending"] })).toEqual(["a", "b"]);
      expect(await ids({ statuses: ["done", "parked"] })).toEqual(["c", "d"]);
      expect(await ids({ tag: "ui" })).toEqual(["a"]);
      expect(await ids({ text: "login_P" })).toEqual(["b"]);
      expect(await ids({ text: "0% l", scopes: ["workspace"] })).toEqual(["b"]);
      expect(await ids({ parent: "a", statuses: ["pending"] })).toEqual(["b"]);
      expect(await ids({ sourceFile: "P.md" })).toEqual(["a"]);
      expect(await ids({ scopes: [] })).toEqual([]);
      const first = await store.list({}, { limit: 3 });
      const second = await store.list({}, { limit: 3, cursor: first.cursor });
      expect([first.tasks.length, second.tasks.map((task) => task.id), second.cursor]).toEqual([3, ["d"], undefined]);
      const all: string[] = [];
      for await (const task of store.each({ scopes: ["workspace"] })) all.push(task.id);
      expect(all).toEqual(["b", "d"]);
    });

    test("dag-R7 the tree shows parents before children, with depth", async () => {
      const { store } = await withTasks([
        newTask("c", { parent: "b" }),
        newTask("a"),
        newTask("b", { parent: "a" }),
        newTask("d", { parent: "a", scope: "project/x" }),
        newTask("e"),
      ]);
      const shape = async (filter?: Parameters<Store["tree"]>[0]): Promise<string> =>
        (await store.tree(filter)).map(({ depth, task }) => `${depth}${task.id}`).join(" ");
      expect(await shape()).toBe("0a 1b 2c 1d 0e");
      expect(await shape({ root: "b" })).toBe("0b 1c");
      expect(await shape({ scopes: ["project/x"] })).toBe("0d");
      await expect(store.tree({ root: "zz" })).rejects.toThrow("There is no task");
    });

    test("dag-R7 counts per scope: all, leaves, ready, blocked", async () => {
      const { store } = await withTasks([
        newTask("p"),
        newTask("a", { parent: "p", status: "done" }),
        newTask("b", { parent: "p" }),
        newTask("c", { needs: ["b"] }),
        newTask("f", { status: "failed", retry: true }),
        newTask("x", { scope: "project/x" }),
      ]);
      const zero = { pending: 0, in_progress: 0, parked: 0, done: 0, failed: 0, dropped: 0 };
      const counts = await store.counts();
      expect(counts.map(({ scope }) => scope)).toEqual(["project/x", "workspace"]);
      expect(await store.scopes()).toEqual(["project/x", "workspace"]);
      expect(counts[1]).toEqual({
        scope: "workspace",
        all: { ...zero, pending: 3, done: 1, failed: 1 },
        leaves: { ...zero, pending: 2, done: 1, failed: 1 },
        ready: 1,
        blocked: 1,
        retry: 1,
      });
      expect(await store.counts(["project/x"])).toHaveLength(1);
      expect(await store.counts(["project/none"])).toEqual([]);
      // One that is alone is counted in another way.
      await store.remove("x");
      expect(await store.counts()).toEqual([counts[1]]);
    });

    test("log entries and meta are kept", async () => {
      const { store, world } = await withTasks([newTask("a")]);
      await store.note("a", { by: "agent", kind: "note", text: "hello" });
      expect(await store.log("a")).toEqual([{ at: world.now, by: "agent", kind: "note", text: "hello" }]);
      await store.note("a", { by: "loop", kind: "kept", text: "there" });
      const texts = async (...kinds: string[]) => (await store.log("a", kinds)).map(({ text }) => text);
      expect([await texts("kept"), await texts("kept", "note"), await texts()]).toEqual([
        ["there"],
        ["hello", "there"],
        [],
      ]);
      await expect(store.log("zz")).rejects.toThrow("There is no task");
      await store.setMeta("k", { a: [1] });
      expect(await store.getMeta("k")).toEqual({ a: [1] });
      await store.setMeta("k", undefined);
      expect(await store.getMeta("k")).toBe(undefined);
    });

    test("W-06 a preview shows its changes and leaves none", async () => {
      const { store } = await withTasks([newTask("p"), newTask("a", { parent: "p" }), newTask("b", { needs: ["a"] })]);
      await store.setMeta("k", 1);
      const all = async (one: Store): Promise<unknown> => [
        (await one.list()).tasks,
        await one.counts(),
        await one.log("a"),
        await one.attempts("a"),
        await one.getMeta("k"),
      ];
      const before = await all(store);
      const seen = await store.preview(async (inner) => {
        await finish(inner, "a");
        await inner.remove("b");
        await inner.setMeta("k", 2);
        await inner.add([newTask("c")]);
        await expect(inner.add([newTask("d"), newTask("a")])).rejects.toThrow("There is already a task a");
        await inner.preview(async (innermost) => innermost.change("c", { kind: "drop" }, "person"));
        return [await statuses(inner), await inner.getMeta("k")];
      });
      expect(seen).toEqual([{ p: "done", a: "done", c: "pending" }, 2]);
      expect(await all(store)).toEqual(before);
      expect(await store.check()).toEqual([]);
      await expect(
        store.preview(async (inner) => {
          await inner.add([newTask("e")]);
          throw new Error("no");
        }),
      ).rejects.toThrow("no");
      expect(await all(store)).toEqual(before);
      expect(await store.add([newTask("e")])).toEqual(["e"]);
    });

    test("W-01 many that make the next value from the last one lose none", async () => {
      const { store } = await open();
      const add = (value: unknown): unknown => [...((value ?? []) as number[]), 1];
      await Promise.all(Array.from({ length: 20 }, () => store.updateMeta("k", add)));
      expect(await store.getMeta("k")).toHaveLength(20);
      expect(await store.updateMeta("k", () => undefined)).toBeUndefined();
      expect(await store.getMeta("k")).toBeUndefined();
    });

    test("W-01 who added a task is in its log where somebody was named", async () => {
      const { store, world } = await open();
      await store.add([newTask("a")], { by: "agent" });
      await store.add([newTask("b"), newTask("a")], { by: "plan", onExisting: "skip" });
      await store.add([newTask("c")]);
      const logs = await Promise.all(["a", "b", "c"].map((id) => store.log(id)));
      expect(logs).toEqual([
        [{ at: world.now, by: "agent", kind: "added", text: "" }],
        [{ at: world.now, by: "plan", kind: "added", text: "" }],
        [],
      ]);
    });
  });

  describe("parents", () => {
    test("dag-R3 a parent's status follows from its children, at any depth", async () => {
      const { store } = await withTasks([
        newTask("g"),
        newTask("p", { parent: "g" }),
        newTask("a", { parent: "p" }),
        newTask("b", { parent: "p" }),
      ]);
      const { lease } = await claim(store, { only: ["a"] });
      expect(await statuses(store)).toEqual({ g: "in_progress", p: "in_progress", a: "in_progress", b: "pending" });
      await store.settle(lease, DONE);
      expect(await statuses(store)).toEqual({ g: "pending", p: "pending", a: "done", b: "pending" });
      await store.change("b", { kind: "fail", reason: "no" }, "person");
      expect(await statuses(store)).toEqual({ g: "failed", p: "failed", a: "done", b: "failed" });
      await store.change("b", { kind: "reset" }, "person");
      expect(await statuses(store)).toEqual({ g: "pending", p: "pending", a: "done", b: "pending" });
      await store.change("b", { kind: "drop" }, "person");
      expect(await statuses(store)).toEqual({ g: "done", p: "done", a: "done", b: "dropped" });
      await expect(store.change("p", { kind: "complete" }, "person")).rejects.toThrow("p has children");
    });

    test("T-13 a parent with gates is a leaf once its children are settled, and is then settled by itself", async () => {
      const gates = [{ id: "g", run: "true", retries: 0 }];
      const { store } = await withTasks([
        newTask("top"),
        newTask("p", { gates, parent: "top" }),
        newTask("a", { parent: "p" }),
        newTask("b", { parent: "p" }),
        newTask("n", { needs: ["p"] }),
      ]);
      const ready = async () => (await store.ready()).map(({ id }) => id);
      expect([await ready(), (await find(store, "p")).isParent]).toEqual([["a", "b"], true]);
      await expect(store.change("p", { kind: "complete" }, "person")).rejects.toThrow("p has children");
      await store.settle((await claim(store, { only: ["a"] })).lease, DONE);
      await store.change("b", { kind: "drop" }, "person");
      expect([await ready(), (await find(store, "p")).isParent]).toEqual([["p"], false]);
      expect(await statuses(store)).toMatchObject({ top: "pending", p: "pending" });
      const { lease } = await claim(store);
      expect(await statuses(store)).toMatchObject({ top: "in_progress", p: "in_progress", n: "pending" });
      await store.settle(lease, DONE);
      expect([await ready(), await statuses(store)]).toEqual([
        ["n"],
        { top: "done", p: "done", a: "done", b: "dropped", n: "pending" },
      ]);
      // Without gates it is a group again, and another child opens it.
      await store.update("p", { gates: [] }, "person");
      await store.add([newTask("c", { parent: "p" })]);
      expect([await ready(), await statuses(store)]).toEqual([["c"], expect.objectContaining({ top: "pending" })]);
    });

    test("T-13 a task that keeps its work is a leaf whatever its children do", async () => {
      const { store } = await withTasks([newTask("a"), newTask("n", { needs: ["a"] })]);
      const { lease } = await claim(store);
      await store.update("a", { keepsWork: true }, "agent");
      await store.add([newTask("c", { parent: "a" })], { by: "agent" });
      expect(await find(store, "a")).toMatchObject({ status: "in_progress", isParent: false });
      await store.change("c", { kind: "complete" }, "person");
      expect((await find(store, "a")).status).toBe("in_progress");
      await store.settle(lease, { outcome: "rejected", to: "pending", counted: true, reason: "no" });
      expect((await store.ready()).map(({ id }) => id)).toEqual(["a"]);
      await store.settle((await claim(store)).lease, DONE);
      await store.change("c", { kind: "reset" }, "person");
      expect([await statuses(store), (await store.ready()).map(({ id }) => id)]).toEqual([
        { a: "done", n: "pending", c: "pending" },
        ["n", "c"],
      ]);
    });

    test("dag-R3 all children dropped is dropped; a parent without children is itself again", async () => {
      const { store } = await withTasks([newTask("p"), newTask("a", { parent: "p" })]);
      await store.change("a", { kind: "drop" }, "plan");
      expect((await find(store, "p")).status).toBe("dropped");
      await store.remove("a");
      expect(await find(store, "p")).toMatchObject({ status: "pending", ready: true, isParent: false });
    });

    test("D-04 a failed child holds nobody back but those that need it", async () => {
      const { store } = await withTasks([
        newTask("top"),
        newTask("a", { parent: "top" }),
        newTask("b", { parent: "top" }),
        newTask("c", { needs: ["a"] }),
        newTask("d", { needs: ["top"] }),
      ]);
      await store.change("a", { kind: "fail", reason: "no" }, "person");
      expect((await find(store, "top")).status).toBe("failed");
      expect(await readyIds(store)).toEqual(["b"]);
    });

    test("dag-R3 a need that is a parent counts as done when its children are", async () => {
      const { store } = await withTasks([newTask("p"), newTask("a", { parent: "p" }), newTask("x", { needs: ["p"] })]);
      expect(await readyIds(store)).toEqual(["a"]);
      await finish(store, "a");
      expect(await readyIds(store)).toEqual(["x"]);
      await store.add([newTask("b", { parent: "p" })]);
      expect(await readyIds(store)).toEqual(["b"]);
    });

    test("a task moves to another parent, with what holds it", async () => {
      const { store } = await withTasks([
        newTask("n"),
        newTask("p", { needs: ["n"] }),
        newTask("q"),
        newTask("a", { parent: "q" }),
        newTask("aa", { parent: "a" }),
      ]);
      expect(await readyIds(store)).toEqual(["n", "aa"]);
      await store.update("a", { parent: "p" }, "plan");
      expect(await readyIds(store)).toEqual(["n", "q"]);
      await expect(store.update("p", { parent: "aa" }, "plan")).rejects.toThrow("wait for each other");
      await expect(store.update("n", { parent: "a" }, "plan")).rejects.toThrow("wait for each other");
      await store.update("a", { parent: null }, "plan");
      expect(await readyIds(store)).toEqual(["n", "p", "q", "aa"].filter((id) => id !== "p"));
    });

    test("an agent may split the task it works on: its own claim and its children's go on beside each other", async () => {
      const { store } = await withTasks([newTask("a"), newTask("z", { needs: ["a"] })]);
      const { lease } = await claim(store);
      await store.add([newTask("a1", { parent: "a" })]);
      expect(await statuses(store)).toEqual({ a: "pending", a1: "pending", z: "pending" });
      expect(await store.heartbeat(lease)).toBe("held");
      expect(await store.settle(lease, DONE)).toMatchObject({ kind: "settled" });
      expect(await readyIds(store)).toEqual(["a1"]);
      await finish(store, "a1");
      expect(await statuses(store)).toEqual({ a: "done", a1: "done", z: "pending" });
      expect(await readyIds(store)).toEqual(["z"]);
    });
  });

  describe("dependencies", () => {
    test("dag-R4 self-edges and cycles are refused with the path; diamonds are fine", async () => {
      const { store } = await withTasks([
        newTask("a"),
        newTask("b", { needs: ["a"] }),
        newTask("c", { needs: ["a"] }),
        newTask("d", { needs: ["b", "c"] }),
      ]);
      await expect(store.addDependency("a", "a")).rejects.toThrow("a → a");
      await expect(store.addDependency("a", "b")).rejects.toThrow("a → b → a");
      await expect(store.addDependency("a", "d")).rejects.toThrow(/a → d → [bc] → a/);
      await expect(store.addDependency("a", "zz")).rejects.toThrow("There is no task");
      await store.addDependency("d", "a");
      await store.addDependency("d", "a");
      expect((await find(store, "d")).needs).toEqual(["a", "b", "c"]);
      expect((await store.dependents("a")).sort()).toEqual(["b", "c", "d"]);
    });

    test("dag-R4 a batch with a cycle is rejected whole, and the cycle is named", async () => {
      const { store } = await withTasks([newTask("a")]);
      const batch = [
        newTask("x", { needs: ["z", "a"] }),
        newTask("y", { needs: ["x"] }),
        newTask("z", { needs: ["y"] }),
      ];
      await expect(store.add(batch)).rejects.toMatchObject({
        kind: "data",
        message: expect.stringMatching(/x → z → y → x|y → x → z → y|z → y → x → z/),
      });
      await expect(store.add([newTask("s", { needs: ["s"] })])).rejects.toThrow("s → s");
      await expect(store.add([newTask("m", { parent: "n" }), newTask("n", { parent: "m" })])).rejects.toThrow(
        /[mn] → [mn] → [mn]/,
      );
      expect(Object.keys(await statuses(store))).toEqual(["a"]);
    });

    test("dag-R4 an edge between a task and what is above it is refused", async () => {
      const { store } = await withTasks([newTask("g"), newTask("p", { parent: "g" }), newTask("c", { parent: "p" })]);
      await expect(store.addDependency("c", "g")).rejects.toThrow("neither can wait for the other");
      await expect(store.addDependency("g", "c")).rejects.toThrow("neither can wait for the other");
    });

    test("dag-R4 two sections that need each other's entries would wait forever: refused", async () => {
      const tasks = [newTask("p"), newTask("q"), newTask("a", { parent: "p", needs: ["q"] })];
      const { store } = await withTasks([...tasks, newTask("b", { parent: "q" })]);
      await expect(store.addDependency("b", "p")).rejects.toThrow("b → p → a → q → b");
      await expect(store.add([newTask("c", { parent: "q", needs: ["p"] })])).rejects.toThrow("wait for each other");
    });

    test("dag-R4 removing an edge is always allowed and may make a task ready", async () => {
      const { store } = await withTasks([newTask("a"), newTask("b", { needs: ["a"] })]);
      await store.removeDependency("b", "a");
      await store.removeDependency("b", "a");
      expect(await readyIds(store)).toEqual(["a", "b"]);
      await store.addDependency("a", "b");
      expect(await readyIds(store)).toEqual(["b"]);
    });

    test("dag-R5 ready: pending leaves without an open need, theirs or above; by priority, then age", async () => {
      const { store } = await withTasks([
        newTask("low", { priority: 5 }),
        newTask("p", { needs: ["low"] }),
        newTask("under", { parent: "p", priority: 0 }),
        newTask("old"),
        newTask("new"),
        newTask("first", { priority: -1 }),
        newTask("parked", { status: "parked" }),
      ]);
      expect(await readyIds(store)).toEqual(["first", "old", "new", "low"]);
      await store.change("low", { kind: "drop" }, "person");
      expect(await readyIds(store)).toEqual(["first", "under", "old", "new"]);
      expect((await store.ready({ limit: 2 })).map((task) => task.id)).toEqual(["first", "under"]);
      expect(await store.ready({ scopes: ["project/none"] })).toEqual([]);
      expect(await store.ready({ scopes: ["workspace", "project/none"] })).toHaveLength(4);
    });

    test("dag-R5 needs may cross scopes", async () => {
      const { store } = await withTasks([newTask("a", { scope: "project/x" }), newTask("b", { needs: ["a"] })]);
      expect(await store.claim(request({ scopes: ["workspace"] }))).toBe(undefined);
      await finish(store, "a");
      expect((await claim(store, { scopes: ["workspace"] })).task.id).toBe("b");
    });
  });
}
