import { describe, expect, test } from "vitest";
import type { NewTask } from "../domain/task-input.ts";
import type { AddCounts, Store } from "./store.ts";
import { newTask, type Opened, request } from "./store.contract.ts";

/** Every store passes these: what imports and plan files need. */
export function mergeContract(open: () => Promise<Opened>): void {
  const withTasks = async (tasks: readonly NewTask[]): Promise<Opened> => {
    const opened = await open();
    await opened.store.add(tasks);
    return opened;
  };
  const merge = (store: Store, ...tasks: readonly NewTask[]): Promise<AddCounts> =>
    store.addStream(streamOf(tasks), { onExisting: "newer" });
  const shown = async (store: Store): Promise<string[]> =>
    (await store.list()).tasks.map(
      ({ id, title, status, parent, needs, ready }) =>
        `${id} "${title}" ${status}${ready ? " ready" : ""} ${parent ?? "-"} [${needs.join(" ")}]`,
    );

  describe("merging by id", () => {
    test("a later line replaces the task, needs and parent included; another is kept", async () => {
      const { store, world } = await withTasks([
        newTask("a"),
        newTask("b", { needs: ["a"] }),
        newTask("c", { parent: "a" }),
        newTask("d"),
      ]);
      const later = world.now + 1;
      const counts = await merge(
        store,
        newTask("b", { title: "new b", updatedAt: later, needs: ["e"], status: "parked", question: "why" }),
        newTask("c", { title: "new c", updatedAt: later, parent: "d", status: "done" }),
        newTask("d", { title: "as old", updatedAt: world.now }),
        newTask("e", { updatedAt: later, createdAt: 1 }),
      );
      expect(counts).toEqual({ added: 1, updated: 2, kept: 1 });
      expect(await shown(store)).toEqual([
        'a "a" pending ready - []',
        'b "new b" parked - [e]',
        'c "new c" done d []',
        'd "d" done - []',
        'e "e" pending ready - []',
      ]);
      expect(await store.get("b")).toMatchObject({ updatedAt: later, question: "why", createdAt: world.now });
      expect((await store.check()).map(({ kind }) => kind)).toEqual([]);
    });

    test("a task that somebody works on is kept; one whose worker is gone is replaced", async () => {
      const { store, world } = await withTasks([newTask("a")]);
      await store.claim(request());
      const line = newTask("a", { title: "new", updatedAt: world.now + 5, status: "done" });
      expect(await merge(store, line)).toEqual({ added: 0, updated: 0, kept: 1 });
      world.dead.add(1);
      expect(await merge(store, line)).toEqual({ added: 0, updated: 1, kept: 0 });
      expect(await shown(store)).toEqual(['a "new" done - []']);
      expect((await store.attempts("a")).map(({ outcome }) => outcome)).toEqual(["lost"]);
    });

    test("two tasks may change places: only the end must not go round", async () => {
      const { store, world } = await withTasks([newTask("a"), newTask("b", { needs: ["a"] })]);
      const later = { updatedAt: world.now + 1 };
      await merge(store, newTask("a", { ...later, needs: ["b"] }), newTask("b", later));
      expect(await shown(store)).toEqual(['a "a" pending - [b]', 'b "b" pending ready - []']);
    });

    test("an import with a cycle, an unknown need or an id twice is rejected whole", async () => {
      const { store, world } = await withTasks([newTask("a"), newTask("b", { needs: ["a"] })]);
      const before = await shown(store);
      const later = { updatedAt: world.now + 1 };
      await expect(merge(store, newTask("x"), newTask("a", { ...later, needs: ["b"] }))).rejects.toThrow("a → b → a");
      await expect(merge(store, newTask("x"), newTask("a", { ...later, needs: ["q"] }))).rejects.toThrow("a needs q");
      await expect(merge(store, newTask("x"), newTask("x"))).rejects.toThrow("There is already a task x");
      await expect(merge(store, newTask("a"), newTask("a"))).rejects.toThrow("There is already a task a");
      expect(await shown(store)).toEqual(before);
    });

    test("tasks enter oldest first, whatever the order of the lines", async () => {
      const { store } = await open();
      await merge(
        store,
        newTask("a", { createdAt: 3 }),
        newTask("b"),
        newTask("c", { createdAt: 1, needs: ["a"] }),
        newTask("d", { createdAt: 3 }),
      );
      expect((await store.list()).tasks.map(({ id }) => id)).toEqual(["c", "a", "d", "b"]);
    });

    test("each by id is sorted by id, with every filter", async () => {
      const { store } = await withTasks([
        newTask("b", { tags: ["x"] }),
        newTask("a", { scope: "project/x" }),
        newTask("C", { parent: "b", status: "done" }),
      ]);
      const ids = async (filter: Parameters<Store["each"]>[0]): Promise<string[]> => {
        const found: string[] = [];
        for await (const { id } of store.each(filter, "id")) found.push(id);
        return found;
      };
      expect(await ids(undefined)).toEqual(["C", "a", "b"]);
      expect(await ids({ scopes: ["workspace"] })).toEqual(["C", "b"]);
      expect(await ids({ statuses: ["done"] })).toEqual(["C", "b"]);
      expect(await ids({ parent: "b" })).toEqual(["C"]);
      expect(await ids({ tag: "x", text: "B" })).toEqual(["b"]);
    });
  });

  describe("several edits at once", () => {
    test("all are made: additions, moves, needs, changes and what is remembered", async () => {
      const { store } = await withTasks([newTask("a"), newTask("b", { parent: "a", needs: [] }), newTask("c")]);
      await store.apply(
        {
          add: [newTask("p", { parent: "c" }), newTask("q", { needs: ["b"] })],
          update: [
            { id: "a", patch: { parent: "p", title: "A" }, needs: ["q"] },
            { id: "b", patch: { parent: null } },
          ],
          change: [{ id: "b", when: "pending", change: { kind: "drop", reason: "gone" }, by: "plan" }],
          meta: [{ key: "k", value: { n: 1 } }],
        },
        "plan",
      );
      expect(await shown(store)).toEqual([
        'a "A" pending p [q]',
        'b "b" dropped - []',
        'c "c" pending - []',
        'p "p" pending c []',
        'q "q" pending ready - [b]',
      ]);
      expect(await store.getMeta("k")).toEqual({ n: 1 });
    });

    test("none is made when one is refused", async () => {
      const { store } = await withTasks([newTask("a"), newTask("b", { needs: ["a"] })]);
      const before = await shown(store);
      const edits = {
        add: [newTask("x")],
        update: [{ id: "a", patch: { title: "new" }, needs: ["b"] }],
        meta: [{ key: "k", value: 1 }],
      };
      await expect(store.apply(edits, "plan")).rejects.toThrow("wait for each other");
      expect(await shown(store)).toEqual(before);
      expect(await store.getMeta("k")).toBe(undefined);
    });

    test("none is made when what they rest on is no longer so", async () => {
      const { store } = await withTasks([newTask("a")]);
      const edits = (id: string, value: unknown, next: number) => ({
        add: [newTask(id)],
        meta: [{ key: "k", value: { n: next } }],
        when: { key: "k", value },
      });
      await store.apply(edits("b", undefined, 1), "plan");
      await store.apply(edits("c", { n: 1 }, 2), "plan");
      await expect(store.apply(edits("d", { n: 1 }, 3), "plan")).rejects.toMatchObject({ kind: "busy" });
      await expect(store.apply(edits("d", undefined, 3), "plan")).rejects.toMatchObject({ kind: "busy" });
      expect([(await store.list()).tasks.map(({ id }) => id), await store.getMeta("k")]).toEqual([
        ["a", "b", "c"],
        { n: 2 },
      ]);
    });

    test("P-51 T-13 a change is left out when the task is in another state, is a group or is worked on", async () => {
      const { store } = await withTasks([
        newTask("claimed"),
        newTask("parent"),
        newTask("child", { parent: "parent" }),
        newTask("done", { status: "done" }),
        newTask("keeper", { keepsWork: true }),
        newTask("below", { parent: "keeper" }),
      ]);
      await store.claim(request({ only: ["claimed"] }));
      const drop = (id: string) => ({ id, when: "pending", change: { kind: "drop" }, by: "plan" }) as const;
      await store.apply({ change: ["claimed", "parent", "child", "done", "keeper"].map(drop) }, "plan");
      expect(await shown(store)).toEqual([
        'claimed "claimed" in_progress - []',
        'parent "parent" dropped - []',
        'child "child" dropped parent []',
        'done "done" done - []',
        // T-13: it has a child, and is a leaf all the same.
        'keeper "keeper" dropped - []',
        'below "below" pending ready keeper []',
      ]);
    });
  });
}

async function* streamOf(tasks: readonly NewTask[]): AsyncIterable<readonly NewTask[]> {
  for (const task of tasks) yield [task];
}
