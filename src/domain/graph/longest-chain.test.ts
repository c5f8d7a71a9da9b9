import { expect, test } from "vitest";
import { longestChain } from "./longest-chain.ts";

const task = (id: string, needs: readonly string[] = [], parent?: string) => ({ id, needs, parent, isParent: false });
const parent = (id: string, needs: readonly string[] = []) => ({ ...task(id, needs), isParent: true });

test("the longest chain counts the tasks that must be done one after the other", () => {
  expect([
    longestChain([]),
    longestChain([task("a"), task("b"), task("c")]),
    longestChain([task("c", ["b"]), task("b", ["a", "gone"]), task("a"), task("d", ["a"])]),
  ]).toEqual([0, 1, 3]);
});

test("parts wait for what their parent needs, and others wait for all parts", () => {
  const section = [parent("p", ["a"]), task("p1", [], "p"), task("p2", ["p1"], "p"), task("a"), task("z", ["p"])];
  expect(longestChain(section)).toBe(4);
});

test("a chain of many tasks is no deep recursion", () => {
  const tasks = Array.from({ length: 20_000 }, (_, at) => task(String(at), at === 0 ? [] : [String(at - 1)]));
  expect(longestChain(tasks)).toBe(20_000);
});
