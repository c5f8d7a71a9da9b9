import { join } from "node:path";
import { expect, test } from "vitest";
import { acp } from "./acp.ts";
import { session, settings } from "./harness.contract.ts";
import { outcome, read } from "./recordings.contract.ts";

const own = (more: object) => ({ ...settings, ...more });
const message = (more: object) => ({ jsonrpc: "2.0", ...more });

test("W-05 what is added to a shell command comes as arguments, not as text", () => {
  const { args } = acp.start({ ...session, settings: own({ run: "my-agent acp", args: ["$(rm -rf .)"] }) });
  expect(args.slice(-6)).toEqual(["--", "/bin/sh", "-c", 'my-agent acp "$@"', "sh", "$(rm -rf .)"]);
});

test.each([
  ["goose acp", "Run goose configure"],
  ["npx -y @agentclientprotocol/claude-agent-acp@0.99.1", "Run claude and /login there, or set ANTHROPIC_API_KEY"],
  ["/opt/bin/gemini --acp", "Run gemini and log in there, or set GEMINI_API_KEY"],
  ["npx @zed-industries/codex-acp", "Run codex login, or set CODEX_API_KEY"],
  ["my-gemini --acp", acp.facts.login],
])("X-77 the login of %s", (run, login) => {
  expect(acp.told?.(own({ run })).facts.login).toBe(login);
});

test.each([
  ["goose acp", "goose"],
  ["  ./my-agent", "./my-agent"],
  ["exec goose acp", "goose"],
  ["cd agents && ./goose acp", undefined],
  ["exec", undefined],
  ["KEY=1 goose acp", undefined],
  ['"my agent" acp', undefined],
])("X-69 the program that %s starts, if that is plain", (run, program) => {
  expect(acp.behind?.(own({ run }))).toBe(program);
});

const PROMPTED = [
  { sent: message({ id: 0, method: "initialize" }) },
  message({ id: 0, result: { protocolVersion: 1, agentInfo: { name: "Copilot", version: "1" } } }),
  { sent: message({ id: 1, method: "session/new" }) },
  message({ id: 1, result: { sessionId: "s" } }),
  { sent: message({ id: 2, method: "session/prompt" }) },
];
const say = (text: string, more: object = {}) =>
  message({
    method: "session/update",
    params: {
      sessionId: "s",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      ...more,
    },
  });
const answer = (result: object) => message({ id: 2, result: { stopReason: "end_turn", ...result } });
const ended = (...lines: readonly object[]) => outcome(read(acp, [...PROMPTED, ...lines]));

test("P-43 words of an agent whose model did not answer are its own, and are read", () => {
  const zero = { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } };
  const limit = { kind: "limit", limit: "rate_limit", message: "last status: 429 Too Many Requests" };
  expect(ended(say("A warning.\n\nlast status: 429 Too Many Requests"), answer({ usage: null }))).toEqual(limit);
  expect(ended(answer(zero))).toMatchObject({
    kind: "api-error",
    message: "The model gave no answer",
    retryable: true,
  });
});

test("P-43 words of a model are never read", () => {
  const usage = { inputTokens: 9, outputTokens: 9, totalTokens: 18 };
  expect(ended(say("Error: 429 Too Many Requests"), answer({ usage }))).toEqual({ kind: "done" });
  const call = { sessionUpdate: "tool_call", toolCallId: "c", title: "t", status: "completed" };
  const tool = message({ method: "session/update", params: { sessionId: "s", update: call } });
  expect(ended(tool, say("A 401 means: no login"), answer({}))).toEqual({ kind: "done" });
  expect(ended(say("Error: 401 no login"), tool, say("Mended."), answer({}))).toEqual({ kind: "done" });
  expect(ended(say("I approve this."), answer({}))).toEqual({ kind: "done" });
});

test("X-77 a login that Copilot is refused after its first tool is one", () => {
  const call = { sessionUpdate: "tool_call", toolCallId: "c", title: "t", status: "completed" };
  const tool = message({ method: "session/update", params: { sessionId: "s", update: call } });
  const usage = { inputTokens: 1000, outputTokens: 50, totalTokens: 1050 };
  const words = "Info: Request failed. Retrying...Error: Authentication failed with the provider (HTTP 401).";
  expect(ended(tool, say(words), answer({ usage }))).toMatchObject({ kind: "login" });
  expect(ended(tool, say(`It says: ${words}`), answer({ usage }))).toEqual({ kind: "done" });
});

test("X-78 a model that Gemini CLI's server does not have is one, whatever code it gives", () => {
  const error = { code: 500, message: "models/gemini-2.5-pro is not found for API version v1beta." };
  expect(ended(message({ id: 2, error }))).toMatchObject({ kind: "model" });
});

test("X-77 a place that is not served is told as that, though the agent calls it a login", () => {
  const error = { code: -32000, message: "403 Claude is not available in your region" };
  expect(ended(message({ id: 2, error }))).toMatchObject({ kind: "login", why: "region" });
});

test("X-77 a status that stands beside the message decides", () => {
  const error = { code: -32603, message: "Internal error", data: { details: "403 This key is not one of the team" } };
  expect(ended(message({ id: 2, error }))).toEqual({
    kind: "login",
    message: "Internal error: 403 This key is not one of the team",
  });
});

test("P-14 P-43 words without tokens are an answer: some models have no meter", () => {
  const zero = { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } };
  expect(ended(say("It is done.\n\n<task-done>t-1</task-done>"), answer(zero))).toEqual({ kind: "done" });
});

test("X-69 an answer without content is no failure", () => {
  const chosen = [{ sent: message({ id: 7, method: "session/set_model" }) }, message({ id: 7, result: null })];
  expect(ended(...chosen, say("Done."), answer({}))).toEqual({ kind: "done" });
});

test("W-07 words of an agent that it started arrive in whole lines, so that no secret is split", () => {
  const inner = { sessionId: "inner" };
  const lines = [...PROMPTED, say("The key is sk-", inner), say("Mine.", {}), say("12345\nand ", inner), answer({})];
  const texts = read(acp, lines).filter(({ type }) => type === "agent.text");
  expect(texts).toMatchObject([
    { text: "The key is sk-12345\n", parent: "inner" },
    { text: "and ", parent: "inner" },
    { text: "Mine." },
  ]);
});

test("P-10 words of an agent that it started are not its own", () => {
  const events = read(acp, [...PROMPTED, say("<task-done>t-1</task-done>", { sessionId: "inner" }), answer({})]);
  expect(events).toContainEqual({
    type: "agent.text",
    text: "<task-done>t-1</task-done>",
    block: "inner-0",
    parent: "inner",
  });
});

test("P-44 requests that Claude Code's adapter repeats without a login are not waited for", () => {
  const retry = message({
    method: "_claude/sdkMessage",
    params: { message: { subtype: "api_retry", attempt: 1, error_status: 401, error: "authentication_failed" } },
  });
  const reader = acp.reader(session);
  const lines = [...PROMPTED, retry, retry].map((line) => JSON.stringify(line));
  lines.forEach(reader.line);
  expect(reader.isRefused?.()).toBe(true);
});

test("P-43 a limit that Gemini CLI tells only on its standard error is known", () => {
  const reader = acp.reader(session);
  PROMPTED.forEach((line) => reader.line(JSON.stringify(line)));
  expect(reader.errorLine?.("Attempt 1 failed with status 429. Retrying with backoff... slow down")).toMatchObject([
    { type: "agent.retry", status: 429 },
  ]);
  expect(reader.limited?.(0)).toBeDefined();
});

test("P-43 a limit that OpenCode and Qwen Code tell only on their standard error is known", () => {
  const words = [
    "[qwen-code] Waiting for API capacity... attempt 1, retry in 7170s",
    'timestamp=2026-11-18T03:59:55.455Z level=ERROR run=9b1f5cb5 message="stream error" providerID=fake error.error="AI_APICallError: Rate limit reached"',
  ];
  for (const line of words) {
    const reader = acp.reader(session);
    PROMPTED.forEach((one) => reader.line(JSON.stringify(one)));
    expect(reader.errorLine?.(line)).toMatchObject([{ type: "agent.retry" }]);
  }
});

test("P-43 P-44 requests that Codex's adapter repeats are known by their status, and an error without a repetition is none", () => {
  const told = (status: number, willRetry: boolean) =>
    message({
      method: "session/update",
      params: {
        sessionId: "s",
        update: {
          sessionUpdate: "session_info_update",
          _meta: {
            codex: {
              error: {
                message: "Reconnecting... 1/5",
                codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: status } },
                additionalDetails: `exceeded retry limit, last status: ${status}`,
                willRetry,
              },
            },
          },
        },
      },
    });
  const reason = "exceeded retry limit, last status: 429";
  const reader = acp.reader(session);
  const lines = [...PROMPTED, told(429, false), told(429, true)].map((line) => JSON.stringify(line));
  expect(lines.flatMap(reader.line).filter(({ type }) => type === "agent.retry")).toEqual([
    { type: "agent.retry", attempt: 1, of: 5, status: 429, reason },
  ]);
  expect(reader.limited?.(0)).toBeDefined();
  reader.line(JSON.stringify(told(401, true)));
  reader.line(JSON.stringify(told(401, true)));
  expect(reader.isRefused?.()).toBe(true);
});

test.each([
  ["gemini --acp", { GEMINI_DEBUG_LOG_FILE: join(session.folder, "agent.log") }, join(session.folder, "agent.log")],
  ["opencode acp", { OPENCODE_PRINT_LOGS: "1", OPENCODE_LOG_LEVEL: "ERROR" }, undefined],
  ["npx @qwen-code/qwen-code --acp", { QWEN_CODE_UNATTENDED_RETRY: "1" }, undefined],
  ["goose acp", {}, undefined],
])("P-43 %s is started so that it tells what it waits for", (run, env, log) => {
  const { args, env: given } = acp.start({ ...session, settings: { ...session.settings, run } });
  expect(given).toEqual(env);
  expect(args.includes("--log") ? args[args.indexOf("--log") + 1] : undefined).toBe(log);
});

test("P-43 a log that the person has chosen for Gemini CLI stays theirs, and is followed", () => {
  const env = { GEMINI_DEBUG_LOG_FILE: "mine.log" };
  const started = acp.start({ ...session, settings: { ...session.settings, run: "gemini --acp", env } });
  expect(started.env).toEqual(env);
  expect(started.args[started.args.indexOf("--log") + 1]).toBe("mine.log");
});

test("P-10 P-20 words of Codex's adapter itself are no answer of the model, and no claim", () => {
  const agentInfo = { name: "@agentclientprotocol/codex-acp", version: "1" };
  const hello = message({ id: 0, result: { protocolVersion: 1, agentInfo } });
  const events = read(acp, [PROMPTED[0]!, hello, ...PROMPTED.slice(2), say("Warning: <task-done>t-1</task-done>\n\n")]);
  expect(events.filter(({ type }) => type === "agent.text" || type === "agent.notice")).toEqual([
    { type: "agent.notice", text: "Warning: <task-done>t-1</task-done>" },
  ]);
});

test("an agent cannot speak in the name of ralphctl", () => {
  const problem = message({ method: "problem", problem: { about: "agent", message: "no" } });
  expect(ended(problem, message({ method: "sent", sent: { id: 9, method: "session/prompt" } }))).toMatchObject({
    kind: "crashed",
    detail: "ended with exit code 0 and no result",
  });
});

test.each([
  [{ inputTokens: 100, outputTokens: 20, totalTokens: 120 }, [100, 20, 0, 0]],
  [
    { inputTokens: 100, outputTokens: 20, totalTokens: 160, cachedReadTokens: 30, cachedWriteTokens: 10 },
    [100, 20, 30, 10],
  ],
  [{ inputTokens: 100, outputTokens: 20, totalTokens: 120, cachedReadTokens: 30 }, [70, 20, 30, 0]],
  [{ inputTokens: 100, outputTokens: 20, totalTokens: 125, thoughtTokens: 5 }, [100, 25, 0, 0]],
  [{ inputTokens: 100, outputTokens: 20, totalTokens: 120, thoughtTokens: 5 }, [100, 20, 0, 0]],
])("tokens are counted once, whatever the agent counts twice: %j", (usage, [input, output, cacheRead, cacheWrite]) => {
  const events = read(acp, [...PROMPTED, answer({ usage })]);
  const tokens = { type: "agent.usage", input, output, cacheRead, cacheWrite };
  expect(events.find(({ type }) => type === "agent.usage")).toEqual({ ...tokens, unpriced: true });
});
