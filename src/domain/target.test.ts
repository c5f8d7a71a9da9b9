import { expect, test } from "vitest";
import { resolveTarget, type Target } from "./target.ts";

const unique = (id: string): Target => ({ kind: "unique", id });

test.each<[string, readonly string[], Target]>([
  ["add-x", ["01_add-x", "02_add-xy"], unique("01_add-x")],
  ["add-x", ["add-x", "01_add-x"], unique("add-x")],
  ["1", ["001_a", "010_b"], unique("001_a")],
  ["1.2", ["1.02-a", "1.20-b"], unique("1.02-a")],
  ["0", ["000_a"], unique("000_a")],
  ["a", ["b"], { kind: "none" }],
  [" ", ["b"], { kind: "none" }],
  ["a", ["ab", "ac"], { kind: "ambiguous", matches: ["ab", "ac"] }],
  ["2", ["2-1_b", "2-2_a"], { kind: "ambiguous", matches: ["2-1_b", "2-2_a"] }],
])("S002-07 %j among %j", (input, ids, expected) => {
  expect(resolveTarget(input, ids)).toEqual(expected);
});
