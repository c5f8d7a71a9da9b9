import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { claimContract } from "./claim.contract.ts";
import { mergeContract } from "./merge.contract.ts";
import { openSqliteStore } from "./sqlite.ts";
import type { Store } from "./store.ts";
import { DONE, newTask, type Opened, request, storeContract } from "./store.contract.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-store-"));
const stores: Store[] = [];

afterAll(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const openWith = async (options: { readonly streamMemory?: number; readonly path?: string }): Promise<Opened> => {
  const world = { now: 1_000_000_000, dead: new Set<number>() };
  const isAlive = ({ host, pid }: { host: string; pid: number }): boolean | undefined =>
    host === "here" ? !world.dead.has(pid) : undefined;
  const path = join(folder, `${stores.length}.db`);
  const store = await openSqliteStore({ path, clock: () => world.now, isAlive, ...options });
  stores.push(store);
  return { world, store };
};

const open = (): Promise<Opened> => openWith({});

storeContract(open);
claimContract(open);
mergeContract(open);

describe("in memory", () => storeContract(() => openWith({ path: ":memory:" })));
describe("through the disk", () => mergeContract(() => openWith({ streamMemory: 1 })));

test("L-22 L-23 a verdict waits for the disk, and what only repeats it does not", async () => {
  const statements: string[] = [];
  const store = await openSqliteStore({ path: ":memory:", onWrite: (statement) => void statements.push(statement) });
  await store.add([newTask("a"), newTask("b")]);
  const waits = async (action: () => Promise<unknown>): Promise<boolean> => {
    statements.splice(0);
    await action();
    return statements.includes("BEGIN, DURABLE");
  };
  const proven = (await store.claim(request()))!;
  expect(await waits(() => store.recordVerdict(proven.lease, { tree: "t" }))).toBe(true);
  expect(await waits(() => store.settle(proven.lease, DONE))).toBe(false);
  const taken = (await store.claim(request()))!;
  expect(await waits(() => store.settle(taken.lease, { ...DONE, outcome: "completed" }))).toBe(true);
  await store.close();
});
