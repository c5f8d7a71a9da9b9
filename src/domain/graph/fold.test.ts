import { expect, test } from "vitest";
import { folded } from "./fold.ts";
import type { GraphTask } from "./graph.ts";

const task = (id: string, more: Partial<GraphTask> = {}): GraphTask => ({
  id,
  title: id,
  state: "ready",
  scope: "workspace",
  parent: undefined,
  needs: [],
  ...more,
});

const tasks = [
  task("shop"),
  task("cart", { parent: "shop" }),
  task("add", { parent: "cart", state: "done" }),
  task("pay", { parent: "cart", needs: ["add", "login"] }),
  task("login", { state: "failed" }),
  task("mail", { needs: ["pay", "gone"] }),
];

const shown = (...open: readonly string[]): unknown =>
  folded(tasks, (id) => open.includes(id)).map(({ id, needs, inside, isOpen }) =>
    [id, needs, inside?.count, inside && Object.fromEntries(inside.states), isOpen && "open"].filter(Boolean),
  );

test("a folded parent has its parts inside, and says what they need and who needs them", () => {
  expect(shown()).toEqual([
    ["shop", ["login"], 2, { done: 1, ready: 1 }],
    ["login", []],
    ["mail", ["shop"]],
  ]);
  expect(shown("shop")).toEqual([
    ["shop", [], "open"],
    ["cart", ["login"], 2, { done: 1, ready: 1 }],
    ["login", []],
    ["mail", ["cart"]],
  ]);
  expect(shown("shop", "cart")).toEqual([
    ["shop", [], "open"],
    ["cart", [], "open"],
    ["add", []],
    ["pay", ["add", "login"]],
    ["login", []],
    ["mail", ["pay"]],
  ]);
});

test("tasks that are each other's parents end no page", () => {
  const strange = [task("a", { parent: "b" }), task("b", { parent: "a" }), task("c", { parent: "c" })];
  expect(folded(strange, () => true).length).toBe(3);
  expect(() => folded(strange, () => false)).not.toThrow();
});
