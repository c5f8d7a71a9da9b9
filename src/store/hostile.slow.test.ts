import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import type { NewTask } from "../domain/task-input.ts";
import { openSqliteStore, type SqliteStore } from "./sqlite.ts";
import { DONE, newTask, request } from "./store.contract.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-slow-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let number = 0;
const open = (): Promise<SqliteStore> =>
  openSqliteStore({ path: join(folder, `${++number}.db`), streamMemory: 20_000 });

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("a chain of 200,000", { timeout: 300_000 }, async () => {
  await using store = await open();
  const count = 200_000;
  // Backwards, so that no need stands before the task that has it.
  const chain = Array.from({ length: count }, (_, n) =>
    newTask(`n${n}`, { needs: n === count - 1 ? [] : [`n${n + 1}`] }),
  );
  await expect(store.add([...chain, newTask("x", { needs: ["y"] }), newTask("y", { needs: ["x"] })])).rejects.toThrow(
    /x → y → x|y → x → y/,
  );
  await store.add(chain);
  await expect(store.addDependency(`n${count - 1}`, "n0")).rejects.toThrow("wait for each other");
  const claim = (await store.claim(request()))!;
  expect(claim.task.id).toBe(`n${count - 1}`);
  await store.settle(claim.lease, DONE);
  expect(await store.check()).toEqual([]);
});

test("100,000 wide, in and out", { timeout: 300_000 }, async () => {
  await using store = await open();
  const wide = Array.from({ length: 100_000 }, (_, n) => newTask(`n${n}`, { needs: ["first"] }));
  await store.add([newTask("last", { needs: wide.map(({ id }) => id!) }), newTask("first"), ...wide]);
  await store.change("first", { kind: "complete" }, "person");
  expect((await store.counts())[0]).toMatchObject({ ready: 100_000, blocked: 1 });
  expect(await store.check()).toEqual([]);
});

test("parents nested 200,000 deep", { timeout: 300_000 }, async () => {
  await using store = await open();
  const count = 200_000;
  await store.add(Array.from({ length: count }, (_, n) => newTask(`n${n}`, n === 0 ? {} : { parent: `n${n - 1}` })));
  const claim = (await store.claim(request()))!;
  await store.settle(claim.lease, DONE);
  expect((await store.get("n0"))?.status).toBe("done");
  expect((await store.tree()).at(-1)?.depth).toBe(count - 1);
  expect(await store.remove("n0")).toBe(count);
});

test(
  "a stream of 1,000,000 is added in one piece, with memory that does not grow with it",
  { timeout: 600_000 },
  async () => {
    await using store = await open();
    const count = 1_000_000;
    let most = 0;
    const chunks = async function* (total: number, last: readonly NewTask[]): AsyncIterable<readonly NewTask[]> {
      for (let from = 0; from < total; from += 1000) {
        yield Array.from({ length: 1000 }, (_, n) =>
          newTask(`n${from + n}`, {
            needs: from + n === 0 ? [] : [`n${(from + n) >> 1}`].filter((id) => id !== `n${from + n}`),
          }),
        );
        if (from % 50_000 !== 0) continue;
        collect();
        most = Math.max(most, process.memoryUsage().heapUsed);
      }
      yield last;
    };
    const cycle = [newTask("x", { needs: ["y"] }), newTask("y", { needs: ["x", "n1"] })];
    await expect(store.addStream(chunks(200_000, cycle))).rejects.toThrow(/x → y → x|y → x → y/);
    expect(await store.addStream(chunks(count, []))).toBe(count);
    expect((await store.counts())[0]).toMatchObject({ ready: 1, blocked: count - 1 });
    expect(most).toBeLessThan(120e6);
  },
);
