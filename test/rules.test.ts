import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TORTURES_OF_FAST_LANE } from "./torture/fast-lane.ts";
import { CASES } from "./torture/cases.ts";

// `npm test` leaves out what is exhaustive. Every rule that some test names must be named by one that is left.

const RULE = /\b(?:S\d{3}-[A-Z\d]+|(?:dag|cfg|model)-R\d+|[DPWX]-\d+)\b/g;
const OTHER_LANES = /\.(?:full|slow|real)\.test\.ts$/;

const rulesIn = (text: string): string[] => withoutComments(text).match(RULE) ?? [];

const withoutComments = (text: string): string => text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");

const files = ["src", "test"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)))
  .filter((path) => /\.(?:test|contract)\.ts$/.test(path));

const textsOf = (paths: readonly string[]): string[] => paths.map((path) => readFileSync(path, "utf8"));

/** What a file plays in both lanes. */
const inBoth = (text: string): string => text.replaceAll(/^if \(isFull\) \{$[^]*?^\}$/gm, "");

const proven = (cases: readonly { readonly proves: string }[]): string[] =>
  cases.flatMap(({ proves }) => rulesIn(proves));

test("each rule that a test names is proven in `npm test`", () => {
  const fast = new Set([
    ...textsOf(files.filter((path) => !OTHER_LANES.test(path)))
      .map(inBoth)
      .flatMap(rulesIn),
    ...proven(TORTURES_OF_FAST_LANE),
  ]);
  const all = new Set([...textsOf(files).flatMap(rulesIn), ...proven(CASES)]);
  expect(all.size).toBeGreaterThan(100);
  expect([...all].filter((rule) => !fast.has(rule))).toEqual([]);
});
