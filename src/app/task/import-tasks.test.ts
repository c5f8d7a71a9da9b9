import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { RalphError } from "../../domain/error.ts";
import type { NewTask } from "../../domain/task-input.ts";
import { createMemoryStore, type MemoryStore } from "../../../test/memory-store/memory-store.ts";
import { openSqliteStore, type SqliteStore } from "../../store/index.ts";
import type { AddCounts, Store } from "../../store/store.ts";
import { taskLines } from "./export-tasks.ts";
import { importLines } from "./import-tasks.ts";
import { byLane, isFull } from "../../../test/lane.ts";
import { anyText } from "../../../test/any-text.ts";

const ME = { host: "here", pid: 1, startTime: "1" };
const folder = temporaryFolder();
let number = 0;
const memory = (): MemoryStore =>
  createMemoryStore({ clock: () => 5000, newId: () => `t-${++number}`, isAlive: () => true });
const sqlite = (): Promise<SqliteStore> => openSqliteStore({ path: join(folder, `${++number}.db`), clock: () => 5000 });

const load = (store: Store, text: string): Promise<AddCounts> =>
  importLines(store, bytesOf(text), { scope: "workspace", onProgress: undefined });

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7919) yield bytes.subarray(at, at + 7919);
}

async function dump(store: Store): Promise<string> {
  let text = "";
  for await (const piece of taskLines(store)) text += piece;
  return text;
}

const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("a\nb", "\u202eabc", "\u2028", "\0", "\ud800"),
);
const title = words.map((text) => `x${text}`);
const some = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined });
const moment = fc.integer({ min: -1e12, max: 4e12 });
const fields = fc.record({
  title,
  description: some(words),
  acceptance: some(fc.array(words, { maxLength: 3 })),
  priority: some(fc.integer({ min: -5, max: 5 })),
  status: some(fc.constantFrom("pending", "parked", "done", "failed", "dropped")),
  tags: some(fc.array(title, { maxLength: 3 })),
  gates: some(
    fc.array(
      fc.record({ id: fc.constantFrom("g1", "g2"), run: words, retries: fc.nat(3), timeoutMs: some(fc.nat(9)) }),
      {
        maxLength: 2,
      },
    ),
  ),
  model: some(words),
  allowNoChange: some(fc.boolean()),
  mayChange: some(fc.uniqueArray(fc.constantFrom("a", "b/**", "*.json"))),
  attempts: some(fc.nat(4)),
  attemptLimit: some(fc.integer({ min: 1, max: 9 })),
  retry: some(fc.boolean()),
  summary: some(words),
  source: some(fc.record({ file: words, key: words })),
  question: some(words),
  reason: some(words),
  scope: fc.constantFrom("workspace", "project/x"),
  createdAt: some(moment),
  updatedAt: some(moment),
  startedAt: some(moment),
  endedAt: some(moment),
});
const graph = fc.array(fc.tuple(fields, fc.nat(50), fc.nat(50), fc.nat(3)), { maxLength: 25 }).map((rows) =>
  rows.map(([task, parent, need, kind], index): NewTask => {
    const id = `k${(index * 37) % 101}`;
    const other = (at: number): string => `k${((at % index) * 37) % 101}`;
    if (index === 0 || kind === 0) return { ...task, id };
    return kind === 1 ? { ...task, id, parent: other(parent) } : { ...task, id, needs: [other(need)] };
  }),
);

describe("export and import", () => {
  test("random stores round-trip exactly, and a second import keeps everything", async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.boolean(), async (tasks, isSqlite) => {
        const [from, to] = [memory(), isSqlite ? await sqlite() : memory()];
        try {
          try {
            await from.add(tasks);
          } catch (error) {
            if (error instanceof RalphError) return; // a need of its own ancestor
            throw error;
          }
          await from.claim({ owner: ME, leaseMs: 1000 });
          const text = await dump(from);
          expect(await load(to, text)).toEqual({ added: tasks.length, updated: 0, kept: 0 });
          expect(await dump(to)).toBe(text);
          expect(await load(to, text)).toEqual({ added: 0, updated: 0, kept: tasks.length });
          expect(await dump(to)).toBe(text);
          expect((await to.check()).filter(({ kind }) => kind !== "stuck")).toEqual([]);
        } finally {
          await to.close();
        }
      }),
      { numRuns: byLane(40, 150) },
    );
  });

  test("the order in which tasks are worked on survives", async () => {
    const store = memory();
    await store.add(["c", "a", "b"].map((id, index) => ({ id, scope: "workspace", title: id, createdAt: index })));
    const other = memory();
    await load(other, await dump(store));
    expect((await other.ready()).map(({ id }) => id)).toEqual(["c", "a", "b"]);
  });

  test("merges by id: unknown ones are added, the later update wins", async () => {
    const [mine, theirs] = [memory(), memory()];
    const task = (id: string, title: string, updatedAt: number): NewTask => ({
      id,
      title,
      updatedAt,
      scope: "workspace",
      createdAt: 1,
    });
    await mine.add([task("a", "mine", 10), task("b", "mine", 10), task("c", "mine", 10)]);
    await theirs.add([task("a", "theirs", 11), task("b", "theirs", 9), task("d", "theirs", 1)]);
    expect(await load(mine, await dump(theirs))).toEqual({ added: 1, updated: 1, kept: 1 });
    expect((await mine.list()).tasks.map(({ id, title }) => `${id} ${title}`)).toEqual([
      "a theirs",
      "b mine",
      "c mine",
      "d theirs",
    ]);
  });

  test("a scope's own lines only", async () => {
    const store = memory();
    await store.add([
      { id: "b", scope: "project/x", title: "b" },
      { id: "a", scope: "workspace", title: "a" },
    ]);
    const pieces: string[] = [];
    for await (const piece of taskLines(store, ["project/x"])) pieces.push(piece);
    expect(pieces.join("")).toMatch(/^\{"id":"b",.*\}\n$/);
  });
});

describe("what is refused is refused whole", () => {
  const good = '{"id":"good","title":"good"}\n';
  test.each([
    ["a cycle", '{"id":"a","title":"a","needs":["b"]}\n{"id":"b","title":"b","needs":["a"]}', /a → b → a|b → a → b/],
    ["a need of itself", '{"id":"a","title":"a","needs":["a"]}', /a → a/],
    [
      "a parent that is its child",
      '{"id":"a","title":"a","parent":"b"}\n{"id":"b","title":"b","parent":"a"}',
      /wait for each other/,
    ],
    ["an id twice", '{"id":"a","title":"a"}\n{"id":"a","title":"b"}', /There is already a task a/],
    ["an unknown need", '{"id":"a","title":"a","needs":["nobody"]}', /a needs nobody, which does not exist/],
    ["an unknown parent", '{"id":"a","title":"a","parent":"nobody"}', /parent of a is nobody/],
    ["no JSON", '\n\n{"id":"a", title}', /^Line 4.*: invalid JSON$/],
    ["a title of 1 MB", `{"id":"a","title":"${"x".repeat(1_000_000)}"}`, /^Line 2: the title has 1000000 characters/],
    ["a blank title", '{"id":"a","title":"\\u0000 "}', /^Line 2: a task needs a title/],
    ["an id with quotes", '{"id":"a\\"b","title":"a"}', /^Line 2: "a\\"b" cannot be the id/],
    ["an id with path parts", '{"id":"../a","title":"a"}', /^Line 2: "\.\.\/a" cannot be the id/],
    ["a need with path parts", '{"id":"a","title":"a","needs":["/etc"]}', /^Line 2: "\/etc" cannot be the id/],
    ["a scope that leaves", '{"id":"a","title":"a","scope":"../x"}', /^Line 2: "\.\.\/x" cannot be a scope/],
    ["a raw NUL", '{"id":"a\0","title":"a"}', /^Line 2.*: invalid JSON$/],
    ["a merge conflict", "<<<<<<< HEAD", /^Line 2.*: invalid JSON$/],
  ])("%s", async (_, text, message) => {
    for (const store of [memory(), await sqlite()]) {
      await expect(load(store, good + text)).rejects.toThrow(message);
      await expect(load(store, good + text)).rejects.toThrow(RalphError);
      expect(await dump(store)).toBe("");
      await store.close();
    }
  });

  test("bytes that are no UTF-8", async () => {
    const bytes = async function* (): AsyncIterable<Uint8Array> {
      yield Buffer.from([...Buffer.from(good), 0x22, 0xff]);
    };
    await expect(importLines(memory(), bytes(), { scope: "workspace", onProgress: undefined })).rejects.toThrow(
      "invalid UTF-8",
    );
  });

  test("lone surrogates and controls become what a file and a database can hold", async () => {
    const store = memory();
    await load(store, '{"id":"a","title":"x\\ud800\\u001b[2Jy","description":"\\u0000"}');
    expect(await store.get("a")).toMatchObject({ title: "x\ufffd [2Jy", description: "\ufffd" });
  });

  test("import of any text throws only RalphError", async () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      '"id":"a"',
      '"title":"b"',
      ",",
      "\n",
      "[]",
      ":",
      "null",
      '"needs":["a"]',
      "\ufeff",
      '{"id":"a","title":"b"}',
      "\r\n",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anyText(),
          fc.array(piece).map((all) => all.join("")),
        ),
        async (text) => {
          const store = memory();
          try {
            await load(store, text);
          } catch (error) {
            if (!(error instanceof RalphError)) throw error;
            expect(await dump(store)).toBe("");
          }
        },
      ),
      { numRuns: byLane(200, 1000) },
    );
  });
});

if (isFull) {
  describe("large", () => {
    test("a chain of 200,000, each line before the one it needs", { timeout: 600_000 }, async () => {
      const store = await sqlite();
      const lines = Array.from(
        { length: 200_000 },
        (_, index) => `{"id":"k${index}","title":"k"${index === 199_999 ? "" : `,"needs":["k${index + 1}"]`}}\n`,
      );
      expect(await load(store, lines.join(""))).toEqual({ added: 200_000, updated: 0, kept: 0 });
      expect((await store.ready()).map(({ id }) => id)).toEqual(["k199999"]);
      await store.close();
    });

    test("a chain of 200,000 that closes is rejected whole", { timeout: 600_000 }, async () => {
      const store = await sqlite();
      const lines = Array.from(
        { length: 200_000 },
        (_, index) => `{"id":"k${index}","title":"k","needs":["k${(index + 1) % 200_000}"]}\n`,
      );
      await expect(load(store, lines.join(""))).rejects.toThrow(/wait for each other: k\d+ → .* → … → .*/);
      expect(await dump(store)).toBe("");
      await store.close();
    });
  });
}
