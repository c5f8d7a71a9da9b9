import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { NewTask } from "../domain/task-input.ts";
import { openSqliteStore, type SqliteStore } from "./sqlite.ts";
import { newTask } from "./store.contract.ts";
import type { Store } from "./store.ts";

// More than is kept in memory, so that it is put aside first.

const folder = mkdtempSync(join(tmpdir(), "ralph-stream-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let number = 0;
const open = (): Promise<SqliteStore> => openSqliteStore({ path: join(folder, `${++number}.db`), streamMemory: 1000 });

const COUNT = 3000;

/** Parents and needs point both ways, to old tasks and to new ones. */
const tasks = (): NewTask[] =>
  Array.from({ length: COUNT }, (_, n) =>
    newTask(`n${n}`, {
      ...(n % 100 === 99 ? { status: "done" as const } : {}),
      ...(n % 50 === 7 && { parent: `n${n + 1}` }),
      ...(n % 60 === 11 && { parent: "old" }),
      needs: [...(n % 3 === 0 && n > 3 ? [`n${n - 3}`] : []), ...(n % 1000 === 5 ? ["gate"] : [])],
      tags: n % 10 === 0 ? ["x"] : [],
    }),
  );

async function* inChunks(list: readonly NewTask[]): AsyncIterable<readonly NewTask[]> {
  for (let from = 0; from < list.length; from += 500) yield list.slice(from, from + 500);
}

test("a long stream gives the same store as one call", async () => {
  await using streamed = await open();
  await using added = await open();
  for (const store of [streamed, added])
    await store.add([newTask("old"), newTask("gate"), newTask("after", { needs: ["old"] })]);
  expect(await streamed.addStream(inChunks(tasks()))).toEqual({ added: COUNT, updated: 0, kept: 0 });
  await added.add(tasks());
  const shown = async (store: Store): Promise<unknown[]> => {
    const all: unknown[] = [];
    for await (const task of store.each()) all.push({ ...task, createdAt: 0, updatedAt: 0 });
    return all;
  };
  expect(await shown(streamed)).toEqual(await shown(added));
  expect(await streamed.counts()).toEqual(await added.counts());
  expect(await streamed.check()).toEqual([]);
});

test("a long stream with a fault adds nothing, and says which", async () => {
  await using store = await open();
  await store.add([newTask("old"), newTask("gate")]);
  const faults: [NewTask, string][] = [
    [newTask("n1"), "There is already a task n1"],
    [newTask("gate"), "There is already a task gate"],
    [newTask("z", { needs: ["nobody"] }), "z needs nobody, which does not exist"],
    [newTask("z", { parent: "nobody" }), "The parent of z is nobody, which does not exist"],
    [newTask("z", { needs: ["z"] }), "z → z"],
    [newTask("z", { parent: "old", needs: ["old"] }), "wait for each other"],
    [newTask("z", { title: "" }), "A task needs a title"],
  ];
  for (const [task, message] of faults) {
    await expect(store.addStream(inChunks([...tasks(), task]))).rejects.toThrow(message);
  }
  expect((await store.list()).tasks.map(({ id }) => id)).toEqual(["old", "gate"]);
  expect(await store.check()).toEqual([]);
});

test("a long stream can skip what is there, and ids are made where there are none", async () => {
  await using store = await open();
  await store.add([newTask("old"), newTask("gate"), newTask("n0"), newTask("n500", { title: "kept" })]);
  const nameless = tasks().filter((_, n) => n % 100 !== 42);
  expect(await store.addStream(inChunks(nameless), { onExisting: "skip" }).catch(String)).toMatch(
    /needs n\d*42, which does not exist/,
  );
  const loose = tasks().map((task, n): NewTask =>
    Object.assign(task, { needs: [] }, n % 100 === 42 && { id: undefined }),
  );
  expect(await store.addStream(inChunks(loose), { onExisting: "skip" })).toEqual({
    added: COUNT - 2,
    updated: 0,
    kept: 2,
  });
  expect((await store.get("n500"))?.title).toBe("kept");
  expect(await store.check()).toEqual([]);
});

test.each([
  ["at the end", COUNT],
  ["in the middle", 2000],
])(
  "W-03 a long stream whose store is taken away %s adds nothing and says so; the next one is added",
  async (_, when) => {
    await using store = await open();
    const path = join(folder, `${number}.db`);
    await store.add([newTask("old"), newTask("gate")]);
    const taken = async function* (): AsyncIterable<readonly NewTask[]> {
      let count = 0;
      for await (const chunk of inChunks(tasks())) {
        yield chunk;
        count += chunk.length;
        if (count !== when) continue;
        for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
        if (when < COUNT) await store.note("old", { by: "person", kind: "note", text: "meanwhile" });
      }
    };
    await expect(store.addStream(taken())).rejects.toMatchObject({
      name: "RalphError",
      kind: "io",
      message: `The task database \`${path}\` was taken away while tasks were read; none was added`,
      hint: "Add them again: the store itself has been restored",
    });
    expect((await store.list()).tasks.map(({ id }) => id)).toEqual(["old", "gate"]);
    expect(await store.addStream(inChunks(tasks()))).toMatchObject({ added: COUNT });
    expect(await store.check()).toEqual([]);
  },
);
