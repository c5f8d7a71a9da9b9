import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type } from "../../test/recording-io.ts";
import { commitAll, git, temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";
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

describe("T-41 a prompt file that a git of the person has taken away", () => {
  const rebase = ["rebase", "--quiet", "--force-rebase", "--root", "--exec"];

  /** As in a run, its records are not committed. */
  async function committed(): Promise<Place> {
    const made = await place();
    commitAll(made.cwd, "Describe the work");
    write(made.cwd, { ".ralph/runs/1/events.ndjson": "" });
    return made;
  }

  test("is waited for while that git is at work", async () => {
    const { cwd, maker } = await committed();
    const signs = temporaryFolder();
    const stay = `echo >${signs}/begun; until test -e ${signs}/go; do sleep 0.02; done`;
    const rebasing = once(spawn("git", [...rebase, stay], { cwd, stdio: "ignore" }), "close");
    await vi.waitUntil(() => existsSync(join(signs, "begun")), { timeout: 50_000 });
    expect(existsSync(join(cwd, "PROMPT_build.md"))).toBe(false);
    const made = maker(request);
    write(signs, { go: "" });
    expect((await made).text).toContain("Build {specs}.");
    expect(await rebasing).toEqual([0, null]);
  });

  test("is an error that names the operation if that has stopped", async () => {
    const { cwd, maker } = await committed();
    expect(() => git(cwd, ...rebase, "test -e PROMPT_build.md")).toThrow("test -e PROMPT_build.md");
    await expect(maker(request)).rejects.toMatchObject({ kind: "config", message: "A rebase is in progress" });
    git(cwd, "rebase", "--abort");
    expect((await maker(request)).text).toContain("Build {specs}.");
  });

  test("is missing where a killed git left its lock, and where none is at work", async () => {
    const { cwd, maker } = await place();
    write(cwd, { ".git/index.lock": "" });
    git(cwd, "clean", "--quiet", "--force", "PROMPT_build.md");
    await expect(maker(request)).rejects.toThrow("The prompt file PROMPT_build.md does not exist");
  });
});
