import fc from "fast-check";
import { expect, test } from "vitest";
import { charactersOf, cutText, type Span, twoSided, widthOf, wrapped } from "./spans.ts";
import { barOf, compact } from "./block.ts";

const plain = (text: string): Span => ({ text, paint: (one) => one });
const dot = (text: string): string => text;

test.each([
  ["abc", 3],
  ["日本", 4],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["…·─", 3],
])("%j takes %i columns", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test.each([
  ["abcdef", 6, "abcdef"],
  ["abcdef", 5, "abcd…"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日…"],
  ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
  ["ab", 0, ""],
  ["👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"],
])("of %j, %i columns are %j", (text, width, cut) => {
  expect(cutText(text, width)).toBe(cut);
});

test("what is cut fits, is as much as fits, and ends between two characters", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (whole, width) => {
      const cut = cutText(whole, width);
      const kept = cut === whole ? cut : cut.slice(0, -1);
      expect(widthOf(cut) <= width && whole.startsWith(kept)).toBe(true);
      expect(charactersOf(whole).slice(0, charactersOf(kept).length).join("")).toBe(kept);
    }),
  );
});

test("of two sides the left is cut, and of the right the last is left out", () => {
  const right = [[plain("one")], [plain("two")]];
  const sides = (left: string, width: number, keepsLeft = false): string =>
    twoSided({ left: [plain(left)], right, width, dot, keepsLeft });
  expect(sides("short", 20)).toBe("short      one · two");
  expect(sides("x".repeat(40), 40)).toBe(`${"x".repeat(28)}…  one · two`);
  expect(sides("x".repeat(40), 30)).toBe(`${"x".repeat(24)}…  one`);
  expect(sides("x".repeat(24), 30, true)).toBe(`${"x".repeat(24)}   one`);
  expect(sides("x".repeat(40), 22)).toBe(`${"x".repeat(21)}…`);
});

test("words go on the next line, and keep their looks", () => {
  const loud: Span = { text: "big words", paint: (text) => text.toUpperCase() };
  const lines = wrapped([plain("a few "), loud, plain(", then more")], 10, { first: [plain("- ")], rest: "  " });
  expect(lines).toEqual(["- a few", "  BIG", "  WORDS,", "  then", "  more"]);
});

test.each<readonly [string, number, readonly string[]]>([
  ["日本語のテキストです。", 10, ["日本語のテ", "キストで", "す。"]],
  ["これは「引用」です", 11, ["これは「引", "用」です"]],
  ["a日本 go/to/a/very/long/place", 8, ["a日本", "go/to/a/very/long/place"]],
  ["안녕하세요 여러분", 12, ["안녕하세요", "여러분"]],
])("of %j, lines of %i columns end where they may", (text, width, lines) => {
  expect(wrapped([plain(text)], width, { first: [], rest: "" })).toEqual(lines);
});

test("words that are wider than a line, of whatever characters, lose nothing", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", " ", "日", "か", "「", "」", "。", "🎉", "e\u0301"),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 40 }), (whole, width) => {
      const lines = wrapped([plain(whole)], width, { first: [], rest: "" });
      expect(lines.join("").replaceAll(" ", "")).toBe(whole.replaceAll(" ", ""));
    }),
  );
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1k"],
  [1234, "1.2k"],
  [64_800, "65k"],
  [999_400, "999k"],
  [999_600, "1M"],
  [2_000_000, "2M"],
  [3_400_000_000, "3.4G"],
])("%i is written as %s", (count, text) => {
  expect(compact(count)).toBe(text);
});

test("a bar is full only when all is done, and never empty once something is", () => {
  const bar = (done: number, total: number): string => {
    const { full, empty } = barOf({ done, total, failed: 0, waiting: 0 }, 10);
    return `${full}${empty}`;
  };
  expect([bar(0, 0), bar(0, 7), bar(1, 1000), bar(5, 10), bar(999, 1000), bar(7, 7)]).toEqual([
    "░░░░░░░░░░",
    "░░░░░░░░░░",
    "█░░░░░░░░░",
    "█████░░░░░",
    "█████████░",
    "██████████",
  ]);
});
