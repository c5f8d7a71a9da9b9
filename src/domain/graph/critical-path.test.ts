import { expect, test } from "vitest";
import type { GraphTask } from "./graph.ts";
import { criticalPath } from "./critical-path.ts";

const task = (id: string, needs: readonly string[] = [], more: Partial<GraphTask> = {}): GraphTask => ({
  id,
  title: id,
  state: "ready",
  scope: "workspace",
  parent: undefined,
  needs,
  ...more,
});

test("U-10 the critical path is a longest chain of open tasks, first to last", () => {
  expect(criticalPath([])).toEqual([]);
  expect(criticalPath([task("a"), task("b", ["a"]), task("c", ["b"]), task("d", ["a"])])).toEqual(["a", "b", "c"]);
  expect(criticalPath([task("a", [], { state: "done" }), task("b", ["a"]), task("c")])).toEqual(["b"]);
});

test("U-10 the parts of a parent wait for what it needs, and what needs it waits for them", () => {
  const tasks = [
    task("first"),
    task("whole", ["first"]),
    task("part", [], { parent: "whole" }),
    task("last", ["whole"]),
    task("other", ["first"]),
  ];
  expect(criticalPath(tasks)).toEqual(["first", "part", "last"]);
});
