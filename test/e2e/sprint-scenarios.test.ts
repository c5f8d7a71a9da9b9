import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { start } from "../built-program.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

// The eight scenarios of the seed, on what a new user has: `init`, a sprint of three lines, and a whole run of it. In each
// iteration the agent itself calls the script, so that what the loop sent and what the script prints can be compared.

const SCRIPT = join(process.cwd(), "scripts", "build-ralph-prompt.sh");
const WORKFLOW = ".claude/workflows/ralph.yaml";
const MODES = ["planning", "executing", "planning", "reflecting"] as const;

const said = (iteration: number): string => `.ralph/said-${iteration}.tmp`;

const session = (iteration: number, ...steps: readonly Readonly<Record<string, unknown>>[]) => ({
  when: { iteration },
  steps: [
    { run: `'${SCRIPT}' sprints/greeting ${MODES[iteration - 1]} ${iteration} > $HOME/${said(iteration)}` },
    ...steps,
  ],
});

let place: LoopWorkspace;
let run: LoopRun;

beforeAll(async () => {
  place = await loopWorkspace({
    tasks: [],
    config: "gates:\n  - { id: test, run: test ! -f broken.txt }\n",
    files: { "sprints/greeting/SPRINT.yaml": "workflow: ralph\ngoal: A greeting is there\nidle-threshold: 1\n" },
    script: JSON.stringify([
      session(1, { run: 'ralphctl task add --sprint sprints/greeting "Write it"' }, { say: "One step." }),
      session(
        2,
        { write: { path: "greeting.txt", text: "Hello\n" } },
        { say: "It is written. <task-done>{task}</task-done>" },
      ),
      session(3, { say: "I see nothing more to add." }),
      session(4, { say: "It is all there.\n\nRALPH_COMPLETE: It greets" }),
    ]),
  });
  run = await place.run("--sprint", "sprints/greeting");
});

describe("the eight scenarios of the seed, after a whole run", () => {
  test("S003-05 S003-06 D-12 the run planned, executed, looked back, and was believed when the gates had their say", async () => {
    expect([run.code, run.outcomes, await place.states(), place.read("greeting.txt")]).toEqual([
      0,
      ["planned", "verified", "planned", "verified"],
      { "Goal: A greeting is there": "done", "Write it": "done" },
      "Hello\n",
    ]);
  });

  test("S003-01 1 the script file exists", () => {
    expect(existsSync(SCRIPT)).toBe(true);
  });

  test("S003-01 2 the script is executable", () => {
    expect(() => accessSync(SCRIPT, constants.X_OK)).not.toThrow();
  });

  test("S003-01 3 the script passes bash's look at its syntax", async () => {
    expect(await start("bash", ["-n", SCRIPT], { cwd: place.folder })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("S003-02 4 the workflow file is there after init, and the sprint ran by it", () => {
    expect(existsSync(join(place.folder, WORKFLOW))).toBe(true);
    expect(run.prompt(1)).toContain("## Your Task\n\nAnalyse the goal and the current state of the repository.\n");
  });

  test("S003-02 5 6 7 the workflow is valid YAML, has mode: ralph, and a list of hooks that are all off", () => {
    const workflow = parse(readFileSync(join(place.folder, WORKFLOW), "utf8")) as Readonly<Record<string, unknown>>;
    expect([workflow["mode"], workflow["per-iteration-hooks"]]).toEqual([
      "ralph",
      ["learning", "documentation", "tests"].map((id) => ({
        id,
        prompt: expect.any(String) as string,
        parallel: false,
        enabled: false,
      })),
    ]);
    expect(run.events.filter(({ type }) => type === "hook.started")).toEqual([]);
  });

  test.each(MODES.map((mode, index) => [mode, index + 1] as const))(
    "S003-01 D-13 8 the script handles %s: what it prints in iteration %i is what the loop sent",
    (mode, iteration) => {
      const printed = place.read(said(iteration));
      expect(
        printed.startsWith(`# Sprint: greeting | Iteration: ${iteration}\n\n## Goal\n\nA greeting is there\n`),
      ).toBe(true);
      expect(printed).toContain(WORDS[mode]);
      expect(printed).toContain("\nWhen goal is FULLY achieved: RALPH_COMPLETE: [summary]\n");
      expect(run.prompt(iteration)).toContain(printed.trimEnd());
    },
  );
});

const WORDS = {
  planning: "## Your Task\n\nAnalyse the goal and the current state of the repository.",
  executing: "## Your Task\n\nExecute this step, and only this step: **step-0**\n\nWrite it\n",
  reflecting: "## Your Task\n\nCompleted steps:\n\n- [step-0] Write it\n\nNo step is pending.",
} as const;
