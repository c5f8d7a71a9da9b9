import { describe, expect, test } from "vitest";
import { finalMessage } from "../../test/final-message.ts";
import { usageOf } from "../domain/usage.ts";
import { exit, session, settings } from "./harness.contract.ts";
import { opencode } from "./opencode.ts";
import { CLAIM, expectOutcomes, outcome, read, replayed } from "./recordings.contract.ts";

const done = { kind: "done" } as const;

describe("recorded sessions", () => {
  test("P-14 P-43 each ends as it did", () => {
    expectOutcomes(opencode, "opencode", {
      basic: done,
      empty: done,
      "err-401": { kind: "login", message: "Incorrect API key provided: test." },
      "err-403": { kind: "login", message: "forbidden" },
      "err-429": {
        kind: "limit",
        limit: "rate_limit",
        resetsAtMs: 1_794_771_527_376 + 1200,
        message:
          "Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 1.2s.",
      },
      "err-500": {
        kind: "api-error",
        status: 500,
        error: "server_error",
        message: "The server had an error",
        retryable: true,
      },
      "err-529": { kind: "api-error", status: 529, error: "overloaded_error", message: "Overloaded", retryable: true },
      "err-midstream": done,
      "err-quota": {
        kind: "limit",
        limit: "billing",
        message: "You exceeded your current quota, please check your plan and billing details.",
      },
      "hang-sigint": {
        kind: "crashed",
        code: null,
        signal: "SIGINT",
        detail: "ended with signal SIGINT and no result",
      },
      "multi-tools": done,
      "tool-fail": done,
      utf8: done,
      "x-resume1": done,
      "x-resume2": done,
    });
  });

  test("P-10 the final message is what it says after its last tool", () => {
    for (const name of ["basic", "multi-tools", "tool-fail", "err-midstream", "x-resume2"]) {
      expect([name, finalMessage(replayed(opencode, `opencode/${name}`))]).toEqual([name, CLAIM]);
    }
  });

  test("P-44 tokens and cost are the sums of its steps", () => {
    expect(usageOf(replayed(opencode, "opencode/basic"))).toEqual({
      input: 3700,
      output: 130,
      cacheRead: 300,
      cacheWrite: 0,
      costUsd: 0.00459 + 0.00375 + 0.0048,
      isEstimated: false,
    });
  });

  test("a command that fails is a tool that failed, though it completed", () => {
    expect(replayed(opencode, "opencode/tool-fail").find(({ type }) => type === "agent.tool-result")).toMatchObject({
      ok: false,
      output: "oops\n",
    });
  });
});

describe("lines", () => {
  const finish = (reason: string) => ({ type: "step_finish", sessionID: "s", part: { reason } });
  const error = (data: object, name = "APIError") => ({
    type: "error",
    timestamp: 1_000_000,
    sessionID: "s",
    error: { name, data },
  });

  test("P-14 only a last step that stops is a result", () => {
    expect(outcome(read(opencode, [finish("stop")]))).toEqual(done);
    expect(outcome(read(opencode, [finish("stop"), { type: "step_start", sessionID: "s" }]))?.kind).toBe("crashed");
    expect(outcome(read(opencode, [finish("tool-calls")]))?.kind).toBe("crashed");
    expect(outcome(read(opencode, [finish("length")]))).toEqual({ kind: "turn-limit", isOutput: true });
    expect(outcome(read(opencode, [finish("content-filter")]))?.kind).toBe("refused");
    expect(outcome(read(opencode, [finish("stop")], { ...exit, code: 1 }))?.kind).toBe("crashed");
  });

  test("P-20 an answer that was cut or filtered is no outage, though it is told as an error", () => {
    const cut = error({}, "MessageOutputLengthError");
    expect(outcome(read(opencode, [finish("length"), cut]))).toEqual({ kind: "turn-limit", isOutput: true });
    const message = "The response was blocked by the provider's content filter";
    const filtered = error({ message }, "ContentFilterError");
    expect(outcome(read(opencode, [finish("content-filter"), filtered]))).toEqual({ kind: "refused", message });
  });

  test("P-43 what a proxy passed on of another server decides", () => {
    const message = "Provider returned error";
    const metadata = { raw: "This model's maximum context length is 131072 tokens." };
    const responseBody = JSON.stringify({ error: { message, code: 400, metadata } });
    const met = outcome(read(opencode, [error({ message, statusCode: 400, responseBody })]));
    expect(met).toEqual({ kind: "context-too-long", message: metadata.raw });
    const page = outcome(read(opencode, [error({ message: "Bad Gateway", statusCode: 502, responseBody: "<html>" })]));
    expect(page).toMatchObject({ kind: "api-error", message: "Bad Gateway", retryable: true });
  });

  test.each([
    [{ "retry-after": "7200" }, 1_000_000 + 7_200_000],
    [{ "retry-after-ms": "1500" }, 1_001_500],
    [{ "retry-after": "Thu, 01 Jan 1970 01:00:00 GMT" }, 3_600_000],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, undefined],
    [{ "anthropic-ratelimit-unified-reset": "1794777999", "retry-after": "5" }, 1_794_777_999_000],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" }, 1_000_000 + 360_000],
    [{ "retry-after": "soon" }, undefined],
  ])("P-43 a limit ends when its headers say so: %j", (responseHeaders, expected) => {
    const met = outcome(read(opencode, [error({ message: "Too many", statusCode: 429, responseHeaders })]));
    expect(met).toMatchObject({ kind: "limit", limit: "rate_limit" });
    expect(met?.kind === "limit" ? met.resetsAtMs : "none").toBe(expected);
  });

  test("P-43 without a time of its own an error is of the moment at which it ended", () => {
    const { timestamp: _, ...said } = error({ statusCode: 429, responseHeaders: { "retry-after": "7200" } });
    expect(outcome(read(opencode, [said]))).toMatchObject({ kind: "limit", resetsAtMs: exit.atMs + 7_200_000 });
  });

  test("P-10 P-14 an agent that it started speaks neither in its name nor for it, and is paid for", () => {
    const own = { sessionID: "s" };
    const other = { sessionID: "other" };
    const text = (words: string) => ({ type: "text", part: { text: words } });
    const tokens = { input: 7, output: 1 };
    const lines = [
      { type: "step_start", ...own },
      { ...text("Mine."), ...own },
      { ...text(CLAIM), ...other },
      { type: "step_finish", ...other, part: { reason: "stop", tokens, cost: 0.5 } },
    ];
    const events = read(opencode, lines);
    expect(events.filter(({ type }) => type === "agent.session" || type === "agent.text")).toEqual([
      { type: "agent.session", sessionId: "s" },
      { type: "agent.text", text: "Mine." },
      { type: "agent.text", text: CLAIM, parent: "other" },
    ]);
    expect([finalMessage(events), outcome(events)?.kind, usageOf(events).costUsd]).toEqual(["Mine.", "crashed", 0.5]);
    expect(outcome(read(opencode, [...lines, finish("stop"), { ...error({ message: "no" }), ...other }]))).toEqual(
      done,
    );
  });

  test("its own names for what went wrong are understood", () => {
    const kindOf = (name: string, data: object = { message: "x" }) => outcome(read(opencode, [error(data, name)]));
    expect(kindOf("ContextOverflowError")?.kind).toBe("context-too-long");
    expect(kindOf("ProviderAuthError")?.kind).toBe("login");
    expect(kindOf("MessageAbortedError")?.kind).toBe("aborted");
    expect(kindOf("UnknownError")).toEqual({
      kind: "api-error",
      error: "UnknownError",
      message: "x",
      retryable: true,
    });
    expect(kindOf("APIError", { message: "no such model", statusCode: 404 })).toMatchObject({ kind: "model" });
  });
});

test("X-77 X-78 an error that it tells by a number has its words in its log", () => {
  const error = {
    type: "error",
    sessionID: "s",
    error: { name: "UnknownError", data: { message: "Unexpected server error.", ref: "err_1" } },
  };
  const ended = (words: string) => {
    const log = `level=ERROR message=failed ref=err_0 error="no"\nlevel=ERROR ref=err_1 error="${words}" cause="x"\n`;
    return outcome(read(opencode, [error], { code: 1, stderr: log }));
  };
  const wrong = "ProviderModelNotFoundError: Model not found: fake/b-1. Did you mean: b-2?";
  expect(ended(wrong)).toEqual({ kind: "model", message: wrong });
  expect(ended("ProviderModelNotFoundError: Model not found: acme/b-1. Did you mean: b-1, b-1-old?")).toEqual({
    kind: "login",
    message: "OpenCode has no login for the provider acme",
    why: "missing",
  });
  expect(ended("Socket closed")).toMatchObject({ kind: "api-error", message: "Socket closed", retryable: true });
});

test("D-03 is started exactly like this, with the question tool denied", () => {
  const own = { ...session, model: "a/b", settings: { ...settings, args: ["--agent", "x"], env: { A: "1" } } };
  expect(opencode.start(own)).toEqual({
    file: "opencode",
    args: [
      "run",
      "--format",
      "json",
      "--title",
      "ralphctl",
      "--thinking",
      "--auto",
      "--print-logs",
      "--log-level",
      "ERROR",
      "-m",
      "a/b",
      "--agent",
      "x",
    ],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_PERMISSION: '{"question":"deny"}', A: "1" },
    stdin: "You are careful.\n\n---\n\nDo it.",
    files: [],
  });
});
