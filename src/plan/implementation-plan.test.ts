import { describe, expect, test } from "vitest";
import { implementationPlan } from "./checkboxes.ts";
import { planContract, textOfLines } from "./plan.contract.ts";
import type { PlanEntry } from "./plan.ts";

planContract(
  implementationPlan,
  textOfLines([
    "# Plan",
    "## Phase 1: Setup",
    "### 1.2 Deep",
    "Underlined",
    "------",
    "- [ ] Add login",
    "- [x] 1.2 Add logout (needs: 1.1)",
    "* [X] **AUTH-3**: Tokens",
    "+ [-] ~~Drop it~~",
    "1. [>] T012 Started",
    "  - [ ] nested",
    "\t- [ ] tabbed",
    "   - [~] odd",
    "        - [ ] far",
    "  - plain note",
    "  some text",
    "",
    "```",
    "~~~~",
    "> - [ ] quoted",
    "<!-- comment",
    "-->",
    "- [ ] Title <!-- id: foo -->",
    "- [ ]",
    "- [x](link)",
  ]),
);

const read = (text: string): readonly PlanEntry[] => implementationPlan.read(text).entries;
const titles = (text: string): string[] => read(text).map(({ title }) => title);

/** Each task as its titles from the outside in. */
function paths(text: string): string[] {
  const entries = read(text);
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const pathOf = (entry: PlanEntry): string =>
    entry.parentKey === undefined ? entry.title : `${pathOf(byKey.get(entry.parentKey)!)} > ${entry.title}`;
  return entries.filter(({ kind }) => kind === "task").map(pathOf);
}

const PLAN = `# Implementation plan

Everything for the first release.

## Phase 1: Accounts

- [x] T001 Create the users table
- [ ] T002 Sign up with e-mail
  Use the existing mailer.
  - Acceptance: a mail arrives within a minute
    - the link works once
    - the link expires
  - Depends on: T001
  - [ ] Form
  - [-] Captcha
- [>] **AUTH-3**: Password reset (needs: T001, T002)

## Phase 2: Nothing yet

## Notes

- remember the milk
`;

test("a plan becomes entries below the headings that hold them", () => {
  const { entries, notices } = implementationPlan.read(PLAN);
  const [plan, phase] = entries.map(({ key }) => key);
  const line = (needle: string): number => PLAN.slice(0, PLAN.indexOf(needle)).split("\n").length;
  const mark = (needle: string) => ({ start: PLAN.indexOf(needle) + 3, end: PLAN.indexOf(needle) + 4 });
  const bare = { description: "", acceptance: [], needs: [] };
  expect(notices).toEqual([]);
  expect(entries).toEqual([
    {
      ...bare,
      key: plan,
      kind: "group",
      title: "Implementation plan",
      description: "Everything for the first release.",
      status: "open",
      line: 1,
    },
    { ...bare, key: phase, kind: "group", title: "Phase 1: Accounts", status: "open", parentKey: plan, line: 5 },
    {
      ...bare,
      key: "id:T001",
      kind: "task",
      id: "T001",
      title: "Create the users table",
      status: "done",
      parentKey: phase,
      line: 7,
      mark: mark("- [x] T001"),
    },
    {
      key: "id:T002",
      kind: "task",
      id: "T002",
      title: "Sign up with e-mail",
      description:
        "Use the existing mailer.\n- Acceptance: a mail arrives within a minute\n  - the link works once\n  - the link expires\n- Depends on: T001",
      acceptance: ["a mail arrives within a minute", "the link works once", "the link expires"],
      status: "open",
      parentKey: phase,
      needs: ["id:T001"],
      line: 8,
      mark: mark("- [ ] T002"),
    },
    {
      ...bare,
      key: entries[4]!.key,
      kind: "task",
      title: "Form",
      status: "open",
      parentKey: "id:T002",
      line: 14,
      mark: mark("- [ ] Form"),
    },
    {
      ...bare,
      key: entries[5]!.key,
      kind: "task",
      title: "Captcha",
      status: "dropped",
      parentKey: "id:T002",
      line: line("- [-]"),
      mark: mark("- [-]"),
    },
    {
      ...bare,
      key: "id:AUTH-3",
      kind: "task",
      id: "AUTH-3",
      title: "Password reset",
      status: "started",
      parentKey: phase,
      needs: ["id:T001", "id:T002"],
      line: line("- [>]"),
      mark: mark("- [>]"),
    },
  ]);
});

describe("marks", () => {
  test.each([
    ["- [ ] a", "open"],
    ["* [x] a", "done"],
    ["+ [X] a", "done"],
    ["1. [ ] a", "open"],
    ["12) [x] a", "done"],
    ["- [-] a", "dropped"],
    ["- [>] a", "started"],
    ["- [~] a", "started"],
    ["- [!] a", "open"],
    ["-   [x]   a", "done"],
    ["\uFEFF- [x] a", "done"],
    ["- [x] a   \r\n", "done"],
  ])("%j is %s", (text, status) => {
    expect(read(text).map((entry) => [entry.title, entry.status])).toEqual([["a", status]]);
  });

  test.each([
    "- [ ]",
    "- [ ]   ",
    "- [x](url)",
    "- [x]: url",
    "-[ ] a",
    "[ ] a",
    "- [y] a",
    "- [] a",
    "- [xx] a",
    "a - [ ] b",
  ])("%j is no entry", (text) => {
    expect(read(text)).toEqual([]);
  });
});

describe("ids", () => {
  test.each([
    ["1.2 Title", "1.2", "Title"],
    ["1.2.3. Title", "1.2.3", "Title"],
    ["**1.2** Title", "1.2", "Title"],
    ["1.2: title", "1.2", "title"],
    ["T012 Title", "T012", "Title"],
    ["**AUTH-3**: Title", "AUTH-3", "Title"],
    ["**AUTH-3:** Title", "AUTH-3", "Title"],
    ["AUTH-3: Title", "AUTH-3", "Title"],
    ["[t-1a2b3c4d] Title", "t-1a2b3c4d", "Title"],
    ["[R6] Add `parse`", "R6", "Add `parse`"],
    ["t-1a2b3c4d Title", "t-1a2b3c4d", "Title"],
    ["Title <!-- id: foo.bar-1 -->", "foo.bar-1", "Title"],
    ["Title <!-- note --> <!-- id: foo --> <!-- more -->", "foo", "Title"],
    ["2 factor login", undefined, "2 factor login"],
    ["3.5 mm jack", undefined, "3.5 mm jack"],
    ["1. Title", undefined, "1. Title"],
    ["UTF-8 decoding", undefined, "UTF-8 decoding"],
    ["HTTP2: enable", undefined, "HTTP2: enable"],
    ["[P1] Urgent", undefined, "[P1] Urgent"],
    ["[API] Add route", undefined, "[API] Add route"],
    ["[R6](url) Add", undefined, "[R6](url) Add"],
    ["**Login**: form", undefined, "**Login**: form"],
    ["T012", undefined, "T012"],
    ["Parse `<!-- id: x -->`", undefined, "Parse `<!-- id: x -->`"],
    ["Title <!-- note -->", undefined, "Title"],
  ])("%s", (text, id, title) => {
    expect(read(`- [ ] ${text}`).map((entry) => [entry.id, entry.title])).toEqual([[id, title]]);
  });

  test("an id that two entries claim identifies neither, and both keep their words", () => {
    const { entries, notices } = implementationPlan.read("- [ ] [US1] Sign in\n- [ ] [US1] Sign out\n");
    expect(entries.map(({ id, title }) => [id, title])).toEqual([
      [undefined, "[US1] Sign in"],
      [undefined, "[US1] Sign out"],
    ]);
    expect(notices).toEqual([
      { line: 2, message: "The id US1 is used twice (first in line 1): it identifies neither entry" },
    ]);
  });
});

describe("needs", () => {
  test.each([
    ["(needs: T001)", ["id:T001"], "X"],
    ["(depends on T001, T002)", ["id:T001", "id:T002"], "X"],
    ["(blocked by: T002)", ["id:T002"], "X"],
    ["(needs: more thought)", [], "X (needs: more thought)"],
    ["(needs: T001 and a half)", [], "X (needs: T001 and a half)"],
    ["(needs: T009)", [], "X (needs: T009)"],
    ["(needs: T003)", [], "X"],
  ])("%s", (words, needs, title) => {
    const entry = read(`- [ ] T001 A\n- [ ] T002 B\n- [ ] T003 X ${words}\n`)[2]!;
    expect([entry.needs, entry.title]).toEqual([needs, title]);
  });

  test("what can never come first is left out and told", () => {
    const { entries, notices } = implementationPlan.read(
      "- [ ] T001 A\n  - Needs: T002, T009\n  - [ ] T002 B (needs: T001)\n",
    );
    expect(entries.map(({ needs }) => needs)).toEqual([[], []]);
    expect(notices).toEqual([
      { line: 1, message: "Ignored the need for T002: an entry cannot need itself, its parent or its parts" },
      { line: 1, message: "It needs T009, which is not in this file" },
      { line: 3, message: "Ignored the need for T001: an entry cannot need itself, its parent or its parts" },
    ]);
  });
});

describe("nesting", () => {
  test.each([
    ["two spaces", "- [ ] a\n  - [ ] b\n    - [ ] c\n- [ ] d", ["a", "a > b", "a > b > c", "d"]],
    ["tabs", "- [ ] a\n\t- [ ] b\n\t\t- [ ] c\n\t- [ ] d", ["a", "a > b", "a > b > c", "a > d"]],
    ["two below a number", "1. [ ] a\n  - [ ] b\n2. [ ] c", ["a", "a > b", "c"]],
    ["one space is beside", "- [ ] a\n - [ ] b\n- [ ] c", ["a", "b", "c"]],
    ["steps of eight", "- [ ] a\n        - [ ] b\n\n        - [ ] c", ["a", "a > b", "a > c"]],
    ["back by half", "- [ ] a\n      - [ ] b\n   - [ ] c", ["a", "a > b", "a > c"]],
    ["plain bullets between", "- [ ] a\n  - words\n    - [ ] b\n- words\n  - [ ] c", ["a", "a > b", "c"]],
    ["blank lines between", "- [ ] a\n\n  - [ ] b\n\n  text\n\n  - [ ] c", ["a", "a > b", "a > c"]],
    ["headings end lists", "- [ ] a\n# H\n  - [ ] b", ["a", "H > b"]],
    ["levels skip", "# A\n### B\n- [ ] b\n## C\n- [ ] c", ["A > B > b", "A > C > c"]],
    ["closing hashes and underlines", "A\n===\n## B ##\n- [ ] b\n\nC\n---\n- [ ] c", ["A > B > b", "A > C > c"]],
  ])("%s", (_name, text, expected) => {
    expect(paths(text)).toEqual(expected);
    expect(paths(text.replaceAll("\n", "\r\n"))).toEqual(expected);
  });
});

describe("what is no entry", () => {
  test.each([
    ["a fence", "```\n- [ ] no\n```\n- [ ] yes", ["yes"]],
    ["a longer fence", "````\n```\n- [ ] no\n````\n- [ ] yes", ["yes"]],
    ["a tilde fence", "~~~ md\n```\n- [ ] no\n~~~\n- [ ] yes", ["yes"]],
    ["inline code is no fence", "```x```\n- [ ] yes", ["yes"]],
    ["a fence in an item", "- [ ] yes\n  ```\n  - [ ] no\n  ```\n- [ ] also", ["yes", "also"]],
    ["an unclosed fence ends with its item", "- [ ] yes\n  ```\n  - [ ] no\n- [ ] also", ["yes", "also"]],
    ["a comment", "<!--\n- [ ] no\n-->\n- [ ] yes", ["yes"]],
    ["a comment of one line", "<!-- - [ ] no -->\n- [ ] yes", ["yes"]],
    ["a quotation", "> - [ ] no\n- [ ] yes", ["yes"]],
    ["indented code", "text\n\n    - [ ] no\n\n- [ ] yes", ["yes"]],
    ["indented code in an item", "- [ ] yes\n\n      - [ ] no\n", ["yes"]],
    ["front matter", "---\nsteps:\n- [ ] no\n---\n- [ ] yes", ["yes"]],
    ["a rule on top is no front matter", "---\n- [ ] yes\n---\n- [ ] also", ["yes", "also"]],
  ])("%s", (_name, text, expected) => {
    expect(titles(text)).toEqual(expected);
  });

  test("what swallows the rest of the file is told", () => {
    expect(implementationPlan.read("- [ ] a\n\n```\n- [ ] b")).toMatchObject({
      notices: [{ line: 3, message: "A code fence opens here and is never closed: the rest is code" }],
    });
    expect(implementationPlan.read("<!-- \n- [ ] b")).toMatchObject({
      notices: [{ line: 1, message: "A comment opens here and is never closed: the rest is part of it" }],
    });
  });
});

describe("writing", () => {
  test("dag-R6 P-50 only the marks change, and a started one is never written", () => {
    const text = "\uFEFF# P\r\n* [ ] T001 a  \r\n\t+ [>] T002 b\r\n1. [X] T003 c\r\n- [-] T004 d";
    const marks = new Map([
      ["id:T001", "done"],
      ["id:T002", "parked"],
      ["id:T003", "dropped"],
      ["id:T004", "open"],
    ] as const);
    expect(implementationPlan.write(text, marks)).toBe(
      "\uFEFF# P\r\n* [x] T001 a  \r\n\t+ [ ] T002 b\r\n1. [-] T003 c\r\n- [ ] T004 d",
    );
  });

  test("a heading has no mark", () => {
    const { key } = read("# Plan\n- [ ] a")[0]!;
    expect(() => implementationPlan.write("# Plan\n- [ ] a", new Map([[key, "done"]]))).toThrow(
      'Line 1, column 1: "Plan" is a heading and has no mark',
    );
  });
});
