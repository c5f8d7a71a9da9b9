import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineSplitter } from "./line-splitter.ts";

function split(chunks: readonly Uint8Array[], limit = 1000): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(limit, (line) => lines.push(line));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return lines;
}

test("the lines are the same however the bytes are cut", () => {
  const line = fc.string({ unit: "binary", maxLength: 30 }).map((text) => text.replaceAll(/[\r\n]/g, ""));
  fc.assert(
    fc.property(
      fc.array(line),
      fc.constantFrom("\n", "\r\n"),
      fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
      (lines, end, sizes) => {
        const bytes = Buffer.from(lines.map((text) => `${text}${end}`).join(""));
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length;) {
          const size = sizes.next().value as number;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(split(chunks)).toEqual(lines.map((text) => Buffer.from(text).toString()));
      },
    ),
  );
});

test("any bytes at all are taken", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (chunks) => {
      const feeds = Buffer.concat(chunks).filter((byte) => byte === 10).length;
      const lines = split(chunks);
      expect(lines.length - feeds === 0 || lines.length - feeds === 1).toBe(true);
    }),
  );
});

test("a line above the limit is cut, and the next is whole", () => {
  expect(split([Buffer.from("0123456789"), Buffer.from("01234\nnext\n")], 8)).toEqual(["01234567", "next"]);
});
