import { expect, test } from "vitest";
import { RalphError } from "../../domain/error.ts";
import { RALPH_WORKFLOW } from "../../domain/template/workflow.ts";
import type { HooksInFile } from "../../scope/scope.ts";
import { readYaml } from "../../system/yaml-text.ts";
import { workflowHooks } from "./workflow-hooks.ts";

function inFile(file: string, text: string): HooksInFile {
  const yaml = readYaml(text);
  if (yaml.kind === "broken") throw new Error(text);
  const data = yaml.data as Readonly<Record<string, unknown>>;
  return { file, value: data["per-iteration-hooks"], locate: yaml.locate };
}

const WORKFLOW = `name: Mine
per-iteration-hooks:
  - id: learning
    workflow: "m42-signs:learning-extraction"
    parallel: true
    enabled: false
  - id: push
    run: git push
    timeout: 90
`;

const LEARNING = {
  id: "learning",
  on: null,
  run: null,
  prompt: null,
  workflow: "m42-signs:learning-extraction",
  use: null,
  url: null,
  parallel: true,
  enabled: false,
  timeout: null,
};
const PUSH = {
  ...LEARNING,
  id: "push",
  run: "git push",
  workflow: null,
  parallel: false,
  enabled: true,
  timeout: 90_000,
};

const of = async (workflow: string, sprint?: string) =>
  await workflowHooks(inFile("flow.yaml", workflow), sprint === undefined ? undefined : inFile("SPRINT.yaml", sprint));

test("S003-03 a workflow's hooks are read as those of the configuration, with their places", async () => {
  const hooks = await of(WORKFLOW);
  expect(hooks.map(({ placeOf, ...hook }) => [hook, placeOf("id")])).toEqual([
    [{ ...LEARNING, key: "per-iteration-hooks[0]" }, "file flow.yaml line 3"],
    [{ ...PUSH, key: "per-iteration-hooks[1]" }, "file flow.yaml line 7"],
  ]);
  expect(await of("name: None\n")).toEqual([]);
});

test("S003-03 a sprint switches hooks by their id, and everything else of them stays", async () => {
  const hooks = await of(WORKFLOW, "per-iteration-hooks:\n  learning:\n    enabled: true\n  push: { timeout: 5 }\n");
  expect(hooks.map(({ placeOf, ...hook }) => [hook, placeOf("enabled"), placeOf("timeout")])).toEqual([
    [{ ...LEARNING, enabled: true, key: "per-iteration-hooks[0]" }, "file SPRINT.yaml line 3", "file flow.yaml line 3"],
    [{ ...PUSH, timeout: 5000, key: "per-iteration-hooks[1]" }, "file flow.yaml line 7", "file SPRINT.yaml line 4"],
  ]);
});

test("S003-03 all hooks of the shipped workflow are off, and each can be switched on", async () => {
  const ids = ["learning", "documentation", "tests"];
  const off = await of(RALPH_WORKFLOW);
  const switches = ids.map((id) => `  ${id}: { enabled: true }\n`).join("");
  const on = await of(RALPH_WORKFLOW, `per-iteration-hooks:\n${switches}`);
  expect([off, on].map((hooks) => hooks.map(({ id, enabled }) => [id, enabled]))).toEqual([
    ids.map((id) => [id, false]),
    ids.map((id) => [id, true]),
  ]);
});

test.each([
  [
    "an unknown key",
    [WORKFLOW.replace("parallel", "paralel")],
    "Unknown key per-iteration-hooks[0].paralel; the closest is per-iteration-hooks[0].parallel (flow.yaml, line 5, column 5)",
    "Write `per-iteration-hooks[0].parallel`",
  ],
  [
    "one id twice",
    [WORKFLOW.replace("id: push", "id: learning")],
    "per-iteration-hooks[1] repeats the id learning (flow.yaml, line 7, column 5)",
    "Correct the value; `ralphctl config schema` describes every key",
  ],
  [
    "a hook that does nothing",
    ["per-iteration-hooks:\n  - id: a\n"],
    "per-iteration-hooks[0] must have exactly one of run, prompt, workflow and use (flow.yaml, line 2, column 5)",
    "Correct the value; `ralphctl config schema` describes every key",
  ],
  [
    "no list",
    ["per-iteration-hooks: yes\n"],
    'per-iteration-hooks must be a list of hooks, not "yes" (flow.yaml, line 1, column 22)',
    "Correct the value; `ralphctl config schema` describes every key",
  ],
  [
    "a sprint's hook that the workflow lacks",
    [WORKFLOW, "goal: G\nper-iteration-hooks:\n  lerning: { enabled: true }\n"],
    "per-iteration-hooks.lerning is not a hook of the workflow (SPRINT.yaml, line 3, column 3)",
    "Did you mean learning?",
  ],
  [
    "a sprint's list",
    [WORKFLOW, "per-iteration-hooks: [learning]\n"],
    "per-iteration-hooks must be a mapping of ids to keys and values (SPRINT.yaml, line 1, column 1)",
    "Write `learning: { enabled: true }`",
  ],
  [
    "a sprint's wrong value",
    [WORKFLOW, "per-iteration-hooks:\n  learning:\n    enabled: maybe\n"],
    'per-iteration-hooks.learning.enabled must be true or false, not "maybe" (SPRINT.yaml, line 3, column 14)',
    "Correct the value; `ralphctl config schema` describes every key",
  ],
] as const)("S003-03 %s is named with file, line, key and rule", async (_, [workflow, sprint], message, hint) => {
  const error: unknown = await of(workflow, sprint).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RalphError);
  const { kind, message: said, hint: told } = error as RalphError;
  expect([kind, said, told]).toEqual(["data", message, hint]);
});
