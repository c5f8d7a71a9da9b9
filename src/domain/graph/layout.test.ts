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
    const { places, columns, edges } = layOut([
      task("whole"),
      task("a", [], "whole"),
      task("b", ["a"], "whole"),
      task("c", ["whole", "elsewhere"]),
    ]);
    expect(Array.from(places, ([id, { column }]) => [id, column])).toEqual([
      ["whole", 2],
      ["a", 0],
      ["b", 1],
      ["c", 3],
    ]);
    expect([columns, edges.length]).toEqual([4, 4]);
  });

  test("every task has a place of its own, and every arrow leads to the right, or to the next line", () => {
    fc.assert(
      fc.property(graphs, (tasks) => {
        const { places, edges, columns, rows } = layOut(tasks);
        expect(places.size).toBe(tasks.length);
        for (const edge of edges) {
          const [from, to] = [places.get(edge.from)!, places.get(edge.to)!];
          expect(from.column < to.column || from.row < to.row).toBe(true);
        }
        for (const { column, row } of places.values()) expect(column < columns && row <= rows - 1 + 1e-9).toBe(true);
        for (const [at, { column, row }] of [...places.values()].entries()) {
          const others = [...places.values()].filter((other, each) => each !== at && other.column === column);
          // Rows are rounded to hundredths.
          for (const other of others) expect(Math.abs(other.row - row)).toBeGreaterThan(0.97);
        }
      }),
    );
  });

  test("an edge that passes columns meets no task there", () => {
    fc.assert(
      fc.property(graphs, (tasks) => {
        const { places, edges } = layOut(tasks);
        const columnOf = (id: string): number => places.get(id)!.column;
        // A long chain that goes on in another line leads back to the left.
        fc.pre(edges.every(({ from, to }) => columnOf(from) < columnOf(to)));
        for (const { from, to, through } of edges) {
          expect(through.length).toBe(places.get(to)!.column - places.get(from)!.column - 1);
          for (const { column, row } of through) {
            const near = [...places.values()].filter((place) => place.column === column);
            for (const place of near) expect(Math.abs(place.row - row)).toBeGreaterThan(0.6);
          }
        }
      }),
    );
  });

  test("two chains do not cross, and what needs nothing stands just before what needs it", () => {
    const chains = [
      task("a"),
      task("b"),
      task("a2", ["a"]),
      task("b2", ["b"]),
      task("b3", ["b2"]),
      task("late"),
      task("end", ["b3", "late", "a2"]),
    ];
    const { places } = layOut(chains);
    const above = (one: string, other: string): boolean => places.get(one)!.row < places.get(other)!.row;
    expect(above("a2", "b3") || above("b3", "a2")).toBe(true);
    expect(above("a", "b2")).toBe(above("a2", "b3"));
    expect(places.get("late")!.column).toBe(places.get("end")!.column - 1);
  });

  test("a long chain goes on in the next line", () => {
    const chain = Array.from({ length: 200 }, (_, index) => task(`t-${index}`, index === 0 ? [] : [`t-${index - 1}`]));
    const { columns, rows } = layOut(chain);
    expect([columns < 30, rows < 40, columns * rows >= 200]).toEqual([true, true, true]);
  });

  test("many tasks without edges make a field, not a column", () => {
    const { columns, rows } = layOut(Array.from({ length: 2000 }, (_, index) => task(`t-${index}`)));
    expect([columns > 10, rows < 200]).toEqual([true, true]);
  });

  test("ends also where tasks need each other", () => {
    expect(layOut([task("a", ["b"]), task("b", ["a"]), task("c", ["a"])]).places.size).toBe(3);
    expect(layOut([])).toEqual({ places: new Map(), edges: [], columns: 0, rows: 0 });
  });
});
