import { describe, expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { temporaryRepository, write } from "../../test/temporary-folder.ts";
import { textOf } from "../domain/prompt/section.ts";
import { createPromptMaker, type IterationPromptRequest, type PromptMaker } from "./iteration-prompt.ts";
import { openWorkspace, openWorkspaceScope } from "./workspace.ts";

const task = { taskId: "t-1", title: "Add login", description: "Do it.", completedBlockers: [], specsDirs: [] };

const request: IterationPromptRequest = {
  mode: "build",
  iteration: 2,
  maxIterations: 23,
  harness: "claude",
  task,
  verification: { acceptance: [], gates: [{ id: "test", run: "npm test" }], red: [] },
  earlier: [{ run: "r-1", iteration: 1, outcome: "rejected", reason: "red", kept: undefined }],
  validationFailure: "Gate `test` failed",
  notes: [],
};

interface Place {
  readonly cwd: string;
  readonly maker: PromptMaker;
}

async function place(config = ""): Promise<Place> {
  const cwd = temporaryRepository({ "README.md": "x" });
  await type(["init"], { cwd });
  write(cwd, { ".ralph/config.yaml": config, "PROMPT_build.md": "Build {specs}.", "PROMPT_plan.md": "Plan." });
  const surroundings = { cwd, env: {} };
  const workspace = await openWorkspace(surroundings);
  const scope = await openWorkspaceScope(workspace, {});
  return { cwd, maker: createPromptMaker(workspace, scope, surroundings) };
}

const names = (sections: readonly { name: string }[]): string[] => sections.map(({ name }) => name);

describe("the prompt of an iteration", () => {
  test("S001-R4 S002-09 is system prompt, preamble, failure, prompt file, task and what follows it", async () => {
    const { maker } = await place();
    const { system, sections, text } = await maker(request);
    expect(system).toContain("<task-done>{task_id}</task-done>");
    expect(names(sections)).toEqual([
      "preamble",
      "validation-failure",
      "preamble",
      "prompt",
      "task",
      "verification",
      "earlier-attempts",
      "preamble",
    ]);
    expect(textOf(sections)).toBe(text);
    expect(text).toContain(
      "\n\nGate `test` failed\n\n---\n## Your Task\n\nBuild {specs}.\n\n---\n\n## Assigned Task\n\n",
    );
    expect(text).toContain("## Current Iteration: 2 / 23 (min: 1)");
  });

  test("S004-D5 prompt file, template and context are read anew for each iteration", async () => {
    const { cwd, maker } = await place("prompts: {template: my.md}\n");
    const bare: IterationPromptRequest = { ...request, ...NOTHING };
    write(cwd, { "my.md": "One. {task}" });
    expect((await maker(bare)).text).toBe("One. Build {specs}.");
    write(cwd, { "my.md": "Two. {task}", "PROMPT_build.md": "Mend.", ".ralph/context/workspace.md": "Hurry.\n" });
    expect((await maker(bare)).text).toBe(
      "Two. ## Additional Context (added by user mid-loop)\n\nHurry.\n\n---\n\nMend.",
    );
  });

  test("S004-K2 the harness of the iteration decides about the preamble, and names the models", async () => {
    const { cwd, maker } = await place("harnesses: {quiet: {preamble: false, fast: mini}}\n");
    write(cwd, { "PROMPT_build.md": "<!-- ralphctl template 1 -->\nUse {fast}." });
    const bare: IterationPromptRequest = { ...request, ...NOTHING, validationFailure: "red" };
    expect((await maker({ ...bare, harness: "quiet" })).text).toMatch(
      /^## Validation Failure \(completion rejected\)\n[^]*\nred\n\n---\n\nUse mini\.$/,
    );
    expect((await maker(bare)).text).toMatch(/^# Ralph Wiggum Loop - Iteration 2\n[^]*\nUse sonnet\.\n/);
  });

  test("P-04 in plan mode there are its own prompts, and the words", async () => {
    const { maker } = await place();
    const { system, sections } = await maker({ ...request, ...NOTHING, mode: "plan", words: "Add {project}" });
    expect(system).toContain("In this iteration you plan.");
    expect(names(sections)).toEqual(["preamble", "prompt", "words", "preamble"]);
    expect(sections[2]!.text).toBe("\n\n---\n\n## In the user's words\n\nAdd {project}");
  });
});

const NOTHING = { task: undefined, verification: undefined, earlier: [], validationFailure: undefined } as const;

describe("limits.prompt", () => {
  const blocker = { taskId: "t-0", title: "Before", summary: "s".repeat(4000) };
  const long: IterationPromptRequest = {
    ...request,
    task: { ...task, completedBlockers: [blocker] },
    earlier: Array.from({ length: 20 }, (_, iteration) => ({
      ...request.earlier[0]!,
      iteration,
      reason: "r".repeat(900),
    })),
    validationFailure: "f".repeat(8000),
  };
  const count = (text: string, letter: string): number => text.match(new RegExp(`${letter}{3,}`, "g"))!.join("").length;

  test.each([
    ["30KB", 20, 4000, 8000],
    ["18KB", 6, 4000, 8000],
    ["15KB", 6, 2048, 8000],
    ["9KB", 6, 2048, 2048],
  ])("of %s leaves %i attempts, %i of a summary and %i of the report", async (limit, attempts, summary, report) => {
    const { maker } = await place(`limits: {prompt: ${limit}}\n`);
    const { text } = await maker(long);
    expect(text.match(/^- r-1, iteration /gm)).toHaveLength(attempts);
    expect([count(text, "s"), count(text, "f")]).toEqual([summary, report]);
    expect(text).toContain("## Validation Failure (completion rejected)");
  });

  test("too small for all of that is an error", async () => {
    const { maker } = await place("limits: {prompt: 4KB}\n");
    await expect(maker(long)).rejects.toMatchObject({
      kind: "data",
      message: expect.stringMatching(/^The prompt has \d+ bytes, more than limits\.prompt allows \(4KB\)$/),
    });
  });
});
