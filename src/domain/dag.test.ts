import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countChildren, findCycle, findPath, rollUp } from "./dag.ts";
import type { TaskStatus } from "./task.ts";

const next =
  (edges: Readonly<Record<string, readonly string[]>>) =>
  (node: string): readonly string[] =>
    edges[node] ?? [];

describe("dag-R4 findCycle", () => {
  test.each([
    ["nothing", {}, undefined],
    ["a chain", { a: ["b"], b: ["c"] }, undefined],
    ["a diamond", { a: ["b", "c"], b: ["d"], c: ["d"] }, undefined],
    ["itself", { a: ["a"] }, ["a", "a"]],
    ["two", { a: ["b"], b: ["a"] }, ["a", "b", "a"]],
    ["behind a stem", { s: ["a"], a: ["b"], b: ["c"], c: ["a"] }, ["a", "b", "c", "a"]],
  ])("%s", (_name, edges, cycle) => {
    expect(findCycle(Object.keys(edges), next(edges))).toEqual(cycle);
  });

  test("a chain of 200,000 does not overflow the stack", () => {
    const end = 200_000;
    expect(findCycle([0], (node) => (node < end ? [node + 1] : []))).toBe(undefined);
    expect(findCycle([0], (node) => [node < end ? node + 1 : 0])).toHaveLength(end + 2);
  });
});

test("dag-R4 findPath finds a way exactly where there is one", () => {
  const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 20 });
  fc.assert(
    fc.property(edges, fc.nat(9), fc.nat(9), (list, from, to) => {
      const ahead = (node: number): number[] => list.filter(([a]) => a === node).map(([, b]) => b);
      const back = (node: number): number[] => list.filter(([, b]) => b === node).map(([a]) => a);
      const reached = new Set([from]);
      for (const node of reached) for (const other of ahead(node)) reached.add(other);
      const path = findPath({ next: ahead, previous: back }, from, to);
      expect(path !== undefined).toBe(reached.has(to));
      if (path) {
        expect([path[0], path.at(-1)]).toEqual([from, to]);
        path.slice(1).forEach((node, index) => expect(ahead(path[index]!)).toContain(node));
      }
    }),
  );
});

test.each<[readonly TaskStatus[], TaskStatus]>([
  [["pending", "done"], "pending"],
  [["done", "done"], "done"],
  [["done", "dropped"], "done"],
  [["dropped", "dropped"], "dropped"],
  [["done", "in_progress", "pending"], "in_progress"],
  [["in_progress", "failed"], "failed"],
  [["parked", "done"], "pending"],
])("dag-R3 a parent of %j is %s", (children, status) => {
  expect(rollUp(countChildren(children))).toBe(status);
});
