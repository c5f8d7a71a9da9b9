import { expect, test } from "vitest";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import type { Gate } from "../domain/gate.ts";
import { owedGates, rememberPassed } from "./proofs.ts";

const gate = (id: string, about: Partial<Gate> = {}): Gate => ({
  id,
  kind: "workspace",
  run: `npm run ${id}`,
  timeoutMs: 1000,
  retries: 0,
  ...about,
});
const passed = (one: Gate) => ({ gate: one, passed: true, runs: [] });

test("L-20 a gate that passed on a tree does not run on it again, unless set-up or definition differ", async () => {
  const store = createMemoryStore({ clock: Date.now, newId: () => "t-1", isAlive: () => true });
  const [lint, unit, own] = [gate("lint"), gate("unit"), gate("own", { kind: "task" })];
  // A function may say something else each time, and so may a reviewer.
  const others = [gate("code", { check: () => true }), gate("reviewer", { kind: "reviewer" })];
  const at = { tree: "a", setup: "npm ci" };
  const pinned = [{ id: "unit", run: unit.run, script: "node test.js" }];
  await rememberPassed(store, at, {
    results: [passed(unit), { ...passed(lint), passed: false }, passed(own), ...others.map(passed)],
    pinned,
  });
  const owed = async (where: typeof at, definitions = pinned): Promise<string[]> =>
    (await owedGates(store, where, { gates: [lint, unit, own, ...others], pinned: definitions })).map(({ id }) => id);
  expect({
    again: await owed(at),
    otherTree: await owed({ ...at, tree: "b" }),
    otherSetup: await owed({ ...at, setup: "" }),
    otherScript: await owed(at, [{ ...pinned[0]!, script: "true" }]),
  }).toEqual({
    again: ["lint", "own", "code", "reviewer"],
    otherTree: ["lint", "unit", "own", "code", "reviewer"],
    otherSetup: ["lint", "unit", "own", "code", "reviewer"],
    otherScript: ["lint", "unit", "own", "code", "reviewer"],
  });
});
