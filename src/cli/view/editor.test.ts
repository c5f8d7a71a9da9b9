import fc from "fast-check";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { editorLine, type Editor, emptyEditor, textOf, withKey, withText } from "./editor.ts";
import { type Key, readKeys } from "./key-handler.ts";
import { createPalette } from "./palette.ts";
import { widthOf } from "./spans.ts";
import { byLane } from "../../../test/lane.ts";
import { anyText } from "../../../test/any-text.ts";

const typed = (sent: string): Editor =>
  readKeys(sent).reduce(
    (editor, key) =>
      key.kind === "text" ? withText(editor, key.text) : key.kind === "edit" ? withKey(editor, key.key) : editor,
    emptyEditor,
  );

test.each([
  ["abc", "abc"],
  ["abc\u007f\bd", "ad"],
  ["ac\u001b[Db", "abc"],
  ["bc\u0001a\u0005d", "abcd"],
  ["bc\u001b[Ha\u001bOFd", "abcd"],
  ["abc\u001b[1~\u001b[3~", "bc"],
  ["abc\u0001\u0004", "bc"],
  ["one two  \u0017three", "one three"],
  ["gone\u0015here", "here"],
  ["日本\u007f語", "日語"],
  ["e\u0301\u007fx", "x"],
  ["a\tb", "a b"],
  ["a\u001b[A\u001b[1;5C\u001bxb", "ab"],
  ["\u0001\u007f\u001b[C\u001b[3~", ""],
])("%j is %j", (sent, text) => {
  expect(textOf(typed(sent))).toBe(text);
});

describe("keys", () => {
  test.each<[string, Key["kind"][]]>([
    ["\r", ["enter"]],
    ["\n", ["enter"]],
    ["\u001b", ["escape"]],
    ["a\u0003", ["text", "interrupt"]],
    ["\u001a\u001c\u000c", ["suspend", "quit", "redraw"]],
    ["\u0000\u0006", []],
  ])("%j", (sent, kinds) => {
    expect(readKeys(sent).map(({ kind }) => kind)).toEqual(kinds);
  });

  test("W-04 nothing that is sent comes back as a control character, and none of it throws", () => {
    const sent = fc.oneof(anyText(), fc.stringMatching(/^[\u001b[O;0-9~A-Da-z\u0080-\u009f]*$/));
    fc.assert(
      fc.property(sent, fc.integer({ min: 10, max: 100 }), (text, width) => {
        const editor = typed(text);
        const line = stripVTControlCharacters(editorLine(editor, createPalette(true), width));
        // eslint-disable-next-line no-control-regex
        expect(/[\u0000-\u001f\u007f-\u009f]/.test(line)).toBe(false);
        expect(editor.at >= 0 && editor.at <= editor.characters.length).toBe(true);
      }),
      { numRuns: byLane(10, 40) },
    );
  });
});

test("a long line is shown around its cursor, and fits", () => {
  const editor = typed("0123456789".repeat(10));
  const shown = (one: Editor): string => stripVTControlCharacters(editorLine(one, createPalette(true), 60));
  expect(shown(editor)).toBe(`Tell the next iteration: ${"0123456789".repeat(10).slice(-34)} `);
  expect(shown(withKey(editor, "home"))).toBe(`Tell the next iteration: ${"0123456789".repeat(4).slice(0, 34)}…`);
  expect([shown(editor), shown(withKey(editor, "home"))].map(widthOf)).toEqual([60, 60]);
});
