import { expect, test } from "vitest";
import { distinctGates, taskGates, isSameCommand } from "./distinct-gates.ts";
import type { Gate } from "./gate.ts";

const gate = (id: string): Gate => ({ id, kind: "workspace", run: "true", timeoutMs: 1, retries: 0 });
const ids = (gates: readonly Gate[]): string[] => gates.map(({ id }) => id);

test("P-15 gates of one name are told apart by a number, the first keeps its name, and capitals do not count", () => {
  expect(ids(distinctGates(["test", "lint", "test", "Test", "test-2"].map(gate)))).toEqual([
    "test",
    "lint",
    "test-2",
    "Test-3",
    "test-2-2",
  ]);
});

test("P-15 a name stays within its 64 characters", () => {
  const long = "x".repeat(64);
  expect(ids(distinctGates([gate(long), gate(long)]))).toEqual([long, `${"x".repeat(62)}-2`]);
});

test("P-15 a task's gates have their own limits or the usual one, and never take a name of the workspace's", () => {
  const task = {
    gates: [
      { id: "test", run: "npm test -- login", retries: 2, timeoutMs: 5000 },
      { id: "look", run: "./look", retries: 0 },
      { id: "look", run: "./look again", retries: 0 },
    ],
  };
  expect(taskGates(task, 60_000, [gate("test")])).toEqual([
    { id: "test-2", kind: "task", run: "npm test -- login", timeoutMs: 5000, retries: 2 },
    { id: "look", kind: "task", run: "./look", timeoutMs: 60_000, retries: 0 },
    { id: "look-2", kind: "task", run: "./look again", timeoutMs: 60_000, retries: 0 },
  ]);
});

test("T-22 a discovered command is the same as the one that a person writes for it", () => {
  const isSame = (one: string, other: string): boolean => isSameCommand({ run: one }, { run: other });
  expect([isSame("CI=1 npm run test", "npm test "), isSame("make", "make")]).toEqual([true, true]);
  expect([isSame("CI=1 npm run test", "npm test -- a"), isSame("bun run test", "bun test")]).toEqual([false, false]);
});
