import fc from "fast-check";
import { expect, test } from "vitest";
import { createTailText } from "./tail-text.ts";

function tail(pieces: readonly string[], mostBytes: number): string {
  const kept = createTailText(mostBytes);
  pieces.forEach(kept.add);
  return kept.text();
}

const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("\n", "\ufeff", "€€€\n", "a line\n", "x".repeat(50)),
);

test("a text that fits is kept as it is, however it came", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const whole = pieces.join("");
      expect(tail(pieces, Buffer.byteLength(whole) + 1)).toBe(whole);
    }),
  );
});

test("of one that does not fit, the end is kept, and no line of several is cut", () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 60 }), fc.integer({ min: 8, max: 100 }), (pieces, most) => {
      const whole = pieces.join("");
      fc.pre(Buffer.byteLength(whole) > most);
      const kept = tail(pieces, most);
      const before = whole.slice(0, whole.length - kept.length);
      expect(whole.endsWith(kept) && Buffer.byteLength(kept) <= most).toBe(true);
      expect(kept.indexOf("\n") < kept.length - 1 && kept.includes("\n") ? before.endsWith("\n") : true).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("the last lines are kept, as many as fit", () => {
  const lines = Array.from({ length: 1000 }, (_, n) => `line ${n}\n`);
  expect(tail(lines, 40)).toBe("line 996\nline 997\nline 998\nline 999\n");
  expect(tail([lines.join("")], 40)).toBe("line 996\nline 997\nline 998\nline 999\n");
});

test("what was cleared is gone", () => {
  const kept = createTailText(10);
  kept.add("0123456789abc");
  kept.clear();
  expect([kept.isEmpty(), kept.text()]).toEqual([true, ""]);
  kept.add("a\nb");
  expect([kept.isEmpty(), kept.text()]).toEqual([false, "a\nb"]);
});
