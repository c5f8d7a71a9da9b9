import { accessSync, constants, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { start } from "../built-program.ts";
import type { Answer } from "../recording-io.ts";
import { temporaryFolder, temporaryRepository } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

const SCRIPT = join(process.cwd(), "scripts", "build-ralph-prompt.sh");

const PROGRESS = `# A comment
goal: |
  Users can log in.
dynamic-steps:
  - id: step-0
    prompt: Add the table
    status: completed
    added-at: "2026-01-18T10:00:00Z"
    added-in-iteration: 1
  - {id: step-1, prompt: "Add the form", status: pending}
`;

const cwd = temporaryFolder({
  "sprints/login/PROGRESS.yaml": PROGRESS,
  "sprints/login/SPRINT.yaml": "workflow: own\nsprint-id: S-42\n",
  ".claude/workflows/own.yaml": "mode: ralph\ngoal-prompt: Think first.\nreflection-prompt: Look back.\n",
  "bad/no-goal/PROGRESS.yaml": "dynamic-steps: []\n",
  "bad/tab/PROGRESS.yaml": "goal:\n\t- x\n",
  "bad/list/PROGRESS.yaml": "- x\n",
  "bad/steps/PROGRESS.yaml": "goal: x\ndynamic-steps: 5\n",
  "bad/status/PROGRESS.yaml": "goal: x\ndynamic-steps: [{prompt: x, status: odd}]\n",
  "bad/cycle/PROGRESS.yaml": "goal: x\ndynamic-steps: &a [*a]\n",
  "bad/workflow/PROGRESS.yaml": "goal: x\nworkflow: gone\n",
  "bad/phases/PROGRESS.yaml": "goal: x\nphases: [{id: a, prompt: x}]\n",
  "bad/empty/README": "",
  "bad/link/README": "",
});

symlinkSync(join(temporaryFolder({ "p.yaml": "goal: secret\n" }), "p.yaml"), join(cwd, "bad/link/PROGRESS.yaml"));

const script = async (...args: readonly string[]): Promise<Answer> => await start(SCRIPT, args, { cwd });

test("S003-01 D-10 the sprint's own workflow counts, from whichever folder it is asked for", async () => {
  const here = temporaryFolder({
    ".claude/workflows/own.yaml": "mode: ralph\ngoal-prompt: Another one.\nreflection-prompt: x\n",
  });
  const from = async (folder: string, sprint: string) =>
    (await start(SCRIPT, [sprint, "planning", "1"], { cwd: folder })).stdout;
  const prompts = [
    await from(join(cwd, "sprints"), "login"),
    await from(here, join(cwd, "sprints/login")),
    await from(join(cwd, "sprints/login"), "."),
  ];
  expect(prompts.map((text) => text.includes("Think first."))).toEqual([true, true, true]);
});

describe("the eight scenarios of the script and the workflow", () => {
  test("S003-01 the script exists and is executable", () => {
    expect(() => accessSync(SCRIPT, constants.X_OK)).not.toThrow();
  });

  test("S003-01 it passes bash -n", async () => {
    expect(await start("bash", ["-n", SCRIPT], { cwd })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("S003-02 the workflow exists, is YAML, has its mode and its hooks", async () => {
    const repository = temporaryRepository();
    await typed(["init"], { cwd: repository });
    const file = join(repository, ".claude/workflows/ralph.yaml");
    const workflow = parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    expect(workflow["mode"]).toBe("ralph");
    expect(Array.isArray(workflow["per-iteration-hooks"])).toBe(true);
  });

  test.each([
    ["planning", "## Your Task\n\nThink first.\n"],
    ["executing", "## Your Task\n\nExecute this step, and only this step: **step-1**\n\nAdd the form\n"],
    ["reflecting", "## Your Task\n\nCompleted steps:\n\n- [step-0] Add the table\n\nLook back.\n"],
  ])("S003-01 D-13 it prints the %s prompt, the same as ralphctl prompt", async (mode, task) => {
    const { code, stdout, stderr } = await script("sprints/login", mode, "3");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const opening =
      "# Sprint: S-42 | Iteration: 3\n\n## Goal\n\nUsers can log in.\n\n## Current Position\n\n- Steps: 1 of 2";
    expect(stdout.startsWith(opening)).toBe(true);
    expect(stdout).toContain(task);
    expect(stdout).toContain("\nWhen goal is FULLY achieved: RALPH_COMPLETE: [summary]\n");
    const args = ["prompt", mode, "--sprint", "sprints/login", "--iteration", "3"];
    expect(await typed(args, { cwd })).toEqual({ code, stdout, stderr });
  });
});

describe("the script", () => {
  test.each([
    ["no argument", [], "Sprint directory required"],
    ["a folder that does not exist", ["gone", "planning", "1"], "gone does not exist"],
    ["a folder without PROGRESS.yaml", ["bad/empty", "planning", "1"], "PROGRESS.yaml not found"],
    ["no mode", ["sprints/login"], "Mode required"],
    ["another mode", ["sprints/login", "dreaming", "1"], "Unknown mode 'dreaming'"],
    ["no iteration", ["sprints/login", "planning"], "Iteration required"],
    ["iteration 0", ["sprints/login", "planning", "0"], "Iteration required"],
    ["iteration x", ["sprints/login", "planning", "x"], "Iteration required"],
    ["a fourth argument", ["sprints/login", "planning", "1", "x"], "Three arguments expected"],
    ["a link that leads out (W-05)", ["bad/link", "planning", "1"], "points outside the workspace"],
    ["no goal (S003-08)", ["bad/no-goal", "planning", "1"], "has no goal"],
    ["a tab", ["bad/tab", "planning", "1"], "line 2, column 1"],
    ["a list", ["bad/list", "planning", "1"], "is not a mapping"],
    ["steps that are no list", ["bad/steps", "planning", "1"], "dynamic-steps is not a list"],
    ["an odd status", ["bad/status", "executing", "1"], 'status "odd"'],
    ["a cycle of anchors", ["bad/cycle", "planning", "1"], "line 2"],
    [
      "a workflow that does not exist",
      ["bad/workflow", "planning", "1"],
      'workflow names an unknown workflow, "gone" (bad/workflow/PROGRESS.yaml, line 2, column 11)',
    ],
    ["a sprint with phases", ["bad/phases", "planning", "1"], "run --dry-run --sprint bad/phases"],
  ])("S003-01 D-13 exits 1 with a word on stderr: %s", async (_name, args, words) => {
    expect(await script(...args)).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(words) });
  });

  test("finds the program beside itself through a link, and needs no yq", async () => {
    const bin = temporaryFolder();
    symlinkSync(SCRIPT, join(bin, "one"));
    symlinkSync("one", join(bin, "two"));
    const env = { CDPATH: `${process.cwd()}:${cwd}` };
    const { code, stdout } = await start(join(bin, "two"), ["sprints/login", "planning", "1"], { cwd, env });
    expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 0, first: "# Sprint: S-42 | Iteration: 1" });
  });
});

test("D-13 the CLI's own errors are usage (64) and data (65)", async () => {
  const code = async (directory: string): Promise<number> =>
    (await typed(["prompt", "planning", "--sprint", directory], { cwd })).code;
  expect(await Promise.all(["gone", "", "bad/empty", "bad/no-goal", "bad/tab"].map(code))).toEqual([
    64, 64, 64, 65, 65,
  ]);
});
