import { expect, test } from "vitest";
import { isInForeground, ofStat } from "./foreground.ts";

test.each([
  ["its own group has the terminal", "4711 (node) S 1 4711 4700 34816 4711 0", true],
  ["another group has it", "4711 (node) S 1 4711 4700 34816 4700 0", false],
  ["there is no terminal", "4711 (node) S 1 4711 4700 0 -1 0", true],
  ["it has a name that looks like more fields", "4711 (a) S 1 1 1 1 1 (b) S 1 4711 4700 34816 4700 0", false],
])("a process is in the foreground or not: %s", (_why, stat, isForeground) => {
  expect(ofStat(stat)).toBe(isForeground);
});

test("whether this process is can be told on every system", () => {
  expect(typeof isInForeground()).toBe("boolean");
});
