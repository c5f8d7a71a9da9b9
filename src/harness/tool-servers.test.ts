import { describe, expect, test } from "vitest";
import { session, settings } from "./harness.contract.ts";
import type { Harness, OwnTexts } from "./harness.ts";
import { acp, claude, codex, copilot, gemini, opencode, qwen } from "./index.ts";

const names = (harness: Harness, own: Record<string, unknown>, more: object = {}): string[] => {
  const texts: OwnTexts = Object.fromEntries(
    Object.entries(own).map(([name, one]) => [name, typeof one === "string" ? one : JSON.stringify(one)]),
  );
  const about = { own: texts, settings: { ...settings, ...more }, cwd: session.cwd };
  return (harness.servers?.(about) ?? []).map(({ name }) => name);
};

const ONE = { command: "one", args: ["--stdio"], env: { A: "1" } };
const HOOKS = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } };

describe("P-41 the servers of tools that a session would start", () => {
  test.each([
    ["Gemini CLI", gemini],
    ["Qwen Code", qwen],
  ])("%s: those of the person and the repository that are not excluded", (_, harness) => {
    const user = { mcpServers: { a: ONE, b: { url: "http://127.0.0.1/b" }, c: ONE }, mcp: { excluded: ["c"] } };
    const project = '{ // ours\n "mcpServers": { "d": { "httpUrl": "http://127.0.0.1/d" }, }, }';
    expect(names(harness, { user, project })).toEqual(["a", "b", "d"]);
    expect(names(harness, { user: { ...user, mcp: { allowed: ["b"] } } })).toEqual(["b"]);
  });

  test("Copilot: those of the person that are not disabled", () => {
    const own = { user: { mcpServers: { a: ONE, b: ONE } }, settings: { disabledMcpServers: ["a"] } };
    expect(names(copilot, own)).toEqual(["b"]);
  });

  test("OpenCode: those of all its files that are enabled; the last word counts", () => {
    const local = { type: "local", command: ["one", "--stdio"] };
    const own = {
      config1: { mcp: { a: local, b: { ...local, enabled: false }, c: local } },
      config3: { mcp: { c: { ...local, enabled: false }, d: { type: "remote", url: "http://127.0.0.1/" } } },
    };
    expect(names(opencode, own)).toEqual(["a", "d"]);
  });

  test("Codex: those of its configuration, unless that is left out", () => {
    const user = `model = "x"\n[mcp_servers.a]\ncommand = "one"\nargs = ["--stdio"]\n[mcp_servers."b c"]\nurl = "http://127.0.0.1/"\n[mcp_servers.d]\ncommand = "one"\nenabled = false\n`;
    expect(names(codex, { user })).toEqual(["a", "b c"]);
    expect(names(codex, { user }, { userSettings: "login" })).toEqual([]);
  });

  test("Claude Code: those of the repository, and those of the person where their settings apply whole", () => {
    const state = { mcpServers: { a: ONE }, projects: { [session.cwd]: { mcpServers: { b: ONE } }, "/x": { c: ONE } } };
    const own = { state, servers: { mcpServers: { d: ONE, e: ONE } }, local: { disabledMcpjsonServers: ["e"] } };
    expect(names(claude, own)).toEqual(["a", "b", "d"]);
    expect(names(claude, own, { userSettings: "login" })).toEqual(["d"]);
    expect(names(claude, { ...own, user: HOOKS, project: HOOKS })).toEqual(["d"]);
  });

  test("by ACP they are those of the same agent", () => {
    const told = acp.told!({ ...settings, run: "gemini --acp" });
    expect(names(told, { user: { mcpServers: { a: ONE } } })).toEqual(["a"]);
    expect(acp.told!({ ...settings, run: "goose acp" }).servers).toBe(undefined);
  });

  test("are told with all that starts them", () => {
    const user = {
      mcpServers: { a: ONE, b: { url: "http://127.0.0.1/", headers: { x: "y" } }, c: { odd: true }, d: 1 },
    };
    const own = { user: JSON.stringify(user) };
    expect(gemini.servers!({ own, settings, cwd: "/" })).toEqual([
      { name: "a", command: ["one", "--stdio"], env: { A: "1" } },
      { name: "b", url: "http://127.0.0.1/", headers: { x: "y" } },
    ]);
  });

  test("are none where the files are no configuration", () => {
    const bad = Object.fromEntries(
      ["user", "project", "settings", "state", "servers", "config0"].map((one) => [one, "x"]),
    );
    for (const harness of [claude, codex, copilot, gemini, opencode, qwen]) expect(names(harness, bad)).toEqual([]);
  });
});
