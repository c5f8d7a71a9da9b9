import { appendFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { journalEntries, appendEntry } from "./append-journal.ts";

test("P-41 of many texts the latest is first, also after half of one", () => {
  const path = join(temporaryFolder(), "made", "file");
  expect(journalEntries(path)).toEqual([]);
  appendEntry(path, '{"n":1}');
  appendEntry(path, '{"n":2}');
  expect(journalEntries(path)).toEqual(['{"n":2}', '{"n":1}']);
  appendFileSync(path, '\n{"n":');
  expect(journalEntries(path)[0]).toBe('{"n":');
  appendEntry(path, '{"n":3}');
  expect(journalEntries(path)).toEqual(['{"n":3}', '{"n":', '{"n":2}', '{"n":1}']);
});

test("P-41 a file of texts does not grow for ever, and the latest is always in it", () => {
  const folder = temporaryFolder();
  const path = join(folder, "file");
  let longest = 0;
  for (let n = 0; n < 100; n += 1) {
    const text = `${n} ${"x".repeat(50_000)}`;
    appendEntry(path, text);
    longest = Math.max(longest, statSync(path).size);
    expect(journalEntries(path)[0]).toBe(text);
  }
  expect(longest).toBeLessThanOrEqual(1024 * 1024);
  expect(readdirSync(folder)).toEqual(["file"]);
});

test("a folder in the way of the file is a typed error", () => {
  expect(() => appendEntry(temporaryFolder(), "{}")).toThrow(expect.objectContaining({ kind: "io" }));
});
