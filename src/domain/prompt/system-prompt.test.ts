import { describe, expect, test } from "vitest";
import { buildPlanSystemPrompt, buildSystemPrompt } from "./system-prompt.ts";

const SIGILS = [
  "<promise>COMPLETE</promise>",
  "<promise>FAILURE</promise>",
  "<task-done>{task_id}</task-done>",
  "<task-failed>{task_id}</task-failed>",
  "<next-model>opus|sonnet|haiku</next-model>",
];

describe("the system prompt", () => {
  const text = buildSystemPrompt({ specsDirs: ["specs/api", "specs/infra"] });

  test("S001-R1 lists every specs directory and forbids to change a spec", () => {
    expect(text).toContain("  - specs/api\n  - specs/infra\n");
    expect(text).toMatch(/do not modify a spec/);
    expect(text).not.toMatch(/@specs/);
    expect(buildSystemPrompt({ specsDirs: [".ralph/specs"] })).toContain("  - .ralph/specs\n");
  });

  test("S001-R1 without specs directories it does not speak of specs", () => {
    expect(buildSystemPrompt({ specsDirs: [] })).not.toMatch(/spec/i);
  });

  test.each([
    "Ralph assigns one task per iteration in a task context block",
    "Work on the assigned task only. Do not pick another task and do not reorder tasks.",
    "ONE TASK PER LOOP",
    "Do not assume code exists",
    "Do not implement placeholders",
    "If tests fail, fix them",
    "Commit changes",
    "Read AGENTS.md first",
    "Update AGENTS.md",
    "say why in your text",
  ])("S001-R2 says: %s", (sentence) => {
    expect(text).toContain(sentence);
  });

  test("S001-R2 S001-R8 has nothing of a progress file, nor of choosing a task", () => {
    expect(text).not.toMatch(/progress/i);
    expect(text).not.toContain("Find the SINGLE highest-priority incomplete task");
  });

  test.each(SIGILS)("S001-R7 documents %s", (sigil) => {
    expect(text).toContain(`- ${sigil}: `);
  });

  test("S001-R7 names the promise that the preamble asks for", () => {
    const custom = buildSystemPrompt({ specsDirs: [], completionPromise: "SHIPPED" });
    expect(custom).toContain("<promise>SHIPPED</promise>");
    expect(custom).not.toContain("<promise>COMPLETE</promise>");
  });
});

describe("the system prompt of plan mode", () => {
  const text = buildPlanSystemPrompt({ specsDirs: ["specs"], planFiles: ["PLAN.md"] });

  test("P-04 has specs, the plan file and the promise, and no task sigil", () => {
    expect(text).toContain("  - specs\n");
    expect(text).toContain("Write the plan to: PLAN.md");
    expect(text).toContain("<promise>COMPLETE</promise>: the plan is written");
    expect(text).not.toMatch(/task-done|task-failed|Assigned Task/);
  });

  test("P-04 names the usual plan file where none is configured", () => {
    expect(buildPlanSystemPrompt({ specsDirs: [], planFiles: [] })).toContain("to: IMPLEMENTATION_PLAN.md");
  });
});
