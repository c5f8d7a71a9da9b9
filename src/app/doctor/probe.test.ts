import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { gemini } from "../../harness/index.ts";
import { checkHarness } from "../run/check-harnesses.ts";
import { openWorkspace } from "../workspace.ts";
import type { Finding } from "./finding.ts";
import { probeHarness, probeServers } from "./probe.ts";

const undisturbed = new AbortController().signal;

/** What is found of an agent that prints these lines, and then does this. */
async function probe(lines: readonly object[], then: string, stop = undisturbed): Promise<Finding[]> {
  const print = lines.map((line) => `echo '${JSON.stringify(line)}'; `).join("");
  const run = `grep -q "single word ok" || exit 9; ${print}${then}`;
  const settings = JSON.stringify({ run, output: "claude-stream-json" });
  const cwd = temporaryRepository({
    ".ralph/config.yaml": `harness: command\nharnesses: { command: ${settings} }\n`,
  });
  const workspace = await openWorkspace({ cwd, env: {}, flags: {} });
  const env = { PATH: process.env["PATH"] };
  const asked = { name: "command", key: "harness", settings: workspace.harness("command") };
  const ready = await checkHarness(workspace, asked, { env });
  return await probeHarness(ready, { env, isRoot: false, stop, kill: undisturbed, self: ["ralphctl"] });
}

const retry = { type: "system", subtype: "api_retry", error_status: 401, error: "authentication_failed" };
const failed = (message: string, about: object) => ({ type: "result", is_error: true, result: message, ...about });

test("P-44 a login that is refused is a problem, found at once", async () => {
  expect(await probe([retry, retry], "exec sleep 600")).toEqual([
    {
      level: "problem",
      check: "harness",
      message: "The harness command is not logged in: 401 authentication_failed",
      fix: "Log in to it",
    },
  ]);
});

test.each([
  [
    failed("You have hit your limit", { api_error: "usage_limit_reached" }),
    "warning",
    "The harness command is logged in, but has reached a usage limit: You have hit your limit",
    "Wait until it resets; a run waits automatically",
  ],
  [
    failed("Credit balance is too low", { api_error_status: 400 }),
    "problem",
    "The harness command did not answer: Credit balance is too low",
    "Add credit to its account",
  ],
  [
    failed("model: x-9", { api_error_status: 404 }),
    "problem",
    "The harness command cannot use its model: model: x-9",
    "Correct harnesses.command.model, or the settings of the agent itself",
  ],
  [
    failed("Overloaded", { api_error_status: 529 }),
    "problem",
    "The harness command did not answer: The model's server failed: unknown (529): Overloaded",
    expect.stringMatching(/^Run it yourself to see why: grep -q .*; exit 1$/),
  ],
] as const)("P-43 after %o", async (line, level, message, fix) => {
  expect(await probe([line], "exit 1")).toEqual([{ level, check: "harness", message, fix }]);
});

test("P-40 a probe that a person stops found nothing out", async () => {
  expect(await probe([], "exec sleep 600", AbortSignal.abort())).toEqual([
    {
      level: "problem",
      check: "harness",
      message: "The harness command did not answer: The agent was interrupted",
      fix: expect.stringMatching(/^Run it yourself to see why: grep -q .*; exec sleep 600$/),
    },
  ]);
});

test("P-41 the servers of tools that a session would start are asked, and named", async () => {
  const home = temporaryFolder();
  const sh = (script: string) => ({ command: "sh", args: ["-c", script] });
  const answer = 'read -r line; echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":{}}"; cat >/dev/null';
  write(home, { ".gemini/settings.json": JSON.stringify({ mcpServers: { good: sh(answer), gone: sh("exit 1") } }) });
  const cwd = temporaryRepository({
    ".ralph/config.yaml": "harness: gemini\n",
    ".gemini/settings.json": JSON.stringify({ mcpServers: { ours: sh("exit 1") } }),
  });
  const workspace = await openWorkspace({ cwd, env: {}, flags: {} });
  const ready = { name: "gemini", harness: gemini, settings: workspace.harness("gemini") };
  const host = { isRoot: false, stop: undisturbed, kill: undisturbed, self: ["ralphctl"] as const };
  const env = { PATH: process.env["PATH"], HOME: home };
  const findings = await probeServers(workspace, ready, { ...host, env });
  expect(findings.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    "ok: The MCP server good of Gemini CLI answers",
    "warning: The MCP server gone of Gemini CLI does not answer: it ended without an answer",
    "warning: The MCP server ours of Gemini CLI does not answer: it ended without an answer",
  ]);
});
