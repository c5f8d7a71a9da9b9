import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import { openSqliteStore, randomId, type SqliteStore } from "./sqlite.ts";
import { DONE, newTask, request } from "./store.contract.ts";
import type { Store } from "./store.ts";
import { isFull } from "../../test/lane.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let number = 0;
const openSqlite = (): Promise<SqliteStore> => openSqliteStore({ path: join(folder, `${++number}.db`) });
const stores: readonly (readonly [string, () => Promise<Store>])[] = [
  ["memory", async () => createMemoryStore({ clock: Date.now, newId: randomId, isAlive: () => true })],
  ["sqlite", openSqlite],
];

describe.each(stores)("%s", (_name, open) => {
  test("what cannot be a task is refused with a sentence, and nothing is added", async () => {
    await using store = await open();
    const bad = [
      newTask("a", { title: "x".repeat(1_000_000) }),
      newTask("a", { title: "\u0000" }),
      newTask("../../etc/passwd"),
      newTask("a'; DROP TABLE task; --"),
      newTask('"'),
      newTask("a", { needs: ["../b"] }),
      newTask("a", { parent: "b'" }),
      newTask("a", { scope: "project/../.." }),
      newTask("a", { description: "x".repeat(2_000_000) }),
    ];
    for (const task of bad) {
      await expect(store.add([newTask("good"), task])).rejects.toMatchObject({ name: "RalphError", kind: "data" });
    }
    expect((await store.list()).tasks).toEqual([]);
  });

  test("texts of all kinds come back as they went in, or as the rules say", async () => {
    await using store = await open();
    const texts = ["emoji 👩‍👩‍👧‍👦", "שלום \u202e rtl", "'; DROP TABLE task; --", "%_\\", "a\u0301", "\ufeffBOM", "\r\n"];
    for (const [n, description] of texts.entries()) await store.add([newTask(`t${n}`, { description })]);
    expect((await store.list()).tasks.map((task) => task.description)).toEqual(texts);
    await store.add([newTask("z", { title: "a\u0000b\ud800c", description: "\u0000\udfff" })]);
    expect(await store.get("z")).toMatchObject({ title: "a b\ufffdc", description: "\ufffd\ufffd" });
    expect((await store.list({ text: "%_\\" })).tasks.map(({ id }) => id)).toEqual(["t3"]);
    for (const id of ["'", '"', "../x", "\u0000", "a".repeat(1e6)]) expect(await store.get(id)).toBe(undefined);
    await expect(store.resolve("'")).rejects.toThrow("There is no task");
    await expect(store.resolve("%")).rejects.toThrow("There is no task");
  });

  test("any text survives the way in and out", async () => {
    await using store = await open();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.array(fc.string({ unit: "grapheme" })),
        async (description, acceptance) => {
          const [id] = await store.add([{ scope: "workspace", title: "x", description, acceptance }]);
          const clean = (text: string): string => text.replaceAll("\u0000", "\ufffd");
          expect(await store.get(id!)).toMatchObject({
            description: clean(description),
            acceptance: acceptance.map(clean),
          });
        },
      ),
      { numRuns: 50 },
    );
  });
});

if (isFull) {
  describe("large graphs", () => {
    test("a chain of 20,000: added, walked, closed to a cycle only on paper", { timeout: 60_000 }, async () => {
      await using store = await openSqlite();
      const count = 20_000;
      await store.add(
        Array.from({ length: count }, (_, n) => newTask(`n${n}`, { needs: n === 0 ? [] : [`n${n - 1}`] })),
      );
      await expect(store.addDependency("n0", `n${count - 1}`)).rejects.toThrow(/n0 → n19999 → .*….* → n0/);
      for (let n = 0; n < 5; n++) {
        const claim = (await store.claim(request()))!;
        expect(claim.task.id).toBe(`n${n}`);
        await store.settle(claim.lease, DONE);
      }
      expect(await store.check()).toEqual([]);
    });

    test("parents nested 5,000 deep: the deepest decides for all", { timeout: 60_000 }, async () => {
      await using store = await openSqlite();
      const count = 5000;
      await store.add(
        Array.from({ length: count }, (_, n) => newTask(`n${n}`, n === 0 ? {} : { parent: `n${n - 1}` })),
      );
      await store.add([newTask("gate"), newTask("after", { needs: ["n0"] })]);
      await store.addDependency("n0", "gate");
      expect((await store.ready()).map(({ id }) => id)).toEqual(["gate"]);
      await store.change("gate", { kind: "complete" }, "person");
      const claim = (await store.claim(request()))!;
      expect(claim.task.id).toBe(`n${count - 1}`);
      await store.settle(claim.lease, DONE);
      expect((await store.get("n0"))?.status).toBe("done");
      expect((await store.ready()).map(({ id }) => id)).toEqual(["after"]);
      expect((await store.tree()).at(-3)?.depth).toBe(count - 1);
      expect(await store.check()).toEqual([]);
      await store.removeDependency("after", "n0");
      expect(await store.remove("n0")).toBe(count);
    });

    test("10,000 wide, in and out", { timeout: 60_000 }, async () => {
      await using store = await openSqlite();
      const count = 10_000;
      const wide = Array.from({ length: count }, (_, n) => newTask(`n${n}`, { needs: ["first"] }));
      await store.add([newTask("last", { needs: wide.map(({ id }) => id!) }), newTask("first"), ...wide]);
      expect((await store.ready()).map(({ id }) => id)).toEqual(["first"]);
      await store.change("first", { kind: "complete" }, "person");
      expect((await store.counts())[0]).toMatchObject({ ready: count, blocked: 1 });
      expect((await store.get("last"))?.needs).toHaveLength(count);
      expect(await store.check()).toEqual([]);
    });
  });
}
