import { appendFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { latestTexts, writeLatest } from "./latest-text.ts";

test("P-41 of many texts the latest is first, also after half of one", () => {
  const path = join(temporaryFolder(), "made", "file");
  expect(latestTexts(path)).toEqual([]);
  writeLatest(path, '{"n":1}');
  writeLatest(path, '{"n":2}');
  expect(latestTexts(path)).toEqual(['{"n":2}', '{"n":1}']);
  appendFileSync(path, '\n{"n":');
  expect(latestTexts(path)[0]).toBe('{"n":');
  writeLatest(path, '{"n":3}');
  expect(latestTexts(path)).toEqual(['{"n":3}', '{"n":', '{"n":2}', '{"n":1}']);
});

test("P-41 a file of texts does not grow for ever, and the latest is always in it", () => {
  const folder = temporaryFolder();
  const path = join(folder, "file");
  let longest = 0;
  for (let n = 0; n < 100; n += 1) {
    const text = `${n} ${"x".repeat(50_000)}`;
    writeLatest(path, text);
    longest = Math.max(longest, statSync(path).size);
    expect(latestTexts(path)[0]).toBe(text);
  }
  expect(longest).toBeLessThanOrEqual(1024 * 1024);
  expect(readdirSync(folder)).toEqual(["file"]);
});

test("a folder in the way of the file is a typed error", () => {
  expect(() => writeLatest(temporaryFolder(), "{}")).toThrow(expect.objectContaining({ kind: "io" }));
});
