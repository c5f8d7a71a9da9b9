import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { RalphError } from "../domain/error.ts";
import { readSprintDefinition } from "./sprint-definition.ts";

interface Files {
  readonly sprint?: string;
  /** The workflow `own`. */
  readonly own?: string;
}

async function read({ sprint = "workflow: own\ngoal: x\n", own }: Files, isStrict = false) {
  const root = temporaryFolder({ "SPRINT.yaml": sprint, ...(own !== undefined && { "flows/own.yaml": own }) });
  return await readSprintDefinition(
    { directory: root, shown: "s", root, workflows: [join(root, "flows")] },
    { isStrict },
  );
}

async function refusal(files: Files, isStrict = false): Promise<readonly unknown[]> {
  const error: unknown = await read(files, isStrict).catch((thrown: unknown) => thrown);
  if (!(error instanceof RalphError)) throw new Error("It was not refused");
  return [error.kind, ...error.message.split("\n"), error.hint];
}

describe("what is wrong in a sprint's files", () => {
  const BAD: Readonly<Record<string, readonly [files: Files, ...lines: string[]]>> = {
    "S003-02 a workflow that is nowhere": [
      { sprint: "workflow: nowhere.yml\ngoal: x\n", own: "" },
      'workflow names an unknown workflow, "nowhere.yml" (s/SPRINT.yaml, line 1, column 11)',
      "Choose one of: own; or write flows/nowhere.yaml",
    ],
    "S003-08 no goal": [
      { sprint: "title: x\n" },
      "goal is missing, and ralph mode needs one (s/SPRINT.yaml, line 1, column 1)",
      "Add a line `goal: …` to s/SPRINT.yaml",
    ],
    "S003-02 values of SPRINT.yaml": [
      { sprint: "goal: ''\nsprint-id: {}\ntitle: 5\nidle-threshold: soon\nmin-iterations: 0\nmode: rush\n" },
      'goal must be text that is not empty, not "" (s/SPRINT.yaml, line 1, column 7)',
      "sprint-id must be text that is not empty, not a mapping (s/SPRINT.yaml, line 2, column 12)",
      'idle-threshold must be a whole number of at least 1, not "soon" (s/SPRINT.yaml, line 4, column 17)',
      "min-iterations must be a whole number of at least 1, not 0 (s/SPRINT.yaml, line 5, column 17)",
      'mode must be `ralph`, not "rush" (s/SPRINT.yaml, line 6, column 7)',
      "Write the text after the colon",
    ],
    "S003-02 neither mode nor phases": [
      { own: "name: x\n" },
      "mode is missing, and so is phases (flows/own.yaml, line 1, column 1)",
      "Write `mode: ralph`, or list the phases",
    ],
    "S003-02 mode and phases": [
      { own: "mode: ralph\nphases:\n  - {id: a, prompt: b}\n" },
      "phases and `mode: ralph` exclude each other (flows/own.yaml, line 2, column 1)",
      "Keep the goal or the phases",
    ],
    "S003-02 phases that are no list": [
      { own: "phases: x\n" },
      'phases must be a list of phases, not "x" (flows/own.yaml, line 1, column 9)',
      "Write `- id: prepare` and `prompt: …` for each",
    ],
    "S003-02 no phase at all": [
      { own: "phases: []\n" },
      "phases must name at least one phase (flows/own.yaml, line 1, column 9)",
      "Write `- id: prepare` and `prompt: …` for each",
    ],
    "S003-02 a phase that is a word": [
      { own: "phases: [x, {id: a, prompt: b}]\n" },
      'phases[0] must be a mapping with id and prompt, not "x" (flows/own.yaml, line 1, column 10)',
      "Write `- id: prepare` and `prompt: …` for each",
    ],
    "S003-02 values of a phase": [
      {
        own: "phases:\n  - {prompt: x}\n  - {id: a b, prompt: ' '}\n  - 5\n  - {id: c, prompt: 1, name: []}\n  - {id: c, prompt: x}\n",
      },
      "phases[0].id is missing; it must be text that is not empty (flows/own.yaml, line 2, column 5)",
      'phases[1].id must be a name of 1 to 64 letters, digits, dots, underscores or hyphens, not "a b" (flows/own.yaml, line 3, column 10)',
      'phases[1].prompt must be text that is not empty, not " " (flows/own.yaml, line 3, column 23)',
      "phases[2] must be a mapping with id and prompt, not 5 (flows/own.yaml, line 4, column 5)",
      "phases[3].name must be text that is not empty, not a list (flows/own.yaml, line 5, column 30)",
      "phases[4].id repeats the id c (flows/own.yaml, line 6, column 6)",
      "Add `id`",
    ],
    "S003-02 a phase's gate": [
      {
        own: "phases:\n  - {id: a, prompt: x, gate: ''}\n  - {id: b, prompt: x, gate: {timeout: 5}}\n  - {id: c, prompt: x, gate: {run: '', timeout: x}}\n  - {id: d, prompt: x, gate: {run: y, timeout: 5m}}\n",
      },
      'phases[0].gate must be a command, or `{ run, timeout }`, not "" (flows/own.yaml, line 2, column 30)',
      "phases[1].gate.run is missing; it must be text that is not empty (flows/own.yaml, line 3, column 30)",
      'phases[2].gate.run must be text that is not empty, not "" (flows/own.yaml, line 4, column 36)',
      'phases[2].gate.timeout must be a duration, not "x" (flows/own.yaml, line 4, column 49)',
      "Write `gate: COMMAND`",
    ],
  };

  test.each(Object.entries(BAD))("%s", async (_what, [files, ...lines]) => {
    expect(await refusal(files)).toEqual(["data", ...lines]);
  });

  test("S003-02 unknown keys are warnings, and errors where somebody is strict", async () => {
    const files = {
      sprint: "workflow: own\nphases: 1\n",
      own: "phases:\n  - {id: a, prompt: x, gat: y}\n  - {id: b, prompt: x, gate: {run: y, tmeout: 5}}\n",
    };
    const warnings = [
      "Unknown key phases (s/SPRINT.yaml, line 2, column 1)",
      "Unknown key phases[0].gat; the closest is phases[0].gate (flows/own.yaml, line 2, column 24)",
      "Unknown key phases[1].gate.tmeout; the closest is phases[1].gate.timeout (flows/own.yaml, line 3, column 39)",
    ];
    const { phases, warnings: told } = await read(files);
    expect([phases.map(({ gate }) => gate?.run), told]).toEqual([[undefined, "y"], warnings]);
    const hint =
      "Use only: name, description, mode, goal-prompt, reflection-prompt, idle-threshold, min-iterations, max-iterations, per-iteration-hooks, sprint-id, title, workflow, goal, created, collections, steps, owner, config, ralph, schema-version, model, worktree";
    expect(await refusal(files, true)).toEqual(["data", ...warnings, hint]);
  });
});

/** In the shapes of m42's own workflows. */
const FLOWS = {
  "flows/standard.yaml": `schema-version: "2.0"
name: Standard
phases:
  - id: prepare
    prompt: Prepare {{sprint.id}} ({{sprint.name}}).
  - id: development
    for-each: step
    workflow: feature
  - id: qa
    prompt: Check it, as {{phase.id}}.
    gate:
      script: npm test
      on-fail: { prompt: Mend the tests., max-retries: 3 }
      timeout: 60
`,
  "flows/feature.yaml": `name: Feature
phases:
  - { id: plan, prompt: "Plan {{item.id}}: {{step.prompt}}" }
  - { id: build, prompt: "Build {{item.prompt}} ({{item.index}}, {{item.risk}}).", gate: make check }
`,
  "flows/quick.yaml": "name: Quick\nphases:\n  - { id: execute, prompt: 'Do {{item.prompt}}' }\n",
  "flows/flat.yaml": "name: Flat\nphases:\n  - { id: all, for-each: bug, prompt: 'Mend {{bug.prompt}}' }\n",
  "flows/nested.yaml":
    "name: Nested\nphases:\n  - { id: first, workflow: flat }\n  - { id: then, workflow: quick-end }\n",
  "flows/quick-end.yaml": "name: End\nphases:\n  - { id: say, prompt: Say it. }\n",
  "flows/round.yaml": "name: Round\nphases:\n  - { id: a, workflow: round }\n",
};

async function expand(sprint: string, isStrict = false) {
  const root = temporaryFolder({ ...FLOWS, "SPRINT.yaml": sprint });
  const place = { directory: root, shown: "s", root, workflows: [join(root, "flows")] };
  return await readSprintDefinition(place, { isStrict });
}

describe("D-11 phases for each item of a collection", () => {
  test("a workflow for each, another one for some, and variables", async () => {
    const { phases, warnings } = await expand(`workflow: standard
sprint-id: 2026-01-18_login
name: Login
collections:
  step:
    - prompt: Add a form
      risk: high
    - { id: colour, prompt: Paint it, workflow: quick }
`);
    expect(warnings).toEqual([]);
    expect(phases).toEqual([
      { id: "prepare", prompt: "Prepare 2026-01-18_login (Login).", gate: undefined },
      {
        id: "development",
        prompt: "development",
        gate: undefined,
        steps: [
          {
            id: "step-0",
            prompt: "Add a form",
            gate: undefined,
            needs: undefined,
            phases: [
              { id: "step-0-plan", prompt: "Plan step-0: Add a form", gate: undefined },
              {
                id: "step-0-build",
                prompt: "Build Add a form (0, high).",
                gate: { run: "make check", timeoutMs: undefined },
              },
            ],
          },
          { id: "colour", prompt: "Do Paint it", gate: undefined, needs: undefined, phases: undefined },
        ],
      },
      {
        id: "qa",
        prompt: "Check it, as qa.\n\nIf its gate fails:\n\nMend the tests.",
        gate: { run: "npm test", timeoutMs: 60_000 },
      },
    ]);
  });

  test("a prompt for each, prerequisites by id, and workflows within workflows", async () => {
    const { phases } = await expand(`workflow: nested
collections:
  bug:
    - { id: one, prompt: the leak }
    - { id: two, prompt: the crash, depends-on: [one] }
    - prompt: the typo
`);
    const leaf = { gate: undefined, phases: undefined };
    expect(phases).toEqual([
      {
        id: "first-all",
        prompt: "all",
        gate: undefined,
        steps: [
          { id: "one", prompt: "Mend the leak", needs: [], ...leaf },
          { id: "two", prompt: "Mend the crash", needs: ["one"], ...leaf },
          { id: "bug-2", prompt: "Mend the typo", needs: [], ...leaf },
        ],
      },
      { id: "then-say", prompt: "Say it.", gate: undefined },
    ]);
  });

  test("a workflow that speaks of an item and is for none in particular is for each", async () => {
    const { phases, warnings } = await expand(
      "workflow: quick\ncollections: { bug: [{ prompt: a }, { prompt: b }] }\n",
    );
    expect([phases.map(({ id, steps }) => [id, steps?.map(({ prompt }) => prompt)]), warnings]).toEqual([
      [["bugs", ["Do a", "Do b"]]],
      [],
    ]);
  });

  test("older sprints list steps, also as words", async () => {
    const { phases } = await expand("workflow: standard\nsteps:\n  - Add a form\n");
    expect(phases[1]?.steps?.map(({ prompt }) => prompt)).toEqual(["Add a form"]);
  });

  test("limits in groups are those of the sprint, and what a run does otherwise is said", async () => {
    const { warnings, ...definition } = await expand(`workflow: flat
config: { max-iterations: unlimited, time-box: 2h, auto-commit: true, max-tasks: 50 }
ralph: { idle-threshold: 4, min-iterations: 15 }
model: opus
worktree: { enabled: true }
collections: { bug: [{ prompt: "x {{ nobody.knows }}" }] }
`);
    expect(definition).toMatchObject({ maxIterations: 0, timeMs: 7_200_000, idleThreshold: 4, minIterations: 15 });
    expect(warnings).toEqual([
      "s/SPRINT.yaml: worktree is not needed: each session works in a clone of its own",
      "s/SPRINT.yaml: model is passed over: use --model, or ralphctl task edit ID --model NAME",
    ]);
  });

  test.each([
    [
      "workflow: flat\ncollections: { bug: }\n",
      "phases[0].for-each is for each bug, and s/SPRINT.yaml has none (flows/flat.yaml, line 3, column 16)",
    ],
    [
      "workflow: flat\ncollections: { bug: [{ prompt: x, depends-on: y }] }\n",
      "collections.bug[0].depends-on names y, which is no bug (s/SPRINT.yaml, line 2, column 35)",
    ],
    [
      "workflow: flat\ncollections: { bug: [{ prompt: x, workflow: gone }] }\n",
      'collections.bug[0].workflow names an unknown workflow, "gone" (s/SPRINT.yaml, line 2, column 35)',
    ],
    ["workflow: round\n", "phases[0].workflow leads back to round (flows/round.yaml, line 3, column 14)"],
    [
      "workflow: flat\ncollections: { bug: [{ id: x }] }\n",
      "collections.bug[0].prompt is missing; it must be text that is not empty (s/SPRINT.yaml, line 2, column 22)",
    ],
  ])("S003-02 %j is refused", async (sprint, message) => {
    await expect(expand(sprint)).rejects.toMatchObject({ kind: "data", message });
  });
});
