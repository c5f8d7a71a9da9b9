import { describe, expect, test } from "vitest";
import { finalMessage } from "../../test/final-message.ts";
import { usageOf } from "../domain/usage.ts";
import { exit, session, settings } from "./harness.contract.ts";
import { pi } from "./pi.ts";
import { CLAIM, expectOutcomes, outcome, read, replayed } from "./recordings.contract.ts";

const done = { kind: "done" } as const;

describe("recorded sessions", () => {
  test("P-14 P-43 each ends as it did, though all exit with 0", () => {
    expectOutcomes(pi, "pi", {
      basic: done,
      empty: done,
      "err-401": { kind: "login", message: "Incorrect API key provided: test." },
      "err-429": {
        kind: "limit",
        limit: "rate_limit",
        resetsAtMs: exit.atMs + 1200,
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
      "err-ctx": { kind: "context-too-long", message: "Your input exceeds the context window of this model." },
      "err-midstream": done,
      "multi-tools": done,
      sys: done,
      "tool-fail": done,
      utf8: done,
    });
  });

  test("P-10 the final message is what it says after its last tool, without what was thrown away", () => {
    for (const name of ["basic", "multi-tools", "tool-fail", "sys", "err-midstream"]) {
      expect([name, finalMessage(replayed(pi, `pi/${name}`))]).toEqual([name, CLAIM]);
    }
  });

  test("P-44 tokens and cost are the sums of its messages", () => {
    expect(usageOf(replayed(pi, "pi/basic"))).toEqual({
      input: 3700,
      output: 130,
      cacheRead: 300,
      cacheWrite: 0,
      costUsd: 0.0045899999999999995 + 0.00375 + 0.0048000000000000004,
      isEstimated: false,
    });
  });

  test("retries are told as they happen", () => {
    expect(replayed(pi, "pi/err-429").filter(({ type }) => type === "agent.retry")).toHaveLength(3);
  });
});

describe("lines", () => {
  const message = (stopReason: string, more: object = {}) => ({
    type: "message_end",
    message: { role: "assistant", content: [{ type: "text", text: CLAIM }], stopReason, ...more },
  });
  const end = { type: "agent_end", willRetry: false };

  test("P-14 a message without the end of the agent is no result", () => {
    expect(outcome(read(pi, [message("stop")]))?.kind).toBe("crashed");
    expect(outcome(read(pi, [message("stop"), { ...end, willRetry: true }]))?.kind).toBe("crashed");
    expect(outcome(read(pi, [message("stop"), end, { type: "agent_start" }]))?.kind).toBe("crashed");
    expect(outcome(read(pi, [message("toolUse"), end]))?.kind).toBe("crashed");
    expect(outcome(read(pi, [end]))?.kind).toBe("crashed");
    expect(outcome(read(pi, [message("stop"), end]))).toEqual(done);
    expect(outcome(read(pi, [message("aborted"), end]))).toEqual({ kind: "aborted" });
  });

  test("P-20 an answer that was cut at the model's limit is no result", () => {
    expect(outcome(read(pi, [message("length"), end]))).toEqual({ kind: "turn-limit", isOutput: true });
  });

  test("P-44 tokens count, whether or not their sum is told", () => {
    const usage = { input: 5, output: 2, cost: { total: 0.5 } };
    expect(usageOf(read(pi, [message("stop", { usage }), end]))).toEqual({
      input: 5,
      output: 2,
      cacheRead: 0,
      cacheWrite: 0,
      costUsd: 0.5,
      isEstimated: false,
    });
  });

  test("P-43 a limit that is passed on raw has its reset", () => {
    const errorMessage = '429: {"error":{"type":"usage_limit_reached","message":"Limit","resets_at":1794777999}}';
    expect(outcome(read(pi, [message("error", { errorMessage }), end]))).toEqual({
      kind: "limit",
      limit: "usage",
      resetsAtMs: 1_794_777_999_000,
      message: "Limit",
    });
  });
});

describe("start", () => {
  test("D-03 is exactly this", () => {
    const own = { ...session, model: "a/b", settings: { ...settings, args: ["--no-session"], env: { A: "1" } } };
    expect(pi.start(own)).toEqual({
      file: "pi",
      args: ["-p", "--mode", "json", "--model", "a/b", "--append-system-prompt", "You are careful.", "--no-session"],
      env: { PI_SKIP_VERSION_CHECK: "1", A: "1" },
      stdin: "Do it.",
      files: [],
    });
  });

  test("a large system prompt goes by file", () => {
    const systemPrompt = "x".repeat(110_000);
    const path = "/workspace/.ralph/runs/1/1/append-system-prompt.md";
    const { args, files } = pi.start({ ...session, systemPrompt });
    expect([args.at(-1), files]).toEqual([path, [{ path, text: systemPrompt }]]);
  });

  test("it is stopped by SIGTERM first: at SIGINT it leaves its tools running", () => {
    expect(pi.facts.stopOrder.map(({ signal }) => signal)).toEqual(["SIGTERM"]);
  });
});
