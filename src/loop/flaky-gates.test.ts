import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import type { Gate, GateEnd, GateResult } from "../domain/gate.ts";
import { countFlaky, readFlaky } from "./flaky-gates.ts";
import { rememberPassed } from "./proofs.ts";

const gate: Gate = { id: "test", kind: "workspace", run: "npm test", timeoutMs: 1, retries: 1 };
const output = { file: "", bytes: 0, head: "", tail: "" };
const exit = (code: number): GateEnd => ({ kind: "exit", code });
const result = (...codes: readonly number[]): GateResult => ({
  gate,
  passed: codes.at(-1) === 0,
  runs: codes.map((code) => ({ end: exit(code), durationMs: 1, output, swept: 0 })),
});

test("T-30 a gate that fails and passes on the same files is counted, by retries and by later runs", async () => {
  const store = createMemoryStore({ clock: Date.now, newId: () => randomUUID(), isAlive: () => true });
  const pinned = [] as const;
  const look = async (tree: string, ...codes: readonly number[]): Promise<number | undefined> => {
    const results = [result(...codes)];
    const found = await countFlaky(store, { tree, setup: "s" }, { results, pinned });
    await rememberPassed(store, { tree, setup: "s" }, { results, pinned });
    return found[0]?.times;
  };
  expect([
    await look("one", 0),
    await look("two", 1), // red, and green on other files: that is what gates are for
    await look("three", 0),
    await look("two", 0), // the same files again
    await look("two", 0),
    await look("four", 1, 0), // a retry
    await look("one", 1, 1), // it passed here before
    await look("five", 1, 1),
  ]).toEqual([undefined, undefined, undefined, 1, undefined, 2, 3, undefined]);
  expect(await readFlaky(store)).toMatchObject([{ id: "test", times: 3 }]);
});

test("T-30 two gates with one command are one gate that may be flaky", async () => {
  const store = createMemoryStore({ clock: Date.now, newId: () => randomUUID(), isAlive: () => true });
  const results = [result(1, 0), { ...result(1, 0), gate: { ...gate, id: "again" } }];
  const found = await countFlaky(store, { tree: "one", setup: "s" }, { results, pinned: [] });
  expect([found, await readFlaky(store)]).toMatchObject([[{ times: 2 }], [{ id: "test", times: 2 }]]);
});
