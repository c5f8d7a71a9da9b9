import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GraphTask } from "./graph.ts";
import { layOut } from "./layout.ts";

const task = (id: string, needs: readonly string[] = [], parent?: string): GraphTask => ({
  id,
  title: id,
  state: "ready",
  scope: "workspace",
  parent,
  needs,
});

/** A DAG: each task needs some of those before it, and may be part of a later one. */
const graphs = fc
  .array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 40 })
  .map((all) =>
    all.map((needs, index) =>
      task(`t-${index}`, index === 0 ? [] : [...new Set(needs.map((need) => `t-${need % index}`))]),
    ),
  );

describe("layout", () => {
  test("puts what is needed before what needs it, and parts before their whole", () => {
    const { places, columns, rows, edges } = layOut([
      task("whole"),
      task("a", [], "whole"),
      task("b", ["a"], "whole"),
      task("c", ["whole", "elsewhere"]),
    ]);
    expect(Object.fromEntries(places)).toEqual({
      a: { column: 0, row: 0 },
      b: { column: 1, row: 0 },
      whole: { column: 2, row: 0 },
      c: { column: 3, row: 0 },
    });
    expect([columns, rows, edges.length]).toEqual([4, 1, 4]);
  });

  test("every task has a place of its own, and every arrow leads to the right", () => {
    fc.assert(
      fc.property(graphs, (tasks) => {
        const { places, edges, columns, rows } = layOut(tasks);
        const taken = new Set([...places.values()].map(({ column, row }) => `${column}/${row}`));
        expect([places.size, taken.size]).toEqual([tasks.length, tasks.length]);
        for (const { from, to } of edges) expect(places.get(from)!.column).toBeLessThan(places.get(to)!.column);
        for (const { column, row } of places.values()) expect(column < columns && row < rows).toBe(true);
      }),
    );
  });

  test("ends also where tasks need each other", () => {
    expect(layOut([task("a", ["b"]), task("b", ["a"]), task("c", ["a"])]).places.size).toBe(3);
    expect(layOut([])).toEqual({ places: new Map(), edges: [], columns: 0, rows: 0 });
  });
});
