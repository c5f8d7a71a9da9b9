import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

test.each([
  ["30s", 30_000],
  ["5m", 300_000],
  ["1m30s", 90_000],
  ["2h", 7_200_000],
  ["1h30m15s", 5_415_000],
  ["1h5s", 3_605_000],
  ["90", 90_000],
  [90, 90_000],
  ["0h5m", 300_000],
  ["120s", 120_000],
])("the duration %j is %d ms", (written, ms) => {
  expect(parseDuration(written)).toBe(ms);
});

test.each([
  ["nothing", ""],
  ["zero", "0"],
  ["zero seconds", "0s"],
  ["zero in every unit", "0h0m0s"],
  ["the number zero", 0],
  ["a negative number", -5],
  ["a negative text", "-5s"],
  ["a plus sign", "+5s"],
  ["a fraction", "1.5h"],
  ["a fractional number", 1.5],
  ["days", "1d"],
  ["milliseconds", "500ms"],
  ["a capital unit", "5M"],
  ["units that ascend", "30s5m"],
  ["a unit twice", "1m1m"],
  ["a unit alone", "m"],
  ["a number after a unit", "1m30"],
  ["a blank", "5 m"],
  ["a line feed", "5m\n"],
  ["not a number", Number.NaN],
  ["infinity", Number.POSITIVE_INFINITY],
  ["an exponent", 1e21],
  ["more than can be counted", "99999999999999999h"],
])("%s is not a duration", (_name, written) => {
  expect(parseDuration(written)).toBe(undefined);
});

test("a duration reads back as it was written out", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (seconds) => {
      expect(parseDuration(formatDuration(seconds * 1000))).toBe(seconds * 1000);
    }),
  );
});

test("parsing never throws, and yields whole positive milliseconds or nothing", () => {
  const written = fc.oneof(fc.string(), fc.double(), fc.stringMatching(/^[0-9hms.]{0,12}$/));
  fc.assert(
    fc.property(written, (text) => {
      const ms = parseDuration(text);
      expect(ms === undefined || (Number.isSafeInteger(ms) && ms > 0)).toBe(true);
    }),
  );
});

test.each([
  [5_400_000, "1h30m"],
  [45_000, "45s"],
  [0, "0s"],
  [1400, "1s"],
])("%d ms is written %s", (ms, written) => {
  expect(formatDuration(ms)).toBe(written);
});
