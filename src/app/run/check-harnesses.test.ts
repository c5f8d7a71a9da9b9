import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../../../test/temporary-folder.ts";
import { claude, command, scripted } from "../../harness/index.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { checkHarnesses, type HarnessFlags, type ReadyHarnesses } from "./check-harnesses.ts";

/** A folder with programs that nobody will start. */
function programs(...names: readonly string[]): string {
  const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, "#!/bin/sh\nexit 1\n"])));
  for (const name of names) chmodSync(join(folder, name), 0o755);
  return folder;
}

const AGENTS = programs("claude", "my-agent");

async function workspaceWith(
  config: string,
  { files = {}, flags = {} }: { files?: Record<string, string>; flags?: Record<string, unknown> } = {},
): Promise<Workspace> {
  const cwd = temporaryRepository({ ".ralph/config.yaml": config, ...files });
  return await openWorkspace({ cwd, env: { HOME: "/nowhere" }, flags });
}

const check = async (
  workspace: Workspace,
  { PATH = AGENTS, ...flags }: Omit<HarnessFlags, "env"> & { PATH?: string } = {},
): Promise<ReadyHarnesses> => await checkHarnesses(workspace, { env: { PATH }, ...flags });

test("the harnesses come in their order, with their settings", async () => {
  const workspace = await workspaceWith(
    "harness: [claude, command]\nharnesses:\n  command: {bin: my-agent, args: [-q]}\n",
  );
  expect(await check(workspace)).toEqual({
    harnesses: [
      { name: "claude", harness: claude, settings: workspace.harness("claude"), origins: expect.anything() as unknown },
      {
        name: "command",
        harness: command,
        settings: workspace.harness("command"),
        origins: expect.anything() as unknown,
      },
    ],
    reviewer: undefined,
    strategy: "fixed",
    isModelFinal: false,
  });
});

test("paths of a script and of a program are absolute, so that they hold wherever a session works", async () => {
  const workspace = await workspaceWith(
    "harness: [scripted, command]\nharnesses: {scripted: {script: plays/one.yaml}, command: {bin: ./tools/agent}}\n",
    { files: { "plays/one.yaml": "sessions: []\n", "tools/agent": "#!/bin/sh\n" } },
  );
  chmodSync(join(workspace.root, "tools/agent"), 0o755);
  const { harnesses } = await check(workspace);
  expect(harnesses.map(({ harness, settings: { script, bin } }) => ({ harness, script, bin }))).toEqual([
    { harness: scripted, script: join(workspace.root, "plays/one.yaml"), bin: null },
    { harness: command, script: null, bin: join(workspace.root, "tools/agent") },
  ]);
});

describe("X-78 settings that cannot be meant", () => {
  test.each([
    ["harness: cluade", 'Unknown harness "cluade" (file .ralph/config.yaml line 1)', "Did you mean claude?"],
    [
      "harness: [claude, toString]",
      'Unknown harness "toString" (file .ralph/config.yaml line 1)',
      "Choose one of: acp, claude, codex, command, copilot, gemini, opencode, pi, qwen, replay, scripted",
    ],
    [
      "verify: {reviewer: comand}",
      'Unknown harness "comand" (file .ralph/config.yaml line 1)',
      "Did you mean command?",
    ],
  ])("X-78 %s names no harness", async (config, message, hint) => {
    await expect(check(await workspaceWith(`${config}\n`))).rejects.toMatchObject({ kind: "config", message, hint });
  });

  test("X-78 a harness that is not told what to start is refused before anything starts", async () => {
    await expect(check(await workspaceWith("harness: command\n"))).rejects.toMatchObject({
      kind: "config",
      message: "The harness `command` has nothing to start",
    });
    await expect(check(await workspaceWith("harness: scripted\n"))).rejects.toMatchObject({
      kind: "config",
      message: "The harness `scripted` has no script to play",
    });
  });

  test.each([
    ["claude", "promptBy", "file", "command"],
    ["codex", "output", "pi-json", "command"],
    ["pi", "script", "s.yaml", "scripted"],
    ["gemini", "recording", ".ralph/runs/1/1", "replay"],
  ])("X-78 a key of another harness is not set in vain: harnesses.%s.%s", async (name, key, value, owner) => {
    const workspace = await workspaceWith(`harness: ${name}\nharnesses: {${name}: {${key}: ${value}}}\n`);
    await expect(check(workspace)).rejects.toMatchObject({
      kind: "config",
      message: `harnesses.${name}.${key} has no effect: only the harness ${owner} uses ${key}`,
      hint: `Remove it, or choose the harness ${owner}`,
    });
  });

  test("X-78 a CLI that cannot leave out the person's settings says so", async () => {
    await expect(
      check(await workspaceWith("harness: gemini\nharnesses: {gemini: {userSettings: none}}\n")),
    ).rejects.toMatchObject({
      kind: "config",
      message: "harnesses.gemini.userSettings cannot be none: Gemini CLI has no switch for that",
      hint: "Set it to all, or remove it",
    });
  });

  test("X-78 a command is for `command`, and for agents that speak ACP", async () => {
    const workspace = await workspaceWith("harness: claude\nharnesses: {claude: {run: agent}}\n");
    await expect(check(workspace)).rejects.toMatchObject({
      kind: "config",
      message: "harnesses.claude.run has no effect: only the harnesses command and acp use run",
      hint: "Remove it, choose the harness command, or add kind: acp if the agent speaks ACP",
    });
  });

  test("X-78 a recorded iteration that does not exist is named by its whole path", async () => {
    const workspace = await workspaceWith("harness: replay\nharnesses: {replay: {recording: .ralph/runs/1/1}}\n");
    await expect(check(workspace)).rejects.toMatchObject({
      kind: "config",
      message: `The recorded iteration ${join(workspace.root, ".ralph/runs/1/1")} of the harness replay does not exist`,
      hint: "Correct harnesses.replay.recording",
    });
  });

  test("X-78 a script that does not exist is named by its whole path", async () => {
    const workspace = await workspaceWith("harness: scripted\nharnesses: {scripted: {script: none.yaml}}\n");
    await expect(check(workspace)).rejects.toMatchObject({
      kind: "config",
      message: `The script ${join(workspace.root, "none.yaml")} of the harness scripted does not exist`,
      hint: "Correct harnesses.scripted.script",
    });
  });
});

describe("X-69 a program that is not there", () => {
  test.each([
    ["harness: claude", "claude", "claude", "Run npm install --global @anthropic-ai/claude-code"],
    ["harness: claude\nharnesses: {claude: {bin: my-claude}}", "claude", "my-claude"],
    ["harness: [claude, command]\nharnesses: {command: {bin: my-agent}}", "command", "my-agent"],
    ["verify: {reviewer: command}\nharnesses: {command: {bin: my-agent}}", "command", "my-agent"],
    ["harness: codex", "codex", "codex", "Run npm install --global @openai/codex"],
    ["harness: opencode", "opencode", "opencode", "Run npm install --global opencode-ai"],
    ["harness: gemini", "gemini", "gemini", "Run npm install --global @google/gemini-cli"],
    ["harness: pi", "pi", "pi", "Run npm install --global @earendil-works/pi-coding-agent"],
    ["harness: copilot", "copilot", "copilot", "Run npm install --global @github/copilot"],
    ["harness: qwen", "qwen", "qwen", "Run npm install --global @qwen-code/qwen-code"],
  ])("X-69 %j", async (config, name, program, install = `Install ${program}`) => {
    const others = programs(...["claude", "my-agent"].filter((one) => one !== program));
    await expect(check(await workspaceWith(`${config}\n`), { PATH: others })).rejects.toMatchObject({
      kind: "unavailable",
      message: `The harness ${name} needs the program ${program}, which is not on the PATH`,
      hint: `${install}, or set harnesses.${name}.bin to its path`,
    });
  });

  test("X-69 the PATH that the harness is given is the one that counts", async () => {
    const workspace = await workspaceWith(`harnesses: {claude: {env: {PATH: ${AGENTS}}}}\n`);
    expect((await check(workspace, { PATH: "/nowhere" })).harnesses[0].name).toBe("claude");
    const other = await workspaceWith("harnesses: {claude: {env: {PATH: /nowhere}}}\n");
    await expect(check(other)).rejects.toMatchObject({ kind: "unavailable" });
  });

  test("X-69 a program that is named by its path must be there and executable", async () => {
    const config = "harnesses: {claude: {bin: tools/claude}}\n";
    const missing = await workspaceWith(config);
    await expect(check(missing)).rejects.toMatchObject({
      kind: "unavailable",
      message: `Cannot start the harness claude: ${missing.root}/tools/claude is not a program`,
      hint: "Correct harnesses.claude.bin",
    });
    const plain = await workspaceWith(config, { files: { "tools/claude": "" } });
    await expect(check(plain)).rejects.toMatchObject({
      kind: "unavailable",
      message: `Cannot start the harness claude: ${plain.root}/tools/claude is not executable`,
      hint: `Run chmod +x ${plain.root}/tools/claude`,
    });
  });

  test("X-69 a shell command and a script need nothing on the PATH", async () => {
    const workspace = await workspaceWith(
      "harness: [command, scripted]\nharnesses: {command: {run: agent | tee log}, scripted: {script: s.yaml}}\n",
      { files: { "s.yaml": "sessions: []\n" } },
    );
    expect((await check(workspace, { PATH: "" })).harnesses.map(({ name }) => name)).toEqual(["command", "scripted"]);
  });
});

describe("model-R1 strategies and models", () => {
  const models = async (workspace: Workspace, flags: Omit<HarnessFlags, "env"> = {}) => {
    const { strategy, isModelFinal, harnesses } = await check(workspace, flags);
    return {
      strategy,
      isModelFinal,
      models: harnesses.map(({ settings: { model, smart, fast } }) => [model, smart, fast]),
    };
  };

  test("model-R1 X-78 a strategy whose roles are not set is refused, in any harness of the list", async () => {
    const workspace = await workspaceWith(
      "harness: [claude, command]\nharnesses: {command: {bin: my-agent}}\nmodels: {strategy: escalate}\n",
    );
    await expect(check(workspace)).rejects.toMatchObject({
      kind: "config",
      message: "The strategy escalate needs models of command that are not set: smart, fast",
      hint: "Set harnesses.command.smart, or give --smart-model",
    });
  });

  test("model-R1 --smart-model and --fast-model are the roles of every harness", async () => {
    const workspace = await workspaceWith(
      "harness: [claude, command]\nharnesses: {command: {bin: my-agent}}\nmodels: {strategy: escalate}\n",
    );
    expect(await models(workspace, { smartModel: "big", fastModel: "small" })).toEqual({
      strategy: "escalate",
      isModelFinal: false,
      models: [
        [null, "big", "small"],
        [null, "big", "small"],
      ],
    });
  });

  test("model-R1 --model alone means fixed and is final, whatever a file says", async () => {
    const workspace = await workspaceWith("models: {strategy: cost-optimized}\n");
    expect(await models(workspace)).toEqual({
      strategy: "cost-optimized",
      isModelFinal: false,
      models: [[null, "opus", "sonnet"]],
    });
    expect(await models(workspace, { model: "haiku" })).toEqual({
      strategy: "fixed",
      isModelFinal: true,
      models: [["haiku", "opus", "sonnet"]],
    });
  });

  test("model-R1 --model beside --model-strategy is the strategy's middle step", async () => {
    const workspace = await workspaceWith("harness: claude\n", { flags: { models: { strategy: "escalate" } } });
    expect(await models(workspace, { model: "haiku" })).toEqual({
      strategy: "escalate",
      isModelFinal: false,
      models: [["haiku", "opus", "sonnet"]],
    });
  });

  test("model-R1 an empty name is refused, as of a variable that nobody set", async () => {
    await expect(check(await workspaceWith(""), { fastModel: " " })).rejects.toMatchObject({
      kind: "usage",
      message: "--fast-model is blank",
    });
  });
});

describe("P-44 a ceiling of cost", () => {
  test.each([
    ["harness: command", "command"],
    ["harness: [claude, command]", "command"],
    ["verify: {reviewer: command}", "command"],
  ])("P-44 X-78 with %s cannot hold", async (config, name) => {
    const workspace = await workspaceWith(`${config}\nharnesses: {command: {bin: my-agent}}\n`, {
      flags: { limits: { cost: "5" } },
    });
    await expect(check(workspace)).rejects.toMatchObject({
      kind: "config",
      message: `The harness ${name} reports no cost, so ralphctl cannot enforce limits.cost (flag limits.cost)`,
      hint: "Remove the limit, and use --max-iterations or --max-time instead",
    });
  });

  test("P-44 X-78 with a harness that reports tokens only, it holds for models with a known price", async () => {
    const codex = async (settings: string) => {
      const workspace = await workspaceWith(
        `harness: codex\nharnesses: {codex: {bin: ${AGENTS}/my-agent${settings}}}\nlimits: {cost: 5}\n`,
      );
      return (await check(workspace)).harnesses.map(({ name }) => name);
    };
    const start = "The harness codex reports tokens but no cost, and";
    const end = "so ralphctl cannot enforce limits.cost (file .ralph/config.yaml line 3)";
    await expect(codex("")).rejects.toMatchObject({
      kind: "config",
      message: `${start} the model that codex will use is unknown, ${end}`,
      hint: "Set harnesses.codex.model to a model with a known price, or use --max-tokens instead",
    });
    await expect(codex(", model: gpt-5.4, smart: mine-1")).rejects.toMatchObject({
      message: `${start} the price of "mine-1" is unknown, ${end}`,
    });
    expect(await codex(", model: gpt-5.4, fast: openai/gpt-5.4-mini")).toEqual(["codex"]);
  });

  test("P-44 a command that speaks like a harness with a known cost has one", async () => {
    const workspace = await workspaceWith(
      "harness: command\nharnesses: {command: {bin: my-agent, output: claude-stream-json}}\nlimits: {cost: 5}\n",
    );
    expect((await check(workspace)).harnesses.map(({ name }) => name)).toEqual(["command"]);
  });

  test("P-44 holds for a harness that reports what it costs", async () => {
    const workspace = await workspaceWith("limits: {cost: 5}\n");
    expect((await check(workspace)).harnesses.map(({ name }) => name)).toEqual(["claude"]);
  });
});
