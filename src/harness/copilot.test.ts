import { describe, expect, test } from "vitest";
import { finalMessage } from "../../test/final-message.ts";
import { usageOf } from "../domain/usage.ts";
import { copilot } from "./copilot.ts";
import { exit, session, settings } from "./harness.contract.ts";
import { CLAIM, expectOutcomes, outcome, read, replayed } from "./recordings.contract.ts";

const done = { kind: "done" } as const;
const USAGE = "/workspace/.ralph/runs/1/1/copilot-usage.json";

describe("recorded sessions", () => {
  test("P-14 each ends as it did", () => {
    expectOutcomes(copilot, "copilot", {
      basic: done,
      empty: {
        kind: "api-error",
        error: "query",
        message: "No response was returned. Send your message again to retry.",
        retryable: true,
      },
      "err-401": {
        kind: "login",
        message:
          "Authentication failed with provider at http://127.0.0.1:1/v1 (HTTP 401).\n  Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.",
      },
      "err-ctx": {
        kind: "context-too-long",
        message:
          "The provider rejected the prompt as too long, but automatic recovery could not reduce it. Reduce context before retrying.",
      },
      "multi-tools": done,
      sys: done,
      "tool-fail": done,
      utf8: done,
      "x-usage": done,
    });
  });

  test("X-77 X-78 it calls a bill and a model that is not for this account a login: the server's words decide", () => {
    const ended = (statusCode: number, words: object) => {
      const call = { type: "model.call_failure", data: { statusCode, errorMessage: JSON.stringify(words) } };
      const failure = {
        errorType: "authentication",
        message: `Authentication failed (HTTP ${statusCode}).`,
        statusCode,
      };
      const lines = [call, { type: "session.error", data: failure }, { type: "result", exitCode: 1 }];
      return outcome(read(copilot, lines, { ...exit, code: 1 }));
    };
    const bill = { message: "Insufficient balance", type: "CreditsError" };
    expect(ended(401, bill)).toEqual({ kind: "limit", limit: "billing", message: "Insufficient balance" });
    const denied = "You do not have access to the model 'big-9'.";
    expect(ended(403, { message: denied, type: "permission_error" })).toEqual({ kind: "model", message: denied });
    const flagged = "Your input was flagged for moderation";
    expect(ended(403, { message: flagged })).toEqual({ kind: "refused", message: flagged });
    expect(ended(403, { message: "No" })).toEqual({ kind: "login", message: "Authentication failed (HTTP 403)." });
  });

  test("X-77 the words of a request that was answered on another try are not those of a later failure", () => {
    const call = {
      type: "model.call_failure",
      data: { statusCode: 429, errorMessage: JSON.stringify({ error: { message: "Rate limit reached" } }) },
    };
    const failure = { errorType: "query", message: "The connection was lost." };
    const end = [
      { type: "session.error", data: failure },
      { type: "result", exitCode: 1 },
    ];
    const answers = [
      { type: "assistant.message", data: { content: "On it." } },
      { type: "tool.execution_start", data: { toolCallId: "1", toolName: "bash", arguments: {} } },
    ];
    const kinds = answers.map((answer) => outcome(read(copilot, [call, answer, ...end], { ...exit, code: 1 }))?.kind);
    expect(kinds).toEqual(["api-error", "api-error"]);
    expect(outcome(read(copilot, [call, ...end], { ...exit, code: 1 }))?.kind).toBe("limit");
  });

  test("P-10 the final message is what it says after its last tool", () => {
    for (const name of ["basic", "multi-tools", "tool-fail", "sys", "x-usage"]) {
      expect([name, finalMessage(replayed(copilot, `copilot/${name}`))]).toEqual([name, CLAIM]);
    }
  });

  test("P-44 what it took is in its file", () => {
    expect(usageOf(replayed(copilot, "copilot/x-usage"))).toEqual({
      input: 2200,
      output: 110,
      cacheRead: 300,
      cacheWrite: 0,
      costUsd: undefined,
      isEstimated: false,
      isCostPartial: true,
    });
    expect(usageOf(replayed(copilot, "copilot/basic"))).toMatchObject({ input: 0, output: 0 });
  });

  test("a command that fails is a tool that failed, though it succeeded", () => {
    expect(replayed(copilot, "copilot/tool-fail").find(({ type }) => type === "agent.tool-result")).toMatchObject({
      ok: false,
    });
  });
});

describe("lines", () => {
  const line = (type: string, data: object) => ({ type, data });
  const end = (exitCode: number) => ({ type: "result", sessionId: "s-1", exitCode });

  test("P-14 the last line says how it ended; an abort ends with 0, too", () => {
    expect(outcome(read(copilot, [end(0)]))).toEqual(done);
    expect(outcome(read(copilot, [line("abort", {}), end(0)]))).toEqual({ kind: "aborted" });
    expect(outcome(read(copilot, [end(1)], { ...exit, code: 1 }))?.kind).toBe("crashed");
    expect(outcome(read(copilot, [line("session.error", { message: "x" }), end(0)]))?.kind).toBe("api-error");
  });

  test("P-43 a limit has its reset in its words", () => {
    const error = { errorType: "rate_limit", message: "Sorry. Please try again in 51 hours." };
    expect(outcome(read(copilot, [line("session.error", error), end(1)], { ...exit, code: 1 }))).toEqual({
      kind: "limit",
      limit: "rate_limit",
      resetsAtMs: exit.atMs + 51 * 3_600_000,
      message: error.message,
    });
  });

  test("P-10 what a sub-agent says is not the agent's own", () => {
    const said = (content: string, parentToolCallId?: string) =>
      line("assistant.message", { content, parentToolCallId });
    expect(finalMessage(read(copilot, [said("Mine."), said("Theirs.", "t-1"), end(0)]))).toBe("Mine.");
  });

  test("P-44 each model has its own price", () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 200_000 };
    const files = {
      [USAGE]: JSON.stringify({ modelMetrics: { "claude-sonnet-4.5": { usage }, "my-own": { usage } } }),
    };
    expect(usageOf(read(copilot, [end(0)], { ...exit, files }))).toMatchObject({
      input: 1_600_000,
      cacheRead: 400_000,
      costUsd: 2.46,
      isEstimated: true,
      isCostPartial: true,
    });
    expect(usageOf(read(copilot, [end(0)], { ...exit, files: { [USAGE]: "{half" } }))).toMatchObject({ input: 0 });
  });
});

test("D-03 is started exactly like this, the prompt on standard input alone", () => {
  const own = { ...session, model: "gpt-5.4", sessionId: "id-1" };
  expect(copilot.start({ ...own, settings: { ...settings, args: ["--x"], env: { A: "1" } } })).toEqual({
    file: "copilot",
    args: [
      "--output-format",
      "json",
      "--allow-all",
      "--no-ask-user",
      "--no-auto-update",
      "--no-color",
      "--model",
      "gpt-5.4",
      "--session-id=id-1",
      "--usage-output-file",
      USAGE,
      "--x",
    ],
    env: { COPILOT_AUTO_UPDATE: "false", A: "1" },
    stdin: "You are careful.\n\n---\n\nDo it.",
    files: [],
    collect: [USAGE],
  });
});
