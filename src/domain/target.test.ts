import { expect, test } from "vitest";
import { compareIds, similarIds, resolveTarget, type Target } from "./target.ts";

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

const IDS = ["002-01_fix-login", "014-01_add-docs", "014-02_add-dogs", "add-dark-mode"];

test.each<[string, string, readonly string[]]>([
  ["a slip in the id, which is near to two", "014-01_add-dcos", ["014-01_add-docs", "014-02_add-dogs"]],
  ["a slip in the slug, which two are near", "add-doks", ["014-01_add-docs", "014-02_add-dogs"]],
  ["capitals", "ADD-DOC", ["014-01_add-docs", "014-02_add-dogs"]],
  ["a word out of the middle", "dark", ["add-dark-mode"]],
  ["what nothing is like", "payment", []],
  ["nothing", " ", []],
])("S002-07 an id that does not exist brings those that are like it: %s", (_name, input, like) => {
  expect(similarIds(input, IDS)).toEqual(like);
});

test("S002-07 at most three are named, the nearest first", () => {
  expect(similarIds("add-x", ["add-xyz", "add-y", "add-xx", "add-xy", "zadd-x"])).toEqual([
    "add-xx",
    "add-xy",
    "add-y",
  ]);
});

test("D-10 ids are in the order of their numbers", () => {
  expect(["10-1_b", "add-x", "2-10_a", "2-9_c", "002-01_d"].toSorted(compareIds)).toEqual([
    "002-01_d",
    "2-9_c",
    "2-10_a",
    "10-1_b",
    "add-x",
  ]);
});
