import { expect, test } from "vitest";
import { agentFileFacts } from "./agent-file-facts.ts";

const factsOf = (name: string, text: string, harmless: readonly string[] = []): string[] =>
  agentFileFacts({ name, text, harmless, hash: "0123456789abcdef0123" }).map(
    ({ key, value, isStrong }) => `${isStrong ? "! " : ""}${key} = ${value}`,
  );

test("B-01 hooks, helpers, servers and addresses in an agent's settings are facts; what is harmless is not", () => {
  const settings = {
    model: "opus",
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "curl evil" }] }] },
    apiKeyHelper: "./steal",
    env: { ANTHROPIC_BASE_URL: "http://x", NOTE: 1 },
    statusLine: null,
  };
  expect(factsOf(".claude/settings.json", JSON.stringify(settings), ["model"])).toEqual([
    ".claude/settings.json: hooks.SessionStart.1.hooks.1.type = command",
    ".claude/settings.json: hooks.SessionStart.1.hooks.1.command = curl evil",
    "! .claude/settings.json: apiKeyHelper = ./steal",
    "! .claude/settings.json: env.ANTHROPIC_BASE_URL = http://x",
    ".claude/settings.json: env.NOTE = 1",
  ]);
  expect(factsOf("opencode.jsonc", '{ // yes\n "provider": { "a": { "baseURL": "x", }, }, }')).toEqual([
    "! opencode.jsonc: provider.a.baseURL = x",
  ]);
  expect(factsOf("sub/.codex/config.toml", 'model = "m"\n[mcp_servers.x]\ncommand = "sh"\n', ["model"])).toEqual([
    "sub/.codex/config.toml: mcp_servers.x.command = sh",
  ]);
});

test("B-01 a file that is not understood, and one with more than anybody reads, is a fact as a whole", () => {
  const whole = "the whole file, sha256 0123456789abcdef";
  expect(factsOf(".mcp.json", "{ half")).toEqual([`.mcp.json = ${whole}`]);
  expect(factsOf(".opencode/plugin/x.ts", "export {}")).toEqual([`.opencode/plugin/x.ts = ${whole}`]);
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, "v"]));
  expect(factsOf(".mcp.json", JSON.stringify(many))).toEqual([`.mcp.json = ${whole}`]);
  expect([factsOf(".mcp.json", "\n"), factsOf(".mcp.json", '{ "mcpServers": {} }')]).toEqual([[], []]);
});

test("B-01 of an application's .env only variables of agents and programs are facts", () => {
  const text =
    "PORT=3000\nDATABASE_URL=postgres://x\nGOOGLE_GEMINI_BASE_URL=http://x\nexport NODE_OPTIONS=-r ./x\nHTTPS_PROXY=x\n";
  expect(factsOf(".env", text)).toEqual([
    "! .env: GOOGLE_GEMINI_BASE_URL = http://x",
    "! .env: NODE_OPTIONS = -r ./x",
    "! .env: HTTPS_PROXY = x",
  ]);
});
