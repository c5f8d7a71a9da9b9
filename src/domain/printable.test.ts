import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableLine } from "./printable.ts";

test.each([
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]0;a new title\u0007words", "words"],
  ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u009b2Jcleared", "cleared"],
  ["\u001bPdevice\u001b\\words", "words"],
  ["\u001bcreset", "reset"],
  ["half \u001b", "half \ufffd"],
  ["bell\u0007 and back\u0008", "bell\ufffd and back\ufffd"],
  ["one\r\ntwo\tthree\rfour", "one\ntwo\tthree\ufffdfour"],
  ["right\u202eto left\u2066", "right\ufffdto left\ufffd"],
  ["lone \ud83d half", "lone \ufffd half"],
  ["👩‍💻 ünï 漢字 \u200fעברית", "👩‍💻 ünï 漢字 \u200fעברית"],
])("W-04 %j is printed as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("W-04 nothing that steers a terminal gets through, whatever it is made of", () => {
  const units = ["\u001b", "[", "]", "0", ";", "m", "\u0007", "\u009b", "\u009d", "\\", "\u202e", "\r", "\n", "x", "P"];
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...units), maxLength: 40 }), (text) => {
      expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      expect(printable(printable(text))).toBe(printable(text));
    }),
  );
});

test("a line stays one line", () => {
  expect(printableLine(" two\n\n lines\u2028and\ta tab ")).toBe("two lines and a tab");
});

test("takes linear time for unfinished sequences", () => {
  const start = performance.now();
  printable("\u001b]".repeat(200_000));
  expect(performance.now() - start).toBeLessThan(2_000);
});
