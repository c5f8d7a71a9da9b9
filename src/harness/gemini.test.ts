import { describe, expect, test } from "vitest";
import { finalMessage } from "../../test/final-message.ts";
import { createRedactor } from "../domain/redact.ts";
import { eventLine } from "../domain/run/event-line.ts";
import { usageOf } from "../domain/usage.ts";
import { gemini } from "./gemini.ts";
import { exit, session, settings } from "./harness.contract.ts";
import { CLAIM, expectOutcomes, outcome, read, replayed } from "./recordings.contract.ts";

const done = { kind: "done" } as const;
const failed = (error: string, message: string, status?: number) => ({
  kind: "api-error" as const,
  ...(status === undefined ? {} : { status }),
  error,
  message,
  retryable: true,
});

describe("recorded sessions", () => {
  test("P-14 P-43 each ends as it did", () => {
    expectOutcomes(gemini, "gemini", {
      basic: done,
      empty: failed(
        "unknown",
        "The model returned an empty response with no text or thoughts. This may be a transient API issue; please try again.",
      ),
      "err-401": { kind: "login", message: "API key not valid. Please pass a valid API key." },
      "err-403": { kind: "login", message: "forbidden" },
      "err-429": {
        kind: "limit",
        limit: "rate_limit",
        resetsAtMs: exit.atMs + 1000,
        message: "You exceeded your current quota. Please retry in 1s.\nSuggested retry after 1s.",
      },
      "err-500": failed("INTERNAL", "Internal error encountered.", 500),
      // The status is in the exit code alone.
      "err-529": failed("unknown", "The model is overloaded. Please try again later.", 503),
      "err-ctx": {
        kind: "context-too-long",
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      },
      "err-midstream": done,
      "hang-sigint": {
        kind: "crashed",
        code: null,
        signal: "SIGKILL",
        detail: "ended with signal SIGKILL and no result",
      },
      "multi-tools": done,
      sys: done,
      "tool-fail": done,
      utf8: failed("unknown", "Incomplete JSON segment at the end"),
    });
  });

  test("P-10 pieces are joined: the final message is whole", () => {
    for (const name of ["basic", "multi-tools", "tool-fail", "sys"]) {
      expect([name, finalMessage(replayed(gemini, `gemini/${name}`))]).toEqual([name, CLAIM]);
    }
    expect(finalMessage(replayed(gemini, "gemini/err-midstream"))).toBe(`partial ${CLAIM}`);
  });

  test("P-44 what it thinks is paid for like what it says, and the cost is an estimate", () => {
    expect(usageOf(replayed(gemini, "gemini/basic"))).toEqual({
      input: 3700,
      output: 142,
      cacheRead: 300,
      cacheWrite: 0,
      costUsd: (3700 * 1.25 + 142 * 10 + 300 * 0.125) / 1_000_000,
      isEstimated: true,
    });
  });
});

describe("lines", () => {
  const said = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
  const result = (more: object) => ({ type: "result", status: "error", ...more });

  test("P-10 what it is told is not what it says", () => {
    const told = { type: "message", role: "user", content: CLAIM };
    expect(finalMessage(read(gemini, [told, { type: "result", status: "success" }]))).toBe("");
  });

  test("W-04 a secret that arrives in pieces is redacted all the same", () => {
    const redact = createRedactor({ API_TOKEN: "s3cr3t-value-1" });
    const lines = [said("The token is s3cr3t"), said("-val"), said("ue-1.\nAnd more"), said(" to say.")];
    const written = read(gemini, lines)
      .map((event) => eventLine({ ...event, iteration: 1 }, { at: 0, run: "r", redact }))
      .join("\n");
    expect(written).toContain("The token is [API_TOKEN].");
    expect(written).not.toContain("s3cr3t");
  });

  test("a line that never ends is passed on in parts", () => {
    const events = read(
      gemini,
      Array.from({ length: 3 }, () => said("x".repeat(60_000))),
    );
    expect(events.flatMap((event) => (event.type === "agent.text" ? [event.text.length] : []))).toEqual([
      120_000, 60_000,
    ]);
    expect(finalMessage(events)).toBe("x".repeat(180_000));
  });

  test("its own ceiling and a missing login are told by exit codes, too", () => {
    const fatal = result({ error: { type: "FatalTurnLimitedError", message: "Reached max session turns" } });
    expect(outcome(read(gemini, [fatal], { ...exit, code: 53 }))).toEqual({ kind: "turn-limit" });
    expect(outcome(read(gemini, [], { ...exit, code: 53 }))).toEqual({ kind: "turn-limit" });
    expect(outcome(read(gemini, [], { ...exit, code: 41, stderr: "x\nSet an Auth method\n" }))).toEqual({
      kind: "login",
      message: "Set an Auth method",
      why: "missing",
    });
    const stderr = "YOLO mode\nYou must specify the GEMINI_API_KEY environment variable.\nUpdate it and try again!\n";
    expect(outcome(read(gemini, [], { ...exit, code: 41, stderr }))).toMatchObject({
      message: "You must specify the GEMINI_API_KEY environment variable.",
    });
  });

  test("X-78 an unknown model is told by a trace on standard error, where the words say nothing", () => {
    const failed = result({ error: { type: "unknown", message: '[API Error: {"detail":"Not Found"}]' } });
    const stderr = "Error when talking to Gemini API ModelNotFoundError: x\n    at classifyGoogleError (a.js:1:2)\n";
    expect(outcome(read(gemini, [failed], { ...exit, code: 1, stderr }))?.kind).toBe("model");
    expect(outcome(read(gemini, [failed], { ...exit, code: 1 }))?.kind).toBe("api-error");
  });

  test("P-43 a daily quota is a limit, whose words alone tell it", () => {
    const message = "[API Error: You have exhausted your daily quota on this model.]\nSwitch to another model";
    expect(outcome(read(gemini, [result({ error: { message } })], { ...exit, code: 173 }))).toEqual({
      kind: "limit",
      limit: "usage",
      message: "You have exhausted your daily quota on this model.",
    });
  });
});

describe("start", () => {
  test("D-03 is exactly this", () => {
    const own = { ...session, model: "gemini-2.5-pro", sessionId: "id-1" };
    expect(gemini.start({ ...own, settings: { ...settings, args: ["--debug"], env: { A: "1" } } })).toEqual({
      file: "gemini",
      args: [
        "--output-format",
        "stream-json",
        "--approval-mode",
        "yolo",
        "--skip-trust",
        "-m",
        "gemini-2.5-pro",
        "--session-id",
        "id-1",
        "--debug",
      ],
      env: { GEMINI_CLI_NO_RELAUNCH: "true", A: "1" },
      stdin: "You are careful.\n\n---\n\nDo it.",
      files: [],
    });
  });

  test("a sign inside a word is no file; at its beginning it stays as the user wrote it", () => {
    const prompt = 'Study @specs, ask me@example.com, add "@types/node" and \\@this, @ last';
    expect(gemini.start({ ...session, systemPrompt: "", prompt }).stdin).toBe(
      'Study @specs, ask me\\@example.com, add "\\@types/node" and \\@this, @ last',
    );
  });
});
