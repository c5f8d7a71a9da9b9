import { expect, test } from "vitest";
import { buildClaudeArgs } from "./claude-args.ts";
import { buildTaskContext, type TaskInfo } from "./task-context.ts";

// S001-R3: the shape of the seed.
const task: TaskInfo = {
  taskId: "t-abc123",
  title: "Add login",
  description: "Write the login page.\n\nWith tests.",
  parent: { title: "Accounts", description: "Everything about accounts." },
  completedBlockers: [
    { taskId: "t-1", title: "Add users table", summary: "table users" },
    { taskId: "t-2", title: "Add sessions", summary: "see session.ts" },
  ],
  specsDirs: ["specs/api", "specs/infra"],
};

test("S001-R4 the whole block, as the seed shows it", () => {
  expect(buildTaskContext(task)).toBe(`## Assigned Task

**ID:** t-abc123
**Title:** Add login

### Description
Write the login page.

With tests.

### Parent Context
**Parent:** Accounts
Everything about accounts.

### Completed Prerequisites
- [t-1] Add users table: table users
- [t-2] Add sessions: see session.ts

### Reference Specs
Read all files in: specs/api, specs/infra`);
});

test("S001-R4 without parent and prerequisites their sections are gone, headings and all", () => {
  const { parent: _, ...orphan } = { ...task, completedBlockers: [], specsDirs: [".ralph/specs"] };
  expect(buildTaskContext(orphan)).toBe(`## Assigned Task

**ID:** t-abc123
**Title:** Add login

### Description
Write the login page.

With tests.

### Reference Specs
Read all files in: .ralph/specs`);
});

test("S001-R4 a summary of several lines stays in its list entry", () => {
  const blocker = { taskId: "t-1", title: "A\nB", summary: "one\n\ntwo\n" };
  expect(buildTaskContext({ ...task, completedBlockers: [blocker] })).toContain("\n- [t-1] A B: one\n\n  two\n\n###");
});

test("S001-R4 what is not there leaves no empty heading, colon or order behind", () => {
  const bare = { taskId: "t-1", title: "Add login", description: " \n", specsDirs: [] };
  const completedBlockers = [{ taskId: "t-0", title: "Add users", summary: "" }];
  expect(buildTaskContext({ ...bare, completedBlockers, moreBlockers: 7 })).toBe(`## Assigned Task

**ID:** t-1
**Title:** Add login

### Description
See the title.

### Completed Prerequisites
- [t-0] Add users
- and 7 more`);
});

test("P-03 when the prompt file is the task, the block says so, and an answer stands below it", () => {
  const promptTask = { taskId: "t-1", title: "PROMPT_build.md", isPrompt: true, completedBlockers: [], specsDirs: [] };
  const block = `## Assigned Task

**ID:** t-1
**Title:** PROMPT_build.md

### Description
The prompt above is the task. Carry it out in full.`;
  expect(buildTaskContext({ ...promptTask, description: "" })).toBe(block);
  expect(buildTaskContext({ ...promptTask, description: "Answer: yes" })).toBe(`${block}\n\nAnswer: yes`);
});

test("S001-R5 with a task its context is the positional argument after the prompt file", () => {
  const args = buildClaudeArgs({ promptFile: "PROMPT_build.md", specsDirs: ["specs"], model: "opus" }, task);
  expect(args.slice(-2)).toEqual(["@PROMPT_build.md", buildTaskContext(task)]);
  expect(args.slice(args.indexOf("--model"), args.indexOf("--model") + 2)).toEqual(["--model", "opus"]);
});

test("S001-R5 without a task only the prompt file is; D-03 the shape is the seed's", () => {
  const args = buildClaudeArgs({ promptFile: "PROMPT_build.md", specsDirs: ["specs"] });
  expect(args.at(-1)).toBe("@PROMPT_build.md");
  expect(args.filter((arg) => arg.startsWith("@"))).toEqual(["@PROMPT_build.md"]);
});

test("S001-R8 no argument refers to a progress file, and specs are no arguments (S001-R1)", () => {
  const args = buildClaudeArgs({ promptFile: "P.md", specsDirs: ["specs/api"], skipPermissions: true }, task);
  expect(args.filter((arg) => /@.*progress/i.test(arg) || arg.startsWith("@specs"))).toEqual([]);
  expect(args).toContain("--dangerously-skip-permissions");
});
