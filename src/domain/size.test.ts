import fc from "fast-check";
import { expect, test } from "vitest";
import { formatSize, parseSize } from "./size.ts";

test.each([
  ["64KB", 65_536],
  ["5MB", 5_242_880],
  ["2GB", 2_147_483_648],
  ["512B", 512],
  ["512", 512],
  [4096, 4096],
])("the size %j is %d bytes", (written, bytes) => {
  expect(parseSize(written)).toBe(bytes);
});

test.each([
  ["nothing", ""],
  ["zero", "0"],
  ["zero with a unit", "0MB"],
  ["the number zero", 0],
  ["a negative number", -1],
  ["a negative text", "-1KB"],
  ["a fraction", "1.5MB"],
  ["a fractional number", 0.5],
  ["an unknown unit", "5TB"],
  ["half a unit", "5K"],
  ["a small unit", "5mb"],
  ["a blank", "5 MB"],
  ["two units", "1MB5KB"],
  ["a unit alone", "MB"],
  ["more than can be counted", "9999999999GB"],
  ["not a number", Number.NaN],
])("%s is not a size", (_name, written) => {
  expect(parseSize(written)).toBe(undefined);
});

test("a size reads back as it was written out", () => {
  const bytes = fc.oneof(
    fc.integer({ min: 1 }),
    fc.integer({ min: 1, max: 4096 }).map((count) => count * 1024 ** 2),
  );
  fc.assert(
    fc.property(bytes, (count) => {
      expect(parseSize(formatSize(count))).toBe(count);
    }),
  );
});

test.each([
  [65_536, "64KB"],
  [1000, "1000B"],
  [5_242_880, "5MB"],
  [0, "0B"],
])("%d bytes are written %s", (bytes, written) => {
  expect(formatSize(bytes)).toBe(written);
});
