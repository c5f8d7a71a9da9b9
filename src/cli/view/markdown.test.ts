import fc from "fast-check";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { printable } from "../../domain/printable.ts";
import { freshMarkdown, markdownLine, type MarkdownView, openLines } from "./markdown.ts";
import { createPalette, type Palette } from "./palette.ts";
import { widthOf } from "./spans.ts";

/** Looks as words, so that a test can read them. */
const named: Palette = {
  hasColors: true,
  plain: (text) => text,
  strong: (text) => `<b>${text}</b>`,
  faint: (text) => `<f>${text}</f>`,
  heading: (text) => `<h>${text}</h>`,
  code: (text) => `<c>${text}</c>`,
  emphasis: (text) => `<i>${text}</i>`,
  good: (text) => text,
  bad: (text) => text,
  attention: (text) => text,
  cursor: (text) => text,
};

function rendered(
  text: string,
  { palette = named, width = 60, indent = "", diffs = "whole" }: Partial<MarkdownView> = {},
): string[] {
  let state = freshMarkdown;
  const lines = text.split("\n").flatMap((line) => {
    const after = markdownLine(state, line, { palette, width, indent, diffs });
    state = after.state;
    return after.lines;
  });
  return [...lines, ...openLines(state, { palette, width, indent, diffs })];
}

describe("Markdown for terminals", () => {
  test.each([
    ["# Title #", ["<h>Title</h>"]],
    ["#no heading", ["#no heading"]],
    ["some `code`, **strong** and *soft* words", ["some <c>code</c>, <b>strong</b> and <i>soft</i> words"]],
    ["``a ` b`` and 2 * 3 * 4, snake_case_name, **/*.ts", ["``a ` b`` and 2 * 3 * 4, snake_case_name, **/*.ts"]],
    ["a_b_c 2 * 3 * 4 **/*.ts ** x **", ["a_b_c 2 * 3 * 4 **/*.ts ** x **"]],
    ["see [the guide](https://e.org/a)", ["see the guide<f> (https://e.org/a)</f>"]],
    ["- one\n  * two\n3. three", ["<f>•</f> one", "  <f>•</f> two", "<f>3.</f> three"]],
    ["> said", ["<f>│ said</f>"]],
    ["---", [`<f>${"─".repeat(20)}</f>`]],
    ["| a | `b` |", ["| a | <c>b</c> |"]],
    [
      "| file | what |\n|:--|--:|\n| `日本.ts` | a \\| b |\n|c|\n\nafter",
      ["<b>file</b>     <b>what</b>", "<f>───────  ─────</f>", "<c>日本.ts</c>  a | b", "c", "", "after"],
    ],
    [`|${"a".repeat(61)}|\n|-|\n|b|`, [`|${"a".repeat(61)}|`, "|-|", "|b|"]],
    [
      "```ts\nlet *a* = `b`;\n\n```\nafter *it*",
      ["<f>│ ts</f>", "<f>│ </f><c>let *a* = `b`;</c>", "<f>│ </f><c></c>", "after <i>it</i>"],
    ],
    ["~~~\n```\n~~~\nend", ["<f>│ </f><c>```</c>", "end"]],
    ["``` not a `fence`", ["``` not a <c>fence</c>"]],
    ["<task-done>t-1</task-done>", ["<task-done>t-1</task-done>"]],
    ["", [""]],
  ])("%j", (text, lines) => {
    expect(rendered(text)).toEqual(lines);
  });

  test("words are wrapped, with what belongs to an item under it", () => {
    expect(rendered("- one two `three four` five", { width: 12, indent: "  " })).toEqual([
      "  <f>•</f> one two",
      "    <c>three</c>",
      "    <c>four</c>",
      "    five",
    ]);
  });

  test.each(["", "\n```\nend"])("a diff is shown by its numbers, unless it is wanted whole: %j", (rest) => {
    const diff = `\`\`\`diff\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n d${rest}`;
    const end = rest === "" ? [] : ["end"];
    expect(rendered(diff, { diffs: "counts" })).toEqual(["<f>│ diff: 2 lines added, 1 removed</f>", ...end]);
    expect(rendered(diff).length).toBe(8 + end.length);
  });

  test("without looks, the marks stay that tell code and emphasis from words", () => {
    const palette = createPalette(false);
    expect(rendered("## A **b** `c`\n- [d](e)", { palette })).toEqual(["A **b** `c`", "• d (e)"]);
  });

  const line = fc
    .array(
      fc.oneof(
        fc.constantFrom(...Array.from("*_`#>-+|[]()~ 12.ab\t"), "```", "**", "日本", "e\u0301", "\u001b[31m"),
        fc.string(),
      ),
    )
    .map((parts) => parts.join("").replaceAll("\n", " "));

  test("no text gets lost, whatever it is", () => {
    const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}\p{So}]/gu, "");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.integer({ min: 5, max: 80 }), (lines, width) => {
        const text = printable(lines.join("\n"));
        for (const palette of [createPalette(true), createPalette(false)]) {
          const shown = stripVTControlCharacters(rendered(text, { palette, width }).join("\n"));
          expect(letters(shown.replaceAll(/[│─]/g, ""))).toBe(letters(text.replaceAll(/[│─]/g, "")));
        }
      }),
    );
  });

  test("W-04 no escape gets out that is not the palette's own", () => {
    // eslint-disable-next-line no-control-regex
    const own = /\u001b\[(?:1|2|3|4|7|22|23|24|27|3[1236]|39)m/g;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const text = printable(lines.join("\n"));
        const shown = rendered(text, { palette: createPalette(true) }).join("\n");
        expect(printable(shown.replaceAll(own, ""))).toBe(shown.replaceAll(own, ""));
        expect(rendered(text, { palette: createPalette(false) }).join("\n")).not.toContain("\u001b");
      }),
    );
  });

  test("prose is never wider than it may be, unless a word is", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z*`日]{1,8}$/), { maxLength: 30 }), (words) => {
        fc.pre(!words[0]?.startsWith("```")); // opens a fence, whose first line is no prose
        for (const shown of rendered(words.join(" "), { palette: createPalette(true), width: 24 })) {
          const plain = stripVTControlCharacters(shown);
          expect(widthOf(plain) <= 24 || !plain.trim().includes(" ")).toBe(true);
        }
      }),
    );
  });

  test("a hostile line takes no time worth speaking of, and comes out whole", () => {
    for (const part of ["**a", "[a](", "`a", "[", "*a ", "a `", "_a"]) {
      for (const length of [4000, 500_000]) {
        const text = part.repeat(length / part.length);
        expect(rendered(text, { palette: createPalette(false), width: 1e9 }).map((line) => line.trimEnd())).toEqual([
          text.trimEnd(),
        ]);
      }
    }
  });
});
