import type { Cli } from "./cli.ts";
import { claude, codex, copilot, gemini, opencode, qwen } from "./clis.ts";

const WAITS_FOR_NONE = { "server-silent": "it begins without waiting for its servers" };

/** Agents that speak ACP, by themselves or by an adapter, each under a name that is its harness. */
const AGENTS: readonly Cli[] = [
  {
    ...claude,
    name: "claude-acp",
    acp: { program: "claude-agent-acp", args: "" },
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.99.1",
    node: 22,
    model: "sonnet",
    isVague: true,
    cannot: { region: "it calls every 403 a required login, and says why in words that could be the model's" },
  },
  {
    ...codex,
    name: "codex-acp",
    acp: { program: "codex-acp", args: "" },
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    model: "fake-model",
    isVague: true,
    // Its own sandbox, which our harness for it switches off.
    files: (place) => ({
      ".codex/config.toml": `model = "fake-model"\nsandbox_mode = "danger-full-access"\nfeatures = { plugins = false, apps = false }\n${String(codex.files(place)[".codex/config.toml"])}`,
    }),
  },
  { ...gemini, name: "gemini-acp", acp: { program: "gemini", args: "--acp" }, cannot: WAITS_FOR_NONE },
  {
    ...opencode,
    name: "opencode-acp",
    acp: { program: "opencode", args: "acp" },
    cannot: {
      forbidden: "it tells the words of the server without the status",
      "no-login": "without a login it offers other models, so that the model is what is wrong",
    },
  },
  withoutModel({ ...copilot, name: "copilot-acp", acp: { program: "copilot", args: "--acp" } }),
  { ...qwen, name: "qwen-acp", acp: { program: "qwen", args: "--acp" }, cannot: WAITS_FOR_NONE },
];

/** It takes its model from its environment, and offers none. */
function withoutModel(whole: Cli): Cli {
  const { model: _, ...cli } = whole;
  const cannot = {
    "wrong-model": "its model is not one of ours to name",
    region: "it calls every 403 a login, without the words of the server",
    "server-silent": "it waits for its servers when it is prompted, and has a session before",
  };
  return { ...cli, loggedOut: { ...cli.loggedOut, elsewhere: [] }, cannot };
}

/** What holds for all of them. */
const CANNOT = {
  version: "a harness for any agent has no tested version",
  "budget-tokens": "most tell their tokens only when the turn is over",
  "budget-cost": "limits.cost is refused, because not every agent tells its cost",
};

const asHarness = (cli: Cli): Cli => ({
  ...cli,
  title: `The harness ${cli.name}`,
  cannot: { ...CANNOT, ...cli.cannot },
});

export const ACP_CLIS: readonly Cli[] = AGENTS.map(asHarness);
