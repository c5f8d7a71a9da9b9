import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RalphError } from "../domain/error.ts";
import { loadConfig, RESERVED_VARIABLES, type Config, type ConfigRequest } from "./config.ts";

let root = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "ralphctl-env-")));
  await mkdir(join(root, ".ralph"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const read = async (request: Partial<ConfigRequest>): Promise<Config> =>
  (await loadConfig({ cwd: root, env: {}, ...request })).config;

async function failure(request: Partial<ConfigRequest>): Promise<[string, string, string | undefined]> {
  const error: unknown = await read(request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RalphError)) throw new Error(`expected a RalphError, got ${String(error)}`);
  return [error.kind, error.message, error.hint];
}

const cases: readonly [string, string, (config: Config) => unknown, unknown][] = [
  ["RALPHCTL_LIMITS_COST", "2.5", (config) => config.limits.cost, 2.5],
  ["RALPHCTL_LIMITS_COST", "~", (config) => config.limits.cost, null],
  ["RALPHCTL_LIMITS_MINITERATIONS", "4", (config) => config.limits.minIterations, 4],
  ["RALPHCTL_LIMITS_TIME", "90", (config) => config.limits.time, 90_000],
  ["RALPHCTL_LIMITS_WAIT", "1h30m", (config) => config.limits.wait, 5_400_000],
  ["RALPHCTL_GIT_COMMIT", "false", (config) => config.git.commit, false],
  ["RALPHCTL_GIT_BRANCH", "1.0", (config) => config.git.branch, "1.0"],
  ["RALPHCTL_PROMISE", "all: true", (config) => config.promise, "all: true"],
  ["RALPHCTL_SPECS_DIRS", "a, b ,", (config) => config.specs.dirs, ["a", "b"]],
  ["RALPHCTL_SPECS_DIRS", '[a, "b,c"]', (config) => config.specs.dirs, ["a", "b,c"]],
  ["RALPHCTL_PLAN", "auto", (config) => config.plan, "auto"],
  ["RALPHCTL_PLAN", "[]", (config) => config.plan, []],
  ["RALPHCTL_PLAN", "P.md", (config) => config.plan, ["P.md"]],
  ["RALPHCTL_HARNESS", "codex", (config) => config.harness, ["codex"]],
  ["RALPHCTL_HARNESS", "claude,codex", (config) => config.harness, ["claude", "codex"]],
  [
    "RALPHCTL_GATES",
    "[{ id: a, run: b }]",
    (config) => config.gates,
    [{ id: "a", run: "b", timeout: null, retries: 0 }],
  ],
  ["RALPHCTL_HARNESSES_CLAUDE_MODEL", "opus", (config) => config.harnesses["claude"]?.model, "opus"],
  ["RALPHCTL_HARNESSES_CLAUDE_MODELS", "a,b", (config) => config.harnesses["claude"]?.models, ["a", "b"]],
  ["RALPHCTL_HARNESSES_CLAUDE_ENV", "{ A: b }", (config) => config.harnesses["claude"]?.env, { A: "b" }],
  ["RALPHCTL_HARNESSES_NEW_ONE_ARGS", "-x", (config) => config.harnesses["new_one"]?.args, ["-x"]],
];

test.each(cases)("%s=%s is read by its kind", async (...[variable, text, pick, value]) => {
  expect(pick(await read({ env: { [variable]: text } }))).toEqual(value);
});

test("a harness whose name has other signs is met by its variable", async () => {
  await writeFile(join(root, ".ralph/config.yaml"), "harness: my-agent.2");
  const config = await read({ env: { RALPHCTL_HARNESSES_MY_AGENT_2_MODEL: "m" } });
  expect(config.harnesses["my-agent.2"]?.model).toBe("m");
});

test("an empty variable is not set, and reserved and foreign ones are not ours to read", async () => {
  const reserved = Object.fromEntries(RESERVED_VARIABLES.map((name) => [name, "x"]));
  const env = { ...reserved, RALPHCTL_LIMITS_COST: "", RALPHCTL_NONSENSE: "", RALPH_LIMITS_COST: "x", PATH: "/bin" };
  expect(await read({ env })).toEqual(await read({}));
});

test("the variables of sessions and of hooks are reserved", () => {
  expect(RESERVED_VARIABLES).toEqual([
    "RALPHCTL_ATTEMPT",
    "RALPHCTL_LANE",
    "RALPHCTL_PORT",
    "RALPHCTL_RUN",
    "RALPHCTL_TASK",
    "RALPHCTL_TASK_TITLE",
    "RALPHCTL_SCOPE",
    "RALPHCTL_ITERATION",
    "RALPHCTL_MARKER",
    "RALPHCTL_MODEL",
    "RALPHCTL_PROMPT",
    "RALPHCTL_WORKSPACE",
    "RALPHCTL_DOOR",
    "RALPHCTL_TRUST",
    "RALPHCTL_FLEET_URL",
    "RALPHCTL_HOOK",
    "RALPHCTL_HOOK_POINT",
    "RALPHCTL_HOOK_TEXT",
    "RALPHCTL_HOOK_LINK",
    "RALPHCTL_HOOK_OUTCOME",
    "RALPHCTL_HOOK_COMMIT",
    "RALPHCTL_HOOK_FOLDER",
  ]);
});

test.each([
  [
    "a typo in a limit",
    { RALPHCTL_LIMITS_COSTS: "5" },
    "Unknown environment variable RALPHCTL_LIMITS_COSTS; the closest is RALPHCTL_LIMITS_COST",
    "Set `RALPHCTL_LIMITS_COST` instead, or `unset RALPHCTL_LIMITS_COSTS`",
  ],
  [
    "a typo in a harness's key",
    { RALPHCTL_HARNESSES_CLAUDE_MODLE: "x" },
    "Unknown environment variable RALPHCTL_HARNESSES_CLAUDE_MODLE; the closest is RALPHCTL_HARNESSES_CLAUDE_MODEL",
    "Set `RALPHCTL_HARNESSES_CLAUDE_MODEL` instead, or `unset RALPHCTL_HARNESSES_CLAUDE_MODLE`",
  ],
  [
    "a name that nothing resembles",
    { RALPHCTL_XYZ_0123456789_ABCDEFGHIJKLMNOPQRSTUVW: "x" },
    "Unknown environment variable RALPHCTL_XYZ_0123456789_ABCDEFGHIJKLMNOPQRSTUVW",
    "Unset it: `unset RALPHCTL_XYZ_0123456789_ABCDEFGHIJKLMNOPQRSTUVW`",
  ],
  [
    "a wrong value",
    { RALPHCTL_LIMITS_COST: "abc" },
    'RALPHCTL_LIMITS_COST must be a number greater than 0, not "abc"',
    "Correct the value; `ralphctl config schema` describes every key",
  ],
  [
    "a value that is only a comment",
    { RALPHCTL_LIMITS_COST: "# 5" },
    'RALPHCTL_LIMITS_COST must be a number greater than 0, not "# 5"',
    "Correct the value; `ralphctl config schema` describes every key",
  ],
  [
    "a wrong entry",
    { RALPHCTL_SPECS_DIRS: "[a, 5]" },
    "RALPHCTL_SPECS_DIRS[1] must be one line of text that is not empty, not 5",
    "Put quotes around it",
  ],
])("%s in the environment is an error of configuration", async (_name, env, ...said) => {
  expect(await failure({ env })).toEqual(["config", ...said]);
});

test("a prototype is no harness", async () => {
  expect((await failure({ env: { RALPHCTL_HARNESSES___PROTO___MODEL: "x" } }))[0]).toBe("config");
  expect(({} as Record<string, unknown>)["model"]).toBe(undefined);
});

test("flags bring typed values or text, and undefined where they were not given", async () => {
  const flags = {
    limits: { iterations: 5, cost: "1.5", time: undefined, gate: "2m" },
    git: { commit: false },
    harness: "a,b",
  };
  const config = await read({ flags });
  expect([config.limits, config.git.commit, config.harness]).toEqual([
    { ...(await read({})).limits, iterations: 5, cost: 1.5, gate: 120_000 },
    false,
    ["a", "b"],
  ]);
});

test("a wrong flag is a usage error by the flag's name, or the key's", async () => {
  const flags = { limits: { iterations: "many" } };
  const flagNames = { "limits.iterations": "--max-iterations" };
  const [kind, message] = await failure({ flags, flagNames });
  expect([kind, message]).toEqual(["usage", '--max-iterations must be a whole number or unlimited, not "many"']);
  expect((await failure({ flags }))[1]).toBe('limits.iterations must be a whole number or unlimited, not "many"');
});
