import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import { RalphError } from "../domain/error.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { type Config, loadConfig, type ConfigRequest, type LoadedConfig } from "./config.ts";
import type { configSchema } from "./schema.ts";

type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;

test("the type that programs see is what the schema gives", () => {
  expectTypeOf<Immutable<z.output<typeof configSchema>>>().toEqualTypeOf<Config>();
});

let root = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "ralphctl-config-")));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(path: string, text: string): Promise<string> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

const load = (request: Partial<ConfigRequest> = {}): Promise<LoadedConfig> =>
  loadConfig({ cwd: root, env: { HOME: join(root, "home") }, ...request });

async function failure(
  loading: Promise<unknown>,
): Promise<{ kind: string; message: string; hint: string | undefined }> {
  const error = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RalphError)) throw new Error(`expected a RalphError, got ${String(error)}`);
  return { kind: error.kind, message: error.message, hint: error.hint };
}

describe("defaults", () => {
  const claude = {
    model: null,
    smart: "opus",
    fast: "sonnet",
    models: ["opus", "sonnet", "haiku"],
    bin: null,
    args: [],
    env: {},
    userSettings: "all",
    preamble: true,
    kind: null,
    run: null,
    permissions: "allow",
    promptBy: "stdin",
    output: "text",
    script: null,
    recording: null,
  };
  const defaults = {
    harness: ["claude"],
    harnesses: { claude },
    models: { strategy: "fixed" },
    specs: { dirs: [".ralph/specs"] },
    plan: "auto",
    prompts: { plan: "PROMPT_plan.md", build: "PROMPT_build.md", layout: "wrapped", template: null },
    promise: "COMPLETE",
    gates: "auto",
    verify: {
      in: "room",
      setup: null,
      protect: [".ralph/config.yaml", ".worktreeinclude", ".github/workflows/**"],
      testFiles: [...DEFAULT_TEST_FILES],
      tests: "look",
      extra: 120_000,
      applyFixes: false,
      packageFirst: "auto",
      together: "on",
      reviewer: null,
      allowUnverified: false,
    },
    fleet: { remote: "origin", lease: 60_000, patience: 600_000 },
    lanes: { count: 1, gates: 1, exclusiveGates: false, inPlace: false, folder: null, setup: null, env: {}, keep: [] },
    git: { commit: true, branch: null, maxFile: 5 * 1024 * 1024 },
    commit: { allow: [] },
    limits: {
      iterations: null,
      minIterations: 1,
      attempts: 3,
      iterationsPerTask: 10,
      errors: 5,
      noProgress: 3,
      conflicts: 2,
      newTasks: 50,
      time: null,
      cost: null,
      tokens: null,
      inactivity: 15 * 60_000,
      retryPatience: 60_000,
      attempt: 2 * 3_600_000,
      grace: 5000,
      gate: 600_000,
      hook: 600_000,
      setup: 600_000,
      wait: 12 * 3_600_000,
      prompt: 1024 * 1024,
      context: 64 * 1024,
    },
    hooks: [],
    layouts: ["openspec", ".ito", ".spool", ".ralph", ".specify"],
    workflows: [".claude/workflows", ".ralph/workflows"],
    plugins: {},
    notify: {
      terminal: "on",
      ntfy: null,
      slack: null,
      discord: null,
      telegram: null,
      telegramChat: null,
      webhook: null,
    },
    sprint: { idleThreshold: 3 },
    redact: { variables: [], forms: [], allow: [] },
    processes: { keep: false, namespace: "auto" },
    sandbox: { agent: "off", gates: "same", write: [], read: [], hide: [], image: null },
  };

  test("without any file, every key has the default of the contract", async () => {
    const { config, workspace, files } = await load();
    expect({ config, workspace, files }).toEqual({ config: defaults, workspace: undefined, files: [] });
  });

  test("cfg-R3 specs.dirs is [.ralph/specs]", async () => {
    expect((await load()).config.specs).toEqual({ dirs: [".ralph/specs"] });
  });

  test("the written form has the same defaults as a file would", async () => {
    const { written } = await load();
    expect(written["limits"]).toMatchObject({ inactivity: "15m", prompt: "1MB", cost: null });
    expect(written["harnesses"]).toEqual({ claude });
  });

  test.each([
    ["empty", ""],
    ["blank", "\n  \n"],
    ["a comment", "# nothing\n"],
    ["a document start", "---\n"],
    ["groups without content", "limits:\nharnesses:\n  claude:\nspecs:\n"],
    ["a byte order mark", "\uFEFF"],
  ])("a file that is %s changes nothing", async (_name, text) => {
    await write(".ralph/config.yaml", text);
    expect((await load()).config).toEqual(defaults);
  });

  test("nothing in it can be changed", async () => {
    const { config, written } = await load();
    const pushed = () => (config.specs.dirs as string[]).push("x");
    const set = () => Object.assign(config.harnesses["claude"]!.env, { A: "b" });
    const setWritten = () => Object.assign(written["limits"] as object, { cost: 1 });
    expect(pushed).toThrow(TypeError);
    expect(set).toThrow(TypeError);
    expect(setWritten).toThrow(TypeError);
  });
});

test("every kind of value is read: durations to ms, sizes to bytes, lists, mappings, null", async () => {
  await write(
    ".ralph/config.yaml",
    [
      "\uFEFFharness: [claude, codex]",
      "harnesses:",
      "  codex: { model: o9, args: [--fast], env: { A: b }, preamble: false }",
      "plan: []",
      "gates: [{ id: test, run: npm test, timeout: 1m30s }]",
      "hooks: [{ id: note, prompt: Write it down, timeout: 90 }]",
      "limits: { time: 8h, cost: 0.5, tokens: 1, newTasks: 0, context: 128KB, prompt: 4096 }",
      "git: { branch: ~ }",
    ].join("\r\n"),
  );
  const { config } = await load();
  const { harness, plan, gates, hooks } = config;
  expect({ harness, codex: config.harnesses["codex"], plan, gates, hooks }).toEqual({
    harness: ["claude", "codex"],
    codex: {
      model: "o9",
      smart: null,
      fast: null,
      models: [],
      bin: null,
      args: ["--fast"],
      env: { A: "b" },
      userSettings: "all",
      preamble: false,
      kind: null,
      run: null,
      permissions: "allow",
      promptBy: "stdin",
      output: "text",
      script: null,
      recording: null,
    },
    plan: [],
    gates: [{ id: "test", run: "npm test", timeout: 90_000, retries: 0 }],
    hooks: [
      {
        id: "note",
        on: null,
        run: null,
        prompt: "Write it down",
        workflow: null,
        use: null,
        url: null,
        parallel: false,
        enabled: true,
        timeout: 90_000,
      },
    ],
  });
  expect(config.limits).toMatchObject({
    time: 28_800_000,
    cost: 0.5,
    tokens: 1,
    newTasks: 0,
    context: 131_072,
    prompt: 4096,
  });
});

test("a harness that nobody configured has plain settings, whatever its name", async () => {
  const { harness } = await load();
  expect(harness("claude").smart).toBe("opus");
  expect(harness("constructor")).toEqual({
    model: null,
    smart: null,
    fast: null,
    models: [],
    bin: null,
    args: [],
    env: {},
    userSettings: "all",
    preamble: true,
    kind: null,
    run: null,
    permissions: "allow",
    promptBy: "stdin",
    output: "text",
    script: null,
    recording: null,
  });
});

test("what the caller passed in stays the caller's", async () => {
  const dirs = ["a"];
  const { config } = await load({ flags: { specs: { dirs }, verify: { protect: dirs } } });
  dirs.push("b");
  expect(config.verify.protect).toEqual(["a"]);
});

describe("cfg-R2 precedence", () => {
  const layers = ["user file", "workspace file", "--config file", "environment", "flag"] as const;
  type LayerName = (typeof layers)[number];

  async function setUp(present: readonly LayerName[]): Promise<LoadedConfig> {
    const has = (layer: LayerName): boolean => present.includes(layer);
    await mkdir(join(root, ".ralph"), { recursive: true });
    if (has("user file")) await write("home/.config/ralphctl/config.yaml", "limits: { attempts: 11 }\n");
    if (has("workspace file")) await write(".ralph/config.yaml", "\nlimits: { attempts: 12 }\n");
    if (has("--config file")) await write("other.yaml", "\n\nlimits:\n  attempts: 13\n");
    const env = { HOME: join(root, "home"), ...(has("environment") ? { RALPHCTL_LIMITS_ATTEMPTS: "14" } : {}) };
    return load({
      env,
      ...(has("--config file") ? { configFile: "other.yaml" } : {}),
      ...(has("flag")
        ? { flags: { limits: { attempts: "15" } }, flagNames: { "limits.attempts": "--max-attempts" } }
        : {}),
    });
  }

  test.each([
    { present: [], value: 3, origin: "default" },
    { present: ["user file"], value: 11, origin: "file home/.config/ralphctl/config.yaml line 1" },
    { present: ["user file", "workspace file"], value: 12, origin: "file .ralph/config.yaml line 2" },
    { present: ["user file", "workspace file", "--config file"], value: 13, origin: "file other.yaml line 4" },
    { present: layers.slice(0, 4), value: 14, origin: "environment RALPHCTL_LIMITS_ATTEMPTS" },
    { present: layers, value: 15, origin: "flag --max-attempts" },
    { present: ["user file", "flag"], value: 15, origin: "flag --max-attempts" },
    { present: ["user file", "environment"], value: 14, origin: "environment RALPHCTL_LIMITS_ATTEMPTS" },
    { present: ["workspace file", "--config file"], value: 13, origin: "file other.yaml line 4" },
  ] satisfies { present: readonly LayerName[]; value: number; origin: string }[])(
    "of $present the last wins",
    async ({ present, value, origin }) => {
      const { config, lookup } = await setUp(present);
      const found = lookup("limits.attempts");
      expect([config.limits.attempts, found.value, found.origin.text]).toEqual([value, value, origin]);
    },
  );

  test("cfg-R2 mappings are merged at every depth, lists are replaced whole, null unsets", async () => {
    await write(
      "home/.config/ralphctl/config.yaml",
      "harnesses: { claude: { model: a, args: [x, y], env: { A: 1a, B: 1b } } }\nlimits: { cost: 5, time: 1h }\n",
    );
    await write(
      ".ralph/config.yaml",
      "harnesses: { claude: { args: [z], env: { B: 2b } }, codex: { model: c } }\nlimits: { cost: ~ }\n",
    );
    const { config } = await load();
    expect(config.harnesses).toMatchObject({
      claude: { model: "a", smart: "opus", args: ["z"], env: { A: "1a", B: "2b" } },
      codex: { model: "c" },
    });
    expect([config.limits.cost, config.limits.time]).toEqual([null, 3_600_000]);
  });

  test("cfg-R2 the files are listed, the strongest first, each once", async () => {
    const user = await write("xdg/ralphctl/config.yaml", "");
    const own = await write(".ralph/config.yaml", "");
    const other = await write("other.yaml", "");
    const env = { HOME: join(root, "home"), XDG_CONFIG_HOME: join(root, "xdg") };
    expect((await load({ env, configFile: "other.yaml" })).files).toEqual([other, own, user]);
    expect((await load({ env, configFile: ".ralph/config.yaml" })).files).toEqual([own, user]);
  });

  test("a relative XDG_CONFIG_HOME is ignored, and no HOME is fine", async () => {
    await write("xdg/ralphctl/config.yaml", "promise: WRONG");
    await write("home/.config/ralphctl/config.yaml", "promise: HOME");
    expect((await load({ env: { XDG_CONFIG_HOME: "xdg", HOME: join(root, "home") } })).config.promise).toBe("HOME");
    expect((await load({ env: {} })).config.promise).toBe("COMPLETE");
  });
});

describe("cfg-R1 finding the workspace", () => {
  test("cfg-R1 it is found from a folder below", async () => {
    await write(".ralph/config.yaml", "promise: FOUND");
    await mkdir(join(root, "a/b"), { recursive: true });
    const { workspace, config } = await load({ cwd: join(root, "a/b") });
    expect([workspace, config.promise]).toEqual([root, "FOUND"]);
  });

  test("cfg-R1 the nearest wins, with or without a file in it", async () => {
    await write(".ralph/config.yaml", "promise: OUTER");
    await mkdir(join(root, "inner/.ralph"), { recursive: true });
    const { workspace, config } = await load({ cwd: join(root, "inner") });
    expect([workspace, config.promise]).toEqual([join(root, "inner"), "COMPLETE"]);
  });

  test("cfg-R1 a file called .ralph is no workspace", async () => {
    await write(".ralph/config.yaml", "promise: OUTER");
    await write("inner/.ralph", "");
    expect((await load({ cwd: join(root, "inner") })).workspace).toBe(root);
  });

  test("cfg-R1 from inside .ralph itself it is the folder around", async () => {
    await write(".ralph/config.yaml", "");
    expect((await load({ cwd: join(root, ".ralph") })).workspace).toBe(root);
  });

  test("cfg-R1 where the working directory has none, the --config file leads to it", async () => {
    const file = await write("ws/.ralph/config.yaml", "specs: { dirs: [docs/specs] }");
    await mkdir(join(root, "elsewhere"));
    const { workspace, config } = await load({ cwd: join(root, "elsewhere"), configFile: "../ws/.ralph/config.yaml" });
    expect([workspace, config.specs.dirs, file]).toEqual([join(root, "ws"), ["docs/specs"], file]);
  });
});

describe("cfg-R1 relative paths", () => {
  const text = [
    "specs: { dirs: [specs, ./shared] }",
    "plan: [PLAN.md]",
    "prompts: { plan: p.md, build: ./b.md, template: t.md }",
    "layouts: [openspec]",
    "workflows: [flows]",
    "plugins: { signs: vendor/signs }",
    "harnesses: { claude: { bin: ./agent }, codex: { bin: codex } }",
  ].join("\n");

  const pathsOf = ({ config }: LoadedConfig): unknown => [
    config.specs.dirs,
    config.plan,
    [config.prompts.plan, config.prompts.build, config.prompts.template],
    config.layouts,
    config.workflows,
    config.plugins,
    [config.harnesses["claude"]?.bin, config.harnesses["codex"]?.bin],
  ];

  test("cfg-R1 those of the workspace's file stay as they are written", async () => {
    await write(".ralph/config.yaml", text);
    expect(pathsOf(await load())).toEqual([
      ["specs", "./shared"],
      ["PLAN.md"],
      ["p.md", "./b.md", "t.md"],
      ["openspec"],
      ["flows"],
      { signs: "vendor/signs" },
      ["./agent", "codex"],
    ]);
  });

  test("cfg-R1 those of a --config file start from its own folder", async () => {
    await mkdir(join(root, ".ralph"));
    await write("ci/ralph.yaml", text);
    expect(pathsOf(await load({ configFile: "ci/ralph.yaml" }))).toEqual([
      ["ci/specs", "ci/shared"],
      ["ci/PLAN.md"],
      ["ci/p.md", "ci/b.md", "ci/t.md"],
      ["ci/openspec"],
      ["ci/flows"],
      { signs: "ci/vendor/signs" },
      ["ci/agent", "codex"],
    ]);
  });

  test("cfg-R1 those of the user's file are absolute where they lie outside", async () => {
    await mkdir(join(root, "ws/.ralph"), { recursive: true });
    await write("home/.config/ralphctl/config.yaml", "specs: { dirs: [mine] }\nplan: auto");
    const { config } = await load({ cwd: join(root, "ws") });
    expect([config.specs.dirs, config.plan]).toEqual([[join(root, "home/.config/ralphctl/mine")], "auto"]);
  });

  test("cfg-R1 those of environment and flags start from the working directory", async () => {
    await mkdir(join(root, ".ralph"));
    await mkdir(join(root, "sub"));
    const env = { RALPHCTL_SPECS_DIRS: "specs, ..", RALPHCTL_HARNESSES_CLAUDE_BIN: "../agent" };
    const { config } = await load({ cwd: join(root, "sub"), env, flags: { prompts: { template: "t.md" } } });
    expect([config.specs.dirs, config.harnesses["claude"]?.bin, config.prompts.template]).toEqual([
      ["sub/specs", "."],
      // Without the dot it would be looked for on the PATH.
      "./agent",
      "sub/t.md",
    ]);
  });

  test("cfg-R1 without a workspace they are absolute", async () => {
    const { config } = await load({ env: { RALPHCTL_PLAN: "P.md" } });
    expect(config.plan).toEqual([join(root, "P.md")]);
  });
});

describe("lookup", () => {
  test("a group and a harness with dots in its name are found", async () => {
    await write(".ralph/config.yaml", "harnesses:\n  my.agent:\n    model: m\nlimits:\n  gate: 2m\n");
    const { lookup } = await load();
    expect(lookup("harnesses.my.agent.model")).toEqual({
      value: "m",
      written: "m",
      origin: { kind: "file", text: "file .ralph/config.yaml line 3", file: join(root, ".ralph/config.yaml"), line: 3 },
    });
    expect(lookup("limits.gate")).toMatchObject({ value: 120_000, written: "2m", origin: { kind: "file", line: 5 } });
    expect(lookup("sprint")).toMatchObject({ value: { idleThreshold: 3 }, origin: { kind: "default" } });
    expect(lookup("harnesses.claude.smart").origin.kind).toBe("default");
  });

  test("an unknown key is a usage error with the nearest known one", async () => {
    const { lookup } = await load();
    const error = await failure(Promise.resolve().then(() => lookup("limits.cots")));
    expect(error).toEqual({
      kind: "usage",
      message: "Unknown configuration key `limits.cots`",
      hint: "Write `limits.cost`",
    });
    expect((await failure(Promise.resolve().then(() => lookup("__proto__")))).kind).toBe("usage");
  });
});

describe("files that cannot be used", () => {
  test("a --config file that is not there", async () => {
    expect(await failure(load({ configFile: "no/such.yaml" }))).toEqual({
      kind: "config",
      message: "Cannot find the configuration file `no/such.yaml`",
      hint: "Check the path given with `--config`",
    });
  });

  test("a folder in place of the file", async () => {
    await mkdir(join(root, ".ralph/config.yaml"), { recursive: true });
    expect(await failure(load())).toEqual({
      kind: "io",
      message: "The configuration `.ralph/config.yaml` cannot be read: it is a folder or a device",
      hint: "Replace it with a file",
    });
  });

  test("a file that cannot be opened", async () => {
    await mkdir(join(root, ".ralph"));
    await symlink("config.yaml", join(root, ".ralph/config.yaml"));
    expect(await failure(load())).toMatchObject({
      kind: "io",
      message: "The configuration `.ralph/config.yaml` cannot be read: its symbolic links form a loop",
    });
  });

  test("a file over 1 MB", async () => {
    await write(".ralph/config.yaml", "#".repeat(1024 * 1024 + 1));
    expect(await failure(load())).toMatchObject({
      kind: "data",
      message: "The configuration `.ralph/config.yaml` is larger than 1MB",
    });
  });

  test("a name outside the working directory is shown whole", async () => {
    await write(".ralph/config.yaml", "x: 1");
    await mkdir(join(root, "sub"));
    expect((await failure(load({ cwd: join(root, "sub") }))).message).toBe(
      `Unknown key x (${join(root, ".ralph/config.yaml")}, line 1, column 1)`,
    );
  });
});
