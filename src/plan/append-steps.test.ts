import { expect, test } from "vitest";
import { parse } from "yaml";
import { appendSteps, type NewStep } from "./append-steps.ts";

const step: NewStep = { id: "step-9", prompt: 'Say "hi": # no', addedAt: "2026-01-18T10:00:00Z", addedInIteration: 4 };

const BLOCK = `- id: step-9
  prompt: "Say \\"hi\\": # no"
  status: pending
  added-at: "2026-01-18T10:00:00Z"
  added-in-iteration: 4`;

const indented = (text: string): string => text.replaceAll(/^/gm, "  ");

test.each([
  ["nothing", "", `dynamic-steps:\n${indented(BLOCK)}\n`],
  ["a goal alone", "goal: x", `goal: x\ndynamic-steps:\n${indented(BLOCK)}\n`],
  ["an empty list", "goal: x\ndynamic-steps: []  # later\n", `goal: x\ndynamic-steps:  # later\n${indented(BLOCK)}\n`],
  ["a key without value", "dynamic-steps:\nx: 1\n", `dynamic-steps:\n${indented(BLOCK)}\nx: 1\n`],
  [
    "a list with comments, before another key",
    "dynamic-steps:\n  # first\n  - id: a # why\n    odd: {b: 1} # because\n\n# next\nphases: []\n",
    `dynamic-steps:\n  # first\n  - id: a # why\n    odd: {b: 1} # because\n${indented(BLOCK)}\n\n# next\nphases: []\n`,
  ],
  ["a list without indentation", "dynamic-steps:\n- {id: a}\n", `dynamic-steps:\n- {id: a}\n${BLOCK}\n`],
  [
    "a last text of several lines",
    "dynamic-steps:\n  - id: a\n    prompt: |\n      one\n\n      two\n",
    `dynamic-steps:\n  - id: a\n    prompt: |\n      one\n\n      two\n${indented(BLOCK)}\n`,
  ],
])("S003-04 D-11 a step is added to %s, and all else stays", (_what, before, after) => {
  expect(appendSteps(before, [step])).toBe(after);
});

test("S003-04 D-11 a step is added in the file's own style: Windows lines, and JSON", () => {
  expect(appendSteps("goal: x\r\ndynamic-steps:\r\n  - id: a\r\n", [step])).toBe(
    `goal: x\r\ndynamic-steps:\r\n  - id: a\r\n${indented(BLOCK).replaceAll("\n", "\r\n")}\r\n`,
  );
  const json = appendSteps('{"goal": "x", "dynamic-steps": [{"id": "a"}]}', [step]);
  expect(JSON.parse(json)).toEqual(parse(`goal: x\ndynamic-steps:\n- id: a\n${BLOCK}\n`));
});

test.each([
  ["a list of words", "- a\n", "The file is not a map"],
  ["braces without the list", "{goal: x}\n", "have no `dynamic-steps`"],
  ["an id that is taken", "dynamic-steps:\n  - id: step-9\n", "Cannot add a step"],
])("P-53 a file that cannot take a step is refused and stays: %s", (_what, text, problem) => {
  expect(() => appendSteps(text, [step])).toThrow(problem);
});
