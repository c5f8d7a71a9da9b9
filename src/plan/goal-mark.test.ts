import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { achievedMark, isAchieved, readGoalMark, writeGoalMark } from "./goal-mark.ts";

const MARK = achievedMark('It says "hi": # no');
const LINES = 'status: completed\nsummary: "It says \\"hi\\": # no"\n';

describe("S003-04 S003-06 an achieved goal is written, and all else stays", () => {
  test.each([
    ["behind the first line", "sprint-id: a # why\ngoal: x\n", `sprint-id: a # why\n${LINES}goal: x\n`],
    ["before a text of several lines", "# Head\ngoal: |\n  x\n  y\n", `# Head\n${LINES}goal: |\n  x\n  y\n`],
    ["in place of what was there", "goal: x\nstatus: started # by hand\n", `goal: x\n${commented(LINES)}`],
    ["in quotes that were there", "status: 'a'\nsummary: |\n  old\n  text\ngoal: x\n", `${LINES}goal: x\n`],
    ["behind a colon without value", "goal: x\nstatus:\n", `goal: x\n${LINES}`],
    ["with Windows lines", "goal: x\r\nowner: ann\r\n", `goal: x\r\n${LINES.replaceAll("\n", "\r\n")}owner: ann\r\n`],
    [
      "and not in a step",
      "goal: x\ndynamic-steps:\n  - {id: a, status: pending}\n",
      `goal: x\n${LINES}dynamic-steps:\n  - {id: a, status: pending}\n`,
    ],
  ])("%s", (_where, before, after) => {
    expect(writeGoalMark(before, MARK)).toBe(after);
    expect(writeGoalMark(after, MARK)).toBe(after);
    expect(isAchieved(readGoalMark(after))).toBe(true);
  });

  test("in JSON", () => {
    const json = writeGoalMark('{"goal": "x", "dynamic-steps": []}', MARK);
    expect(JSON.parse(json)).toEqual({ goal: "x", "dynamic-steps": [], ...(parse(LINES) as object) });
  });
});

test.each([
  ["nothing", "sprint-id: a\ngoal: |\n  x\n# end\n"],
  ["words of a person", "goal: x\nstatus: 'started' # by hand\nsummary: half of it\nowner: ann\n"],
  ["a text of several lines", 'goal: x\nsummary: >-\n  half\n  of it\nstatus: "a"\n'],
])("S003-04 an achieved goal that is no longer one is taken back, byte for byte: %s", (_what, before) => {
  const mark = readGoalMark(before);
  expect(writeGoalMark(writeGoalMark(before, MARK), mark)).toBe(before);
});

test.each([
  ["a list", "- a\n", "Line 1, column 1: The file is not a map"],
  ["nothing at all", "", "Line 1, column 1: The file is not a map"],
  ["braces with nothing in them", "{}\n", "Line 1, column 1: The file is not a map"],
  ["a status of several parts", "goal: x\nstatus: {a: b}\n", "Line 2, column 9: `status` is not text"],
  ["a status that others refer to", "status: &s done\nother: *s\n", "`status` is not text"],
  ["a status twice", "status: a\nstatus: b\n", "Line 2, column 1: Duplicate key `status`"],
])("P-53 what cannot be marked is refused, and stays: %s", (_what, text, problem) => {
  expect(() => writeGoalMark(text, MARK)).toThrow(problem);
});

function commented(lines: string): string {
  return lines.replace("completed\n", "completed # by hand\n");
}
