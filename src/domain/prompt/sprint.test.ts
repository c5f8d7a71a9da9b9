import { describe, expect, test } from "vitest";
import { RalphError } from "../error.ts";
import {
  buildExecutingPrompt,
  buildPlanningPrompt,
  buildReflectingPrompt,
  buildSprintPrompt,
  SPRINT_MODES,
  type SprintState,
} from "./sprint.ts";

const sprint: SprintState = {
  id: "2026-01-18_login",
  directory: "sprints/login",
  goal: "Users can log in.",
  iteration: 4,
  steps: [
    { id: "step-0", prompt: "Add the table", status: "completed" },
    { id: "step-1", prompt: "Add the form\nwith tests", status: "pending" },
    { id: "step-2", prompt: "Add the session", status: "pending" },
  ],
};

test("D-13 the executing prompt, whole", () => {
  expect(buildExecutingPrompt(sprint)).toBe(`# Sprint: 2026-01-18_login | Iteration: 4

## Goal

Users can log in.

## Current Position

- Steps: 1 of 3 completed
- Next step: **step-1**

## Your Task

Execute this step, and only this step: **step-1**

Add the form
with tests

Check your work before you finish: run the tests that cover it. Commit changes.

## Adding a Step

Run one command for each step:

    ralphctl task add --sprint sprints/login "what to do in this step"

or add it to the file itself:

    yq -i '.dynamic-steps += [{"id": "step-3", "prompt": "...", "status": "pending", "added-at": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'", "added-in-iteration": 4}]' sprints/login/PROGRESS.yaml

## When the Goal Is Achieved

When goal is FULLY achieved: RALPH_COMPLETE: [summary]`);
});

test("D-13 the planning task is the workflow's goal-prompt, the reflecting one its reflection-prompt after what was done", () => {
  const words = { ...sprint, goalPrompt: "Think first.\n", reflectionPrompt: "Look back.\n" };
  expect(buildPlanningPrompt(words)).toContain("## Your Task\n\nThink first.\n\n## Adding a Step");
  expect(buildReflectingPrompt(words)).toContain(
    "## Your Task\n\nCompleted steps:\n\n- [step-0] Add the table\n\nLook back.\n\n## Adding a Step",
  );
});

describe.each(SPRINT_MODES)("%s", (mode) => {
  const text = buildSprintPrompt(mode, sprint);

  test("S003-06 states the completion signal", () => {
    expect(text).toContain("\nWhen goal is FULLY achieved: RALPH_COMPLETE: [summary]");
  });

  test("S003-07 shows how to add a step", () => {
    expect(text).toContain("ralphctl task add --sprint sprints/login");
    expect(text).toContain("yq -i '.dynamic-steps += [");
  });

  test("S003-08 without a goal is an error that says so", () => {
    expect(() => buildSprintPrompt(mode, { ...sprint, goal: " \n" })).toThrow("has no goal");
    expect(() => buildSprintPrompt(mode, { ...sprint, goal: "", steps: [] })).toThrow("has no goal");
  });
});

test("an id that is taken is not proposed again, and a folder with blanks is quoted", () => {
  const steps = [{ id: "step-1", prompt: "x", status: "pending" }] as const;
  const text = buildPlanningPrompt({ ...sprint, steps, directory: "my sprint's" });
  expect(text).toContain('"id": "step-2"');
  expect(text).toContain("--sprint 'my sprint'\\''s' \"what");
});

test("executing needs a pending step", () => {
  const steps = [{ id: "step-0", prompt: "x", status: "completed" }] as const;
  expect(() => buildExecutingPrompt({ ...sprint, steps })).toThrow(RalphError);
  expect(buildReflectingPrompt({ ...sprint, steps: [] })).toContain("Completed steps:\n\n- none");
});
