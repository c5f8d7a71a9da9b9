import { describe, expect, test } from "vitest";
import { layOut } from "../../domain/graph/layout.ts";
import { leftOf, NODE, sizeOf, topOf } from "../parts/graph.tsx";
import { firstView, fittingView, isIn, nextTask, seenArea, showing, taskAt, zoomedAt } from "./graph-view.ts";

const task = (id: string, ...needs: readonly string[]) => ({ id, parent: undefined, needs });
const BOX = { width: 800, height: 600 };

describe("U-08 the view of the graph", () => {
  test("all of it fits, in the middle; a very long one is shown from its beginning", () => {
    expect(fittingView({ width: 400, height: 300 }, BOX)).toEqual({ x: 150, y: 112.5, zoom: 1.25 });
    const small = fittingView({ width: 1600, height: 300 }, BOX);
    expect([small.zoom, small.x]).toEqual([768 / 1600, 16]);
    expect(fittingView({ width: 100_000, height: 50 }, BOX)).toMatchObject({ x: 16, zoom: 0.1 });
  });

  test("it begins with all if that can be read, else with the task that matters, in words; never beside the picture", () => {
    const place = { column: 12, row: 40 };
    const small = { width: 900, height: 500 };
    expect(firstView(small, BOX, place)).toEqual(fittingView(small, BOX));
    const large = { width: 9000, height: 9000 };
    expect(firstView(large, BOX, undefined)).toEqual(fittingView(large, BOX));
    const view = firstView(large, BOX, place);
    expect(view).toEqual({
      x: 400 - (leftOf(place) + NODE.width / 2) * 0.9,
      y: 300 - (topOf(place) + NODE.height / 2) * 0.9,
      zoom: 0.9,
    });
    expect(firstView(large, BOX, { column: 0, row: 0 })).toEqual({ x: 16, y: 16, zoom: 0.9 });
    const end = { column: 99, row: 0 };
    expect(firstView(large, BOX, end)).toEqual({ x: 800 - 16 - 8100, y: 16, zoom: 0.9 });
  });

  test("what is under the pointer stays there when it zooms, and zooming ends", () => {
    const view = zoomedAt({ x: 10, y: 20, zoom: 1 }, 2, { x: 110, y: 220 });
    expect(view).toEqual({ x: -90, y: -180, zoom: 2 });
    expect(zoomedAt(view, 1000, { x: 0, y: 0 }).zoom).toBe(2.5);
    expect(zoomedAt(view, 0.0001, { x: 0, y: 0 }).zoom).toBe(0.04);
  });

  test("a task that is out of sight is brought into the middle, others stay", () => {
    const place = { column: 30, row: 3 };
    const view = showing({ x: 0, y: 0, zoom: 1 }, place, BOX);
    expect(view.x).toBe(400 - leftOf(place) - NODE.width / 2);
    expect(showing(view, place, BOX)).toEqual(view);
  });

  test("only what is near the sight is drawn, and little moves draw nothing new", () => {
    const area = seenArea({ x: 0, y: 0, zoom: 1 }, BOX);
    expect(isIn({ column: 0, row: 0 }, area)).toBe(true);
    expect(isIn({ column: 30, row: 0 }, area)).toBe(false);
    expect(seenArea({ x: -20, y: -10, zoom: 1 }, BOX)).toEqual(area);
  });

  test("a point finds its task, and keys lead along the edges", () => {
    const layout = layOut([task("a"), task("b", "a"), task("c", "a"), task("d", "b")]);
    const place = layout.places.get("c")!;
    expect(taskAt(layout.places, leftOf(place) + 5, topOf(place) + 5)).toBe("c");
    expect(taskAt(layout.places, sizeOf(layout).width + 50, 0)).toBeUndefined();
    expect(["b", "c"]).toContain(nextTask(layout, "a", "ArrowRight"));
    expect(nextTask(layout, "d", "ArrowLeft")).toBe("b");
    expect([nextTask(layout, "b", "ArrowDown") ?? nextTask(layout, "b", "ArrowUp")]).toEqual(["c"]);
    expect(nextTask(layout, "gone", "ArrowUp")).toBeUndefined();
  });
});
