import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { eachLine, firstLineOf, lastLineOf } from "./file-lines.ts";

const LONG = "x".repeat(20_000);

test.each([
  ["one\n", "one", "one"],
  ["one\ntwo\n", "one", "two"],
  ["one\ntwo\nhal", "one", "two"],
  [`${LONG}\nmiddle\n${LONG}y\n`, LONG, `${LONG}y`],
  [`${LONG}\n${LONG}\nh`, LONG, LONG],
  ["half", undefined, undefined],
  ["", undefined, undefined],
  ["\n", "", ""],
])("the first and the last whole line of %j are found without reading what lies between", (text, first, last) => {
  const path = join(temporaryFolder(), "log");
  writeFileSync(path, text);
  expect([firstLineOf(path), lastLineOf(path)]).toEqual([first, last]);
});

test("what is not there, or is no file, has no lines", () => {
  const none = join(temporaryFolder(), "none");
  expect([firstLineOf(none), lastLineOf(none), firstLineOf(temporaryFolder())]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

const linesOf = (path: string, isWanted: (head: string) => boolean = () => true): string[] => {
  const lines: string[] = [];
  eachLine(path, { isWanted, onLine: (line) => lines.push(line) });
  return lines;
};

test("whole lines that are wanted are handed on, wherever the pieces end; half of one is not", () => {
  const path = join(temporaryFolder(), "log");
  const all = Array.from(
    { length: 5000 },
    (_, n) => `${n % 2 === 0 ? "even" : "odd"} ${"\u00e4".repeat(n % 300)} ${n}`,
  );
  writeFileSync(path, `${all.join("\n")}\nhalf of a li`);
  expect(linesOf(path)).toEqual(all);
  expect(linesOf(path, (head) => head.startsWith("odd"))).toEqual(all.filter((line) => line.startsWith("odd")));
});

test("a line that is longer than anything of ours is left out, and those around it are not", () => {
  const path = join(temporaryFolder(), "log");
  writeFileSync(path, `one\n${"x".repeat(3_000_000)}\ntwo\n`);
  expect([linesOf(path), linesOf(join(temporaryFolder(), "none"))]).toEqual([["one", "two"], []]);
});
