import { expect, test } from "vitest";
import { isOlder, readVersion } from "./program-version.ts";

test.each([
  ["2.1.325 (Claude Code)\n", "2.1.325"],
  ["codex-cli 0.166.0\n", "0.166.0"],
  ["v1.18.33", "1.18.33"],
  ["0.0.1790142911-g7618fb (released 2 days ago)", "0.0.1790142911"],
  ["1.2.3-beta.4", "1.2.3"],
  ["version unknown", undefined],
  ["1.2", undefined],
  ["", undefined],
])("%j says the version %s", (text, version) => {
  expect(readVersion(text)).toBe(version);
});

test("versions are compared by their numbers", () => {
  const pairs = [
    ["2.1.197", "2.1.325"],
    ["2.1.325", "2.1.325"],
    ["2.2.0", "2.1.325"],
    ["0.99.9", "0.166.0"],
    ["10.0.0", "9.9.9"],
  ] as const;
  expect(pairs.map(([left, right]) => isOlder(left, right))).toEqual([true, false, false, true, false]);
});
