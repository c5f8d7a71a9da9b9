import { expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { filesNaming } from "./grep.ts";

const FILES = { "a.js": "read('one')\n", "b c.js": "read('zwölf')\n", "d.js": "other\n", "e.js": "a\nb" };

test.each<[string, string[], string[]]>([
  ["some names", ["one", "zwölf"], ["a.js", "b c.js"]],
  ["a name that nobody has", ["nothing"], []],
  ["names with breaks: the lines of them", ["zwölf\n\nnothing\n"], ["b c.js"]],
  ["more names than git should look for: all files", numbers(101), Object.keys(FILES)],
])("T-11 finds the files of a commit with %s", async (_, names, expected) => {
  expect(await filesNaming(await newRepository(FILES), "HEAD", names)).toEqual(expected);
});

function numbers(length: number): string[] {
  return Array.from({ length }, (_, at) => `none-${at}`);
}
