import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { planContract, textOfLines } from "./plan.contract.ts";
import { type MarkChange, PlanError } from "./plan.ts";
import { sprintProgress } from "./sprint-progress.ts";
import { byLane } from "../../test/lane.ts";

/** Steps as people and tools set them: block and flow, quoted and not, with comments, in any order of keys. */
const stepLines = fc
  .record({
    keys: fc.shuffledSubarray(
      [
        "id: step-N",
        "prompt: 'Do N'",
        "status: pending",
        'added-at: "2026-01-18T10:00:00Z"',
        "x: {y: [1, 2]}",
        "note: |\n  two\n  lines",
      ],
      { minLength: 1 },
    ),
    aside: fc.constantFrom(
      "",
      "ralph-status: failed",
      "ralph-status: parked",
      "ralph-status: dropped",
      "ralph-status: other",
    ),
    status: fc.constantFrom(
      "pending",
      "completed",
      '"pending"',
      "'completed'",
      "in-progress",
      "blocked",
      "skipped",
      "",
      "~",
    ),
    isFlow: fc.boolean(),
    comment: fc.constantFrom("", " # why", "   "),
  })
  .map(({ keys, aside, status, isFlow, comment }) => (number: number): string => {
    const named = keys.some((key) => /^(?:id|prompt)/.test(key)) ? keys : ["id: step-N", ...keys];
    const pairs = [...named, ...(aside ? [aside] : [])]
      .map((pair) => (pair.startsWith("status:") ? `status: ${status}` : pair))
      .map((pair) => pair.replaceAll("N", String(number)));
    if (isFlow) return `{ ${pairs.filter((pair) => !pair.includes("|")).join(", ")} }${comment}`;
    return pairs.map((pair) => (pair.includes("|") ? pair : pair + comment)).join("\n");
  });

const progress = fc
  .record({
    steps: fc.array(stepLines, { maxLength: 4 }),
    phases: fc.array(stepLines, { maxLength: 4 }),
    indent: fc.constantFrom("", "  ", "    "),
    gap: fc.constantFrom("- ", "-   "),
    ending: fc.constantFrom("\n", "\r\n"),
    bom: fc.constantFrom("", "\uFEFF", "# top\n"),
    last: fc.constantFrom("", "\n", "\n# end\n", "\nstats: {a: 1}\n"),
  })
  .map(({ steps, phases, indent, gap, ending, bom, last }) => {
    const list = (name: string, all: readonly ((number: number) => string)[], from: number): string =>
      `${name}:${all.length === 0 ? " []" : ""}${all
        .map((step, at) => {
          const block = step(from + at).replaceAll("\n", `\n${indent}${" ".repeat(gap.length)}`);
          return `\n${indent}${gap}${block}`;
        })
        .join("")}`;
    const text = `${bom}goal: x # all\n${list("dynamic-steps", steps, 0)}\n${list("phases", phases, 10)}${last}`;
    return text.replaceAll("\n", ending);
  });

planContract(
  sprintProgress,
  fc.oneof(
    { weight: 4, arbitrary: progress },
    textOfLines([
      "dynamic-steps:",
      "  - id: a",
      "    status: pending",
      "  - {id: b}",
      "phases:",
      "- prompt: x",
      "# c",
      "",
    ]),
  ),
);

const TEXT = `# made by hand
sprint-id: auth
mode: ralph
goal: |
  Build it   # not a comment
dynamic-steps:
  # first
  - id: step-0
    prompt: "Set up the module"
    status: completed
    added-at: "2026-01-18T10:00:00Z"
    added-in-iteration: 1
  - { id: step-1, prompt: 'Tokens', status: 'pending' }   # flow
  - id:   step-2
    prompt: |-
      Refresh tokens

      and revoke them
    status:   pending   # soon
    ralph-status: failed
    unknown: [ 1,2 ]
phases:
  - id: prepare
    prompt: Prepare
    status: completed
  - id: implement
    status: in-progress
    steps:
      - id: login
        prompt: Login
        status: skipped
      - id: logout
        prompt: Logout
  - id: review
    prompt: Review
`;

test("S003-04 D-11 steps in order without edges, phases in sequence", () => {
  const { entries, notices } = sprintProgress.read(TEXT);
  const bare = { kind: "task", description: "", acceptance: [], needs: [] };
  const at = (needle: string, word: string) => {
    const start = TEXT.indexOf(word, TEXT.indexOf(needle));
    return { start, end: start + word.length };
  };
  expect(notices).toEqual([]);
  expect(entries).toEqual([
    {
      ...bare,
      key: "id:step-0",
      id: "step-0",
      title: "Set up the module",
      status: "done",
      line: 8,
      mark: at("step-0", "completed"),
    },
    {
      ...bare,
      key: "id:step-1",
      id: "step-1",
      title: "Tokens",
      status: "open",
      line: 13,
      mark: at("step-1", "'pending'"),
    },
    {
      ...bare,
      key: "id:step-2",
      id: "step-2",
      title: "Refresh tokens",
      description: "Refresh tokens\n\nand revoke them",
      status: "open",
      aside: "failed",
      line: 14,
      mark: at("step-2", "pending"),
    },
    {
      ...bare,
      key: "id:prepare",
      id: "prepare",
      title: "Prepare",
      status: "done",
      line: 23,
      mark: at("prepare", "completed"),
    },
    {
      ...bare,
      key: "id:implement",
      id: "implement",
      title: "implement",
      status: "started",
      needs: ["id:prepare"],
      line: 26,
      mark: at("implement", "in-progress"),
    },
    {
      ...bare,
      key: "id:login",
      id: "login",
      title: "Login",
      status: "dropped",
      parentKey: "id:implement",
      line: 29,
      mark: at("login", "skipped"),
    },
    {
      ...bare,
      key: "id:logout",
      id: "logout",
      title: "Logout",
      status: "open",
      parentKey: "id:implement",
      needs: ["id:login"],
      line: 32,
    },
    { ...bare, key: "id:review", id: "review", title: "Review", status: "open", needs: ["id:implement"], line: 34 },
  ]);
});

describe("writing", () => {
  const write = (marks: Record<string, MarkChange>): string =>
    sprintProgress.write(TEXT, new Map(Object.entries(marks).map(([id, change]) => [`id:${id}`, change])));

  test("S003-04 completed: only the value changes, in its own quotes", () => {
    expect(write({ "step-1": "done" })).toBe(TEXT.replace("status: 'pending'", "status: 'completed'"));
  });

  test("D-11 failed and parked stay pending with ralph-status beside", () => {
    expect(write({ "step-0": "parked", "step-1": "failed", "step-2": "parked" })).toBe(
      TEXT.replace("status: completed\n    added", "status: pending\n    ralph-status: parked\n    added")
        .replace("status: 'pending' }", "status: 'pending', ralph-status: failed }")
        .replace("ralph-status: failed\n    unknown", "ralph-status: parked\n    unknown"),
    );
  });

  test("D-11 ralph-status goes away when it no longer holds", () => {
    expect(write({ "step-2": "open" })).toBe(TEXT.replace("    ralph-status: failed\n", ""));
    expect(write({ "step-2": "done" })).toBe(
      TEXT.replace("status:   pending   # soon\n    ralph-status: failed\n", "status:   completed   # soon\n"),
    );
  });

  test("a step without a status gets one behind its id; a dropped one says so beside", () => {
    expect(write({ logout: "done", review: "dropped", login: "dropped" })).toBe(
      TEXT.replace("- id: logout\n", "- id: logout\n        status: completed\n").replace(
        "- id: review\n",
        "- id: review\n    ralph-status: dropped\n",
      ),
    );
  });

  test.each([
    ["first in a flow map", "dynamic-steps: [{ralph-status: failed, id: a}]", "dynamic-steps: [{id: a}]"],
    ["first of a block map", "phases:\n- ralph-status: failed\n  id: a\n", "phases:\n- id: a\n"],
    ["last line without an end", "phases:\n- id: a\n  ralph-status: failed", "phases:\n- id: a"],
    ["with a comment", "phases:\n- id: a\n  ralph-status: failed # why\n", "phases:\n- id: a\n  # why\n"],
    ["with CRLF", "phases:\r\n- id: a\r\n  ralph-status: failed\r\n  x: 1\r\n", "phases:\r\n- id: a\r\n  x: 1\r\n"],
    [
      "between lines of a flow map",
      "phases:\n- {id: a,\n   ralph-status: failed,\n   x: 1}\n",
      "phases:\n- {id: a,\n   x: 1}\n",
    ],
  ])("ralph-status is taken out: %s", (_name, before, after) => {
    expect(sprintProgress.write(before, new Map([["id:a", "open"]]))).toBe(after);
  });

  test.each([
    ["an empty value", "phases:\n- id: a\n  status:\n", "phases:\n- id: a\n  status: completed\n"],
    [
      "an empty value with a comment",
      "phases:\n- id: a\n  status: # x\n",
      "phases:\n- id: a\n  status: completed # x\n",
    ],
    ["a null", "phases:\n- {id: a, status: ~}\n", "phases:\n- {id: a, status: completed}\n"],
    ["a key alone", "phases:\n- {id: a, status}\n", "phases:\n- {id: a, status: completed}\n"],
    [
      "only long values",
      "phases:\n- prompt: |\n    a\n    b\n",
      "phases:\n- status: completed\n  prompt: |\n    a\n    b\n",
    ],
    ["CRLF", "phases:\r\n- id: a\r\n", "phases:\r\n- id: a\r\n  status: completed\r\n"],
    [
      "a folded value",
      "phases:\n- id: a\n  status: >-\n    pending\n  x: 1\n",
      "phases:\n- id: a\n  status: completed\n  x: 1\n",
    ],
    ["JSON", '{"phases": [{"id": "a"}]}', '{"phases": [{"id": "a", "status": "completed"}]}'],
    ["no last newline", "phases:\n- id: a", "phases:\n- id: a\n  status: completed"],
  ])("completed is written: %s", (_name, before, after) => {
    const { key } = sprintProgress.read(before).entries[0]!;
    expect(sprintProgress.write(before, new Map([[key, "done"]]))).toBe(after);
  });

  test("a step shared by an anchor is refused, and nothing is changed", () => {
    const text = "dynamic-steps:\n  - &a { id: a, prompt: x }\ncopy: *a\n";
    expect(() => sprintProgress.write(text, new Map([["id:a", "done"]]))).toThrow(
      'Line 2, column 1: "x" is shared by an anchor: marking it would mark its copies',
    );
  });

  test("what cannot be marked alone is refused, and nothing is changed", () => {
    const text = "phases:\n- ? id\n  : a\n  ? status\n  : pending\n";
    expect(() => sprintProgress.write(text, new Map([["id:a", "failed"]]))).toThrow(
      'Line 2, column 1: "a" cannot be marked without changing something else; nothing was changed',
    );
  });

  test("whatever is written, the rest of the document says the same", () => {
    const ours = /^(?:status|ralph-status)$/;
    const rest = (text: string): string =>
      JSON.stringify(parse(text), (key, value: unknown) => (ours.test(key) ? undefined : value));
    fc.assert(
      fc.property(
        progress,
        fc.constantFrom("done", "open", "failed", "parked", "dropped"),
        (text, change: MarkChange) => {
          const { entries } = sprintProgress.read(text);
          const result = sprintProgress.write(text, new Map(entries.map(({ key }) => [key, change])));
          expect(rest(result)).toBe(rest(text));
          expect(result.match(/#.*/g)).toEqual(text.match(/#.*/g));
        },
      ),
      { numRuns: byLane(100, 500) },
    );
  });
});

test.each([
  ["a: [1", 1, 6],
  ["dynamic-steps:\n\t- id: a", 2, 1],
  ["a: 1\n---\nb: 2", 2, 1],
  ["- a", 1, 1],
  ["just words", 1, 1],
  ["dynamic-steps: soon", 1, 16],
  ["dynamic-steps:\n  - do it", 2, 5],
  ["dynamic-steps:\n  - status: pending", 2, 5],
  ["dynamic-steps:\n  - id: a\n    status: finished", 3, 13],
  ["dynamic-steps:\n  - id: a\n    status: constructor", 3, 13],
  ["dynamic-steps:\n  - id: a\n    status: pending\n    status: completed", 4, 5],
  ["dynamic-steps:\n  - id: [a]", 2, 9],
  ["x: &p y\ndynamic-steps:\n  - prompt: *p", 3, 13],
])("P-53 %j is refused at %i:%i", (text, line, column) => {
  const caught = (() => {
    try {
      return sprintProgress.read(text);
    } catch (error) {
      return error;
    }
  })();
  expect(caught).toBeInstanceOf(PlanError);
  expect({ line: (caught as PlanError).line, column: (caught as PlanError).column }).toEqual({ line, column });
});
