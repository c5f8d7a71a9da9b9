import { expect, test } from "vitest";
import { hasConflictMarkers } from "./conflict-markers.ts";

const CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
const fenced = (text: string): string => `# Merging\n\n\`\`\`text\n${text}\`\`\`\n`;

test.each([
  ["code.ts", CONFLICT],
  ["code.ts", `first\n${CONFLICT}last\n`],
  ["lines.txt", CONFLICT.replaceAll("\n", "\r\n")],
  ["three-way.txt", "<<<<<<< ours\na\n||||||| base\no\n=======\nb\n>>>>>>> theirs"],
  ["code.ts", fenced(CONFLICT)],
  ["doc.md", CONFLICT],
  ["doc.md", `${fenced("x\n")}${CONFLICT}`],
  ["doc.md", "<<<<<<< HEAD\n```js\na\n=======\n```js\nb\n```\n>>>>>>> other\n"],
  ["doc.md", "> a quote\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"],
])("L-26 all three markers in order are a conflict: %s %j", (path, text) => {
  expect(hasConflictMarkers(path, text)).toBe(true);
});

test.each([
  ["title.rst", "Title\n=======\n"],
  ["long.rst", "<<<<<<< a\nTitle\n==========\n>>>>>>> b\n"],
  ["doc.md", fenced(CONFLICT)],
  ["doc.md", `~~~~\n~~~\n${CONFLICT}~~~~\n`],
  ["doc.md", "    <<<<<<< HEAD\n    =======\n    >>>>>>> other\n"],
  ["code.ts", "<<<<<<< HEAD\na\n>>>>>>> other\n"],
  ["code.ts", ">>>>>>> other\n=======\n<<<<<<< HEAD\n"],
  ["code.ts", "<<<<<<<<<<< HEAD\n=======\n>>>>>>>>>>> other\n"],
])("L-26 examples, headings and lines in another order are none: %s %j", (path, text) => {
  expect(hasConflictMarkers(path, text)).toBe(false);
});
