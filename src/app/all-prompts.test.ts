import { describe, expect, test } from "vitest";
import { temporaryRepository } from "../../test/temporary-folder.ts";
import { buildPhasePrompt } from "../domain/prompt/phase.ts";
import { HOOK_SYSTEM_PROMPT } from "../domain/prompt/hook.ts";
import { REVIEW_SYSTEM_PROMPT } from "../domain/prompt/review.ts";
import { buildSprintPrompt } from "../domain/prompt/sprint.ts";
import { BUILD_PROMPT, PLAN_PROMPT } from "../domain/template/prompts.ts";
import { RALPH_WORKFLOW } from "../domain/template/workflow.ts";
import * as catalogue from "../harness/index.ts";
import { createPromptMaker, type IterationPromptRequest } from "./iteration-prompt.ts";
import { openWorkspace, openWorkspaceScope } from "./workspace.ts";

const sprint = {
  id: "one",
  directory: "sprints/one",
  goal: "Everybody can log in",
  steps: [{ id: "step-0", prompt: "Add a form", status: "pending" }],
  iteration: 1,
} as const;

const task = { taskId: "t-1", title: "Add a form", description: "", completedBlockers: [], specsDirs: ["specs"] };
const nothing = { mode: "build", iteration: 1, maxIterations: 9, earlier: [], notes: [] } as const;
const phase = { id: "one", goal: "", iteration: 1, phase: { id: "test", prompt: "Test it" }, number: 1, phases: 2 };

/** Everything that an iteration can be for. */
const MODES: Readonly<Record<string, Omit<IterationPromptRequest, "harness">>> = {
  plan: { ...nothing, mode: "plan" },
  build: { ...nothing, task },
  executing: { ...nothing, task, body: buildSprintPrompt("executing", sprint) },
  phase: { ...nothing, task, body: buildPhasePrompt(phase) },
  planning: { ...nothing, isAboutGoal: true, body: buildSprintPrompt("planning", { ...sprint, steps: [] }) },
  reflecting: { ...nothing, isAboutGoal: true, body: buildSprintPrompt("reflecting", { ...sprint, steps: [] }) },
};

const cwd = temporaryRepository({
  ".ralph/config.yaml": "harnesses: { opencode: { models: [big, small] } }\n",
  "PROMPT_build.md": BUILD_PROMPT,
  "PROMPT_plan.md": PLAN_PROMPT,
  "specs/a.md": "# A\n",
});

/** Everything that an agent reads, as it would. */
async function read(mode: string, harness: string, attend?: object): Promise<string> {
  const surroundings = { cwd, env: {}, attend };
  const workspace = await openWorkspace(surroundings);
  const make = createPromptMaker(workspace, await openWorkspaceScope(workspace, {}), surroundings);
  const { system, text } = await make({ ...MODES[mode]!, harness });
  return `${system}\n${text}`;
}

const linesWith = (text: string, words: string): string[] => text.split("\n").filter((line) => line.includes(words));

const CLAUDES = /TodoWrite|\b(?:opus|sonnet|haiku)\b/;
const VENDORS = /\b(?:claude|anthropic|codex|openai|gpt|gemini|google|qwen|copilot|opencode)\b/i;

describe.each(Object.keys(catalogue))("what %s is sent", (harness) => {
  test.each(Object.keys(MODES))("names no tool or model of another vendor: %s", async (mode) => {
    const text = await read(mode, harness);
    expect([CLAUDES.test(text), VENDORS.exec(text)?.[0]]).toEqual([harness === "claude", undefined]);
  });
});

test("S001-R7 models that an agent may recommend are its own", async () => {
  const lines = async (harness: string) => linesWith(await read("build", harness), "<next-model>");
  expect([await lines("claude"), await lines("opencode"), await lines("codex")]).toEqual([
    [expect.stringContaining("- <next-model>opus|sonnet|haiku</next-model>: ")],
    [expect.stringContaining("- <next-model>big|small</next-model>: ")],
    [expect.stringContaining("- <next-model>NAME</next-model>: ")],
  ]);
});

describe("P-12 a claim has one meaning in all that an agent reads", () => {
  test.each(["build", "executing", "phase"])("COMPLETE is the project, <task-done> the task: %s", async (mode) => {
    const text = await read(mode, "codex");
    expect(linesWith(text, "<promise>COMPLETE")).toEqual([
      "- <promise>COMPLETE</promise>: the entire project is done, with every task. Ralph verifies this against its database.",
    ]);
    expect(linesWith(text, "<task-done>t-1</task-done>")).toEqual([
      "   <task-done>t-1</task-done>",
      "- ONLY output <task-done>t-1</task-done> when the task is truly done",
    ]);
  });

  test("COMPLETE is the plan", async () => {
    const text = await read("plan", "codex");
    expect(linesWith(text, "<promise>COMPLETE")).toEqual([
      "- <promise>COMPLETE</promise>: the plan is written. Ralph reads the plan file to verify it.",
      "   <promise>COMPLETE</promise>",
      "- ONLY output <promise>COMPLETE</promise> when the task is truly done",
    ]);
    expect(text).not.toMatch(/task-done|RALPH_COMPLETE/);
  });

  test.each(["planning", "reflecting"])("D-12 steps that were added are no claim, the goal is: %s", async (mode) => {
    const text = await read(mode, "codex");
    expect(linesWith(text, "<promise>COMPLETE")).toEqual([
      "- RALPH_COMPLETE: and a summary, on one line: the goal is fully achieved, and no step is missing. <promise>COMPLETE</promise> means the same.",
    ]);
    expect(text).toContain("When the goal is GENUINELY COMPLETE, output:\n   RALPH_COMPLETE: [summary]\n");
    expect(text).toContain("ONLY output RALPH_COMPLETE: [summary] when the goal is truly done");
    expect(text).not.toContain("task-done");
  });
});

describe("how to ask a person", () => {
  test.each(["build", "executing", "phase"])("W-01 by a command, with a task: %s", async (mode) => {
    const text = await read(mode, "codex");
    expect(text).toContain('- Run ralphctl task park {task_id} "QUESTION" first.');
  });

  test.each(["plan", "planning", "reflecting"])("without a task there is none to park: %s", async (mode) => {
    const text = await read(mode, "codex");
    expect(text).not.toContain("task park");
    expect(text).toMatch(/Nobody answers during a session: decide, and write what you assumed into the (?:entry|step)/);
  });

  test.each(Object.keys(MODES))("a person who works with the agent answers: %s", async (mode) => {
    const text = await read(mode, "claude", {});
    expect(text).toContain("ask when something is unclear");
    expect(text).not.toMatch(/task park|Nobody answers|DO NOT ASK/);
  });
});

test("reviewers, hooks and shipped files name no vendor", () => {
  const texts = [REVIEW_SYSTEM_PROMPT, HOOK_SYSTEM_PROMPT, BUILD_PROMPT, PLAN_PROMPT, RALPH_WORKFLOW];
  expect(texts.filter((text) => CLAUDES.test(text) || VENDORS.test(text))).toEqual([]);
});
