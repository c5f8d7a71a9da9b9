import { describe, expect, test } from "vitest";
import * as formats from "./index.ts";
import { PlanError } from "./plan.ts";

describe("catalogue", () => {
  test.each([
    ["IMPLEMENTATION_PLAN.md", "implementationPlan"],
    ["projects/auth/IMPLEMENTATION_PLAN.md", "implementationPlan"],
    ["fix_plan.md", "implementationPlan"],
    ["my-tasks.md", "implementationPlan"],
    ["openspec/changes/add-login/tasks.md", "changeTasks"],
    ["C:\\repo\\tasks.md", "changeTasks"],
    ["sprints/1/PROGRESS.yaml", "sprintProgress"],
    ["PROGRESS.yml", "sprintProgress"],
    ["prd.json", "prd"],
    ["plans/prd-shop.json", "prd"],
    ["package.json", undefined],
    ["SPRINT.yaml", undefined],
    ["tasks.jsonl", undefined],
  ])("%s is read by %s alone", (fileName, name) => {
    const matching = Object.entries(formats).filter(([, format]) => format.matches(fileName));
    expect(matching.map(([own]) => own)).toEqual(name === undefined ? [] : [name]);
  });
});

test.each([
  { format: formats.implementationPlan, text: "" },
  { format: formats.changeTasks, text: "# Tasks\n" },
  { format: formats.sprintProgress, text: "goal: nothing yet\ndynamic-steps: []\n" },
  { format: formats.prd, text: '{"userStories": []}' },
])("$format.name: an empty plan has no entries, and an unknown key is refused", ({ format, text }) => {
  expect(format.read(text)).toEqual({ entries: [], notices: [] });
  expect(() => format.write(text, new Map([["id:nope", "done"]]))).toThrow(
    new PlanError({ line: 1, column: 1 }, "No entry has the key id:nope", "Read the file again first"),
  );
});
