import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RalphError } from "./error.ts";
import { parseTaskList } from "./task-list.ts";
import { byLane } from "../../test/lane.ts";
import { anyText } from "../../test/any-text.ts";

const rules = () => {
  let number = 0;
  return { scope: "workspace", newId: () => `n${++number}`, now: 100 };
};

const parse = (text: string) => parseTaskList(text, rules());

describe("a Markdown list", () => {
  test("nested items, with and without check boxes, numbers and text below", () => {
    const text = [
      "# Plan",
      "",
      "- Build *it*",
      "  with care",
      "",
      "  ```",
      "  - no item",
      "  ```",
      "  - [x] Dig",
      "\t* [ ] Deeper",
      "1. [-] Paint",
      "2) Sell",
    ].join("\r\n");
    const scope = "workspace";
    expect(parse(text)).toEqual([
      {
        id: "n1",
        scope,
        title: "Build *it*",
        description: "with care\n\n```\n- no item\n```",
        createdAt: 96,
      },
      { id: "n2", scope, title: "Dig", description: "", parent: "n1", status: "done", createdAt: 97 },
      { id: "n3", scope, title: "Deeper", description: "", parent: "n2", createdAt: 98 },
      { id: "n4", scope, title: "Paint", description: "", status: "dropped", createdAt: 99 },
      { id: "n5", scope, title: "Sell", description: "", createdAt: 100 },
    ]);
  });

  test("nothing is nothing", () => {
    expect(parse(" \n\n")).toEqual([]);
  });

  test.each([
    ["- a\n\nprose", "Line 3: this line is neither a list item nor part of one"],
    ["- a\n- [ ] ", "Line 2: a task needs a title"],
    [`- ${"x".repeat(1_000_000)}`, "Line 1: the title has 1000000 characters; the limit is 10000"],
  ])("what cannot be used names its line (%#)", (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

describe("JSONL", () => {
  test("each line is a task; ids and scopes may be left out", () => {
    expect(
      parse('\n{"title":"A"}\n\n{"id":"b","title":"B","scope":"project/x","needs":["n1"],"createdAt":5}\n'),
    ).toEqual([
      { id: "n1", scope: "workspace", title: "A", createdAt: 99 },
      { id: "b", scope: "project/x", title: "B", needs: ["n1"], createdAt: 5 },
    ]);
  });

  test("what cannot be used names its line", () => {
    expect(() => parse('{"title":"A"}\n{"title":"B","id":"a/b"}')).toThrow('Line 2: "a/b" cannot be the id of a task');
  });
});

test("any text is a list or a RalphError", () => {
  const piece = fc.constantFrom(
    "- ",
    "  - [x] ",
    "* a",
    "\n",
    "\r\n",
    "```",
    "{",
    '{"title":"a"}',
    "\u0000",
    "\ud800",
    "\t",
    "1. b",
    "# h ",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        anyText(),
        fc.array(piece).map((all) => all.join("")),
      ),
      (text) => {
        try {
          expect(parse(text).every(({ title, id }) => title !== "" && id !== undefined)).toBe(true);
        } catch (error) {
          if (!(error instanceof RalphError)) throw error;
        }
      },
    ),
    { numRuns: byLane(500, 2000) },
  );
});
