import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineSplitter, type LongLine } from "./line-splitter.ts";
import { anyText } from "../../test/any-text.ts";

/** What a splitter says, in order. */
function split(chunks: readonly Uint8Array[], limitBytes = 1000): (string | LongLine)[] {
  const said: (string | LongLine)[] = [];
  const splitter = createLineSplitter({
    limitBytes,
    onLine: (line) => said.push(line),
    onLongLine: (line) => said.push(line),
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return said;
}

/** The same, from all bytes at once and as plainly as it can be said. */
function expected(bytes: Buffer, limitBytes: number): (string | LongLine)[] {
  const said: (string | LongLine)[] = [];
  // One character per byte.
  const all = bytes.toString("latin1").split("\n");
  let offset = 0;
  for (const [index, line] of all.entries()) {
    const raw = Buffer.from(line, "latin1");
    const isLast = index === all.length - 1;
    if (raw.length > limitBytes) {
      const head = raw
        .subarray(0, Math.min(1024, limitBytes))
        .toString()
        .replace(/\ufffd+$/, "");
      said.push({ bytes: raw.length, offset, head });
    } else if (!isLast || raw.length > 0) said.push(Buffer.from(line.replace(/\r$/, ""), "latin1").toString());
    offset += raw.length + 1;
  }
  return said;
}

/** Cuts bytes into chunks of the given sizes, and so on from the first. */
function cutBy(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const sizes = (max: number) => fc.array(fc.integer({ min: 1, max }), { minLength: 1 });

/** Bytes as agents print them: texts, ends of lines of both kinds, NUL, and what is no UTF-8. */
const output = fc
  .array(
    fc.oneof(
      anyText({ maxLength: 30 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom("\n", "\r\n", "\r", "\0", "€", "\n\n").map((text) => Buffer.from(text)),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => Buffer.concat(pieces));

describe("lines", () => {
  test("are the same however the bytes are cut, also where some are too long", () => {
    fc.assert(
      fc.property(output, sizes(9), fc.integer({ min: 1, max: 40 }), (bytes, cuts, limit) => {
        expect(split(cutBy(bytes, cuts), limit)).toEqual(expected(bytes, limit));
      }),
      { numRuns: 500 },
    );
  });

  test("are the same when they need more room than a chunk gives", () => {
    const part = fc.oneof(fc.integer({ min: 1, max: 200_000 }), fc.constantFrom(149_999, 150_000, 150_001));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), sizes(70_000), (lengths, cuts) => {
        const bytes = Buffer.from(lengths.map((length, n) => `${String(n).repeat(length)}\n`).join(""));
        const chunks = cutBy(bytes, [...cuts, 10_000]);
        expect(split(chunks, 150_000)).toEqual(expected(bytes, 150_000));
      }),
      { numRuns: 30 },
    );
  });

  test("end with LF or CRLF, and the last one with nothing at all", () => {
    expect(split([Buffer.from("one\r\n\r\ntwo\nthree\rfour\r\r\nfive\r")])).toEqual([
      "one",
      "",
      "two",
      "three\rfour\r",
      "five",
    ]);
  });

  test("that are not UTF-8 have U+FFFD in them, and NUL is a character like others", () => {
    expect(split([Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82, 0x0a, 0x00, 0x0a])])).toEqual(["a\ufffdb\ufffd", "\0"]);
  });
});

describe("a line above the limit", () => {
  test("is told by its length, its place and its beginning, and the next is whole", () => {
    expect(split([Buffer.from("first\n01234567"), Buffer.from("8\n01234567\nnext\n")], 8)).toEqual([
      "first",
      { bytes: 9, offset: 6, head: "01234567" },
      "01234567",
      "next",
    ]);
  });

  test("is told also when it never ends", () => {
    expect(split([Buffer.from("0123"), Buffer.from("456789")], 8)).toEqual([
      { bytes: 10, offset: 0, head: "01234567" },
    ]);
  });

  test("begins with whole characters", () => {
    expect(split([Buffer.from("€€€€")], 8)).toEqual([{ bytes: 12, offset: 0, head: "€€" }]);
  });
});
