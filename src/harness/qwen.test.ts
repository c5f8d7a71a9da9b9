import { describe, expect, test } from "vitest";
import { finalMessage } from "../../test/final-message.ts";
import { usageOf } from "../domain/usage.ts";
import { exit, session, settings } from "./harness.contract.ts";
import { qwen } from "./qwen.ts";
import { CLAIM, expectOutcomes, outcome, read, replayed } from "./recordings.contract.ts";

const done = { kind: "done" } as const;
const failed = (message: string, status?: number) => ({
  kind: "api-error" as const,
  ...(status === undefined ? {} : { status }),
  error: "unknown",
  message,
  retryable: true,
});

describe("recorded sessions", () => {
  test("P-14 each ends as it did", () => {
    expectOutcomes(qwen, "qwen", {
      basic: done,
      empty: failed("Model stream ended with empty response text."),
      "err-401": { kind: "login", message: "401 Incorrect API key provided: test." },
      "err-500": failed("500 The server had an error", 500),
      "err-529": failed("529 Overloaded", 529),
      "err-ctx": { kind: "context-too-long", message: "400 Your input exceeds the context window of this model." },
      "multi-tools": done,
      sys: done,
      "tool-fail": done,
      utf8: done,
    });
  });

  test("P-10 the final message is what it says after its last tool", () => {
    for (const name of ["basic", "multi-tools", "tool-fail", "sys"]) {
      expect([name, finalMessage(replayed(qwen, `qwen/${name}`))]).toEqual([name, CLAIM]);
    }
  });

  test("P-44 tokens of the input are told apart from those of the cache", () => {
    expect(usageOf(replayed(qwen, "qwen/basic"))).toEqual({
      input: 3700,
      output: 130,
      cacheRead: 300,
      cacheWrite: 0,
      costUsd: undefined,
      isEstimated: false,
      isCostPartial: true,
    });
  });

  test("retries are told as they happen", () => {
    expect(replayed(qwen, "qwen/empty").filter(({ type }) => type === "agent.retry")).toHaveLength(8);
  });
});

test("P-14 P-43 a result that neither failed nor went well is no result, and its words are the agent's own", () => {
  const line = { type: "result", subtype: "something_new", is_error: false, result: "I fixed the rate limit" };
  expect([outcome(read(qwen, [line])), outcome(read(qwen, [{ type: "result" }]))]).toEqual([
    {
      kind: "api-error",
      error: "unknown",
      message: 'It ended with an unknown kind of result: "something_new"',
      retryable: false,
    },
    {
      kind: "api-error",
      error: "unknown",
      message: 'It ended with an unknown kind of result: ""',
      retryable: false,
    },
  ]);
});

test("P-14 a ceiling of its own ends without a result, by its exit code", () => {
  expect(outcome(read(qwen, [], { ...exit, code: 53 }))).toEqual({ kind: "turn-limit" });
  expect(outcome(read(qwen, [], { ...exit, code: 55 }))).toEqual({ kind: "turn-limit" });
  expect(outcome(read(qwen, [], { ...exit, code: 130 }))?.kind).toBe("crashed");
});

describe("start", () => {
  test("D-03 is exactly this, without the question tool", () => {
    const own = { ...session, model: "qwen3", sessionId: "id-1" };
    expect(qwen.start({ ...own, settings: { ...settings, args: ["--bare"], env: { A: "1" } } })).toEqual({
      file: "qwen",
      args: [
        "--output-format",
        "stream-json",
        "--approval-mode",
        "yolo",
        "--exclude-tools",
        "ask_user_question",
        "-m",
        "qwen3",
        "--session-id",
        "id-1",
        "--append-system-prompt",
        "You are careful.",
        "--bare",
      ],
      env: {
        QWEN_CODE_NO_RELAUNCH: "true",
        QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
        QWEN_CODE_UNATTENDED_RETRY: "1",
        A: "1",
      },
      stdin: "Do it.",
      files: [],
    });
  });

  test("a system prompt that is too long for an argument is the first section of the prompt", () => {
    const systemPrompt = "x".repeat(110_000);
    const { args, stdin } = qwen.start({ ...session, systemPrompt });
    expect([args.includes("--append-system-prompt"), stdin]).toEqual([false, `${systemPrompt}\n\n---\n\nDo it.`]);
  });
});
