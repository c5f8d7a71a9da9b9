import { describe, expect, test } from "vitest";
import type { AgentExit, AgentReader } from "../domain/agent-event.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { exit, session } from "./harness.contract.ts";
import type { Harness } from "./harness.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";
import { outcome } from "./recordings.contract.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 1_794_950_000_000;

/** A reader that has read these lines; those that begin with "!" came on standard error. */
function heard(harness: Harness, lines: readonly (string | object)[]): AgentReader {
  const reader = harness.reader(session);
  for (const line of lines) {
    if (typeof line === "string" && line.startsWith("!")) reader.errorLine?.(line.slice(1));
    else reader.line(typeof line === "string" ? line : JSON.stringify(line));
  }
  return reader;
}

const ended = (reader: AgentReader, stoppedBy: AgentExit["stoppedBy"], atMs = NOW_MS) =>
  outcome(reader.end({ ...exit, code: null, signal: "SIGINT", atMs, ...(stoppedBy && { stoppedBy }) }));

const codexTry = (why: string, attempt = 1) => ({ type: "error", message: `Reconnecting... ${attempt}/5 (${why})` });
const LIMITED = codexTry("exceeded retry limit, last status: 429 Too Many Requests");

/** Lines by which each CLI tells that it waits for a limit, and for how long it says. */
const WAITS: readonly (readonly [name: string, harness: Harness, lines: readonly (string | object)[], ms: number])[] = [
  ["codex", codex, [LIMITED], 0],
  [
    "claude",
    claude,
    [
      {
        type: "system",
        subtype: "api_retry",
        attempt: 1,
        retry_delay_ms: 2000,
        error_status: 429,
        error: "rate_limit",
      },
    ],
    2000,
  ],
  [
    "pi",
    pi,
    [{ type: "auto_retry_start", attempt: 1, delayMs: 4000, errorMessage: '429: {"message":"Slow down"}' }],
    4000,
  ],
  [
    "copilot",
    copilot,
    [
      { type: "model.call_failure", data: { statusCode: 429 } },
      { type: "assistant.turn_retry", data: { reason: "rate_limit" } },
    ],
    0,
  ],
  [
    "copilot, when the server's words say for how long",
    copilot,
    [
      { type: "model.call_failure", data: { statusCode: 429, errorMessage: "Rate limit reached. Try again in 2h3m." } },
      { type: "assistant.turn_retry", data: { reason: "rate_limit" } },
    ],
    7_380_000,
  ],
  [
    "opencode",
    opencode,
    [
      '!timestamp=T level=ERROR run=4 message="stream error" agent=build error.error="AI_APICallError: Rate limit \\"x\\" reached"',
    ],
    0,
  ],
  [
    "gemini, when the server says for how long",
    gemini,
    ["!Attempt 1 failed: You have exceeded", "!Suggested retry after 20s.. Retrying after 21156ms..."],
    21_156,
  ],
  [
    "gemini, when it does not",
    gemini,
    [
      '!Attempt 3 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429,"message":"Slow down"}}',
    ],
    0,
  ],
  ["qwen", qwen, ["![qwen-code] Waiting for API capacity... attempt 1, retry in 7170s"], 7_170_000],
];

describe("P-43 a limit that a CLI waits for", () => {
  test.each(WAITS)("is known from %s, and is what a stop for it comes to", (_, harness, lines, waitMs) => {
    const reader = heard(harness, lines);
    expect(reader.limited?.(NOW_MS)).toBe(waitMs);
    expect(ended(reader, "limited")).toMatchObject({ kind: "limit", limit: "rate_limit" });
  });

  test("ends when it was said to end, counted from when that was said", () => {
    const reader = heard(qwen, ["![qwen-code] Waiting for API capacity... attempt 1, retry in 7170s"]);
    reader.limited?.(NOW_MS);
    expect(ended(reader, "limited", NOW_MS + 60_000)).toMatchObject({ resetsAtMs: NOW_MS + 7_170_000 });
    // Passed without an answer: nobody knows.
    expect(ended(reader, "limited", NOW_MS + 7_200_000)).not.toHaveProperty("resetsAtMs");
  });

  test("has the end that its words name", () => {
    const reader = heard(codex, [codexTry("429 Too Many Requests: try again in 3 hours")]);
    expect(reader.limited?.(NOW_MS)).toBe(3 * HOUR_MS);
    expect(ended(reader, "limited")).toMatchObject({ resetsAtMs: NOW_MS + 3 * HOUR_MS });
  });

  test("is over when the model answers, and is none when the server only failed", () => {
    const message = { type: "item.completed", item: { id: "1", type: "agent_message", text: "On it." } };
    expect(heard(codex, [LIMITED, message]).limited?.(NOW_MS)).toBe(undefined);
    expect(heard(codex, [codexTry("unexpected status 529: Overloaded")]).limited?.(NOW_MS)).toBe(undefined);
    expect(heard(codex, [LIMITED, { type: "turn.failed", error: { message: "429" } }]).limited?.(NOW_MS)).toBe(
      undefined,
    );
  });

  test("is what a stop for it comes to, also if the model answers during the stop", () => {
    const reader = heard(codex, [LIMITED]);
    reader.limited?.(NOW_MS);
    reader.line(JSON.stringify({ type: "item.completed", item: { id: "1", type: "agent_message", text: "On it." } }));
    expect(ended(reader, "limited")).toMatchObject({ kind: "limit", limit: "rate_limit" });
  });

  test("is no reason to stop while a tool runs, and is one again when none does", () => {
    const reader = heard(claude, [INIT, claudeTool("1"), claudeTool("2"), ...WAITS[1]![2]]);
    expect(reader.limited?.(NOW_MS)).toBe(undefined);
    reader.line(JSON.stringify(claudeResult("1")));
    expect(reader.limited?.(NOW_MS)).toBe(undefined);
    reader.line(JSON.stringify(claudeResult("2")));
    expect(reader.limited?.(NOW_MS)).toBe(2000);
  });

  test("has a known length, too, if the CLI tries again at once", () => {
    const retry = { type: "auto_retry_start", attempt: 1, delayMs: 0, errorMessage: "429: Slow down" };
    expect(heard(pi, [retry]).limited?.(NOW_MS)).toBe(1);
  });

  test("is never known from the agent's own words", () => {
    const text = { type: "item.completed", item: { id: "1", type: "agent_message", text: "429 Too Many Requests" } };
    expect(heard(codex, [text]).limited?.(NOW_MS)).toBe(undefined);
    expect(heard(gemini, ["!I said: Attempt 1 failed with status 429. Retrying"]).limited?.(NOW_MS)).toBe(undefined);
  });
});

const claudeTool = (id: string, parent?: string) => ({
  type: "assistant",
  parent_tool_use_id: parent,
  message: { id: `m-${id}`, content: [{ type: "tool_use", id, name: "Bash", input: { command: "sleep" } }] },
});
const claudeResult = (id: string, parent?: string) => ({
  type: "user",
  parent_tool_use_id: parent,
  message: { content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
});
const INIT = { type: "system", subtype: "init", session_id: "s", model: "m" };
const opencodeLine = (type: string, part: object = {}) => ({ type, sessionID: "s", part });
const OPENCODE_TOOL = opencodeLine("tool_use", { callID: "1", tool: "bash", state: { status: "completed" } });

/** What came before a silence, by what was silent then. */
const UNANSWERED: readonly (readonly [string, Harness, readonly (string | object)[]])[] = [
  ["Claude Code has begun", claude, [INIT]],
  ["Claude Code's tool is through", claude, [INIT, claudeTool("1"), claudeResult("1")]],
  [
    "the tool of an agent that Claude Code started is through",
    claude,
    [INIT, claudeTool("1"), claudeTool("2", "1"), claudeResult("2", "1")],
  ],
  ["OpenCode has said nothing", opencode, []],
  [
    "OpenCode's step with its tools is over",
    opencode,
    [opencodeLine("step_start"), OPENCODE_TOOL, opencodeLine("step_finish", { reason: "tool-calls" })],
  ],
  ["Gemini CLI has repeated the prompt", gemini, [{ type: "message", role: "user", content: "Do it" }]],
  ["Qwen Code has told the state of its goal", qwen, [INIT, { type: "stream_event", event: { type: "goal_state" } }]],
  [
    "Pi's empty message has begun",
    pi,
    [{ type: "turn_start" }, { type: "message_start", message: { role: "assistant" } }],
  ],
  ["Copilot's turn has begun", copilot, [{ type: "assistant.turn_start", data: {} }]],
];

const AT_WORK: readonly (readonly [string, Harness, readonly (string | object)[]])[] = [
  ["a shell of Claude Code", claude, [INIT, claudeTool("1")]],
  ["one of two shells of Claude Code", claude, [INIT, claudeTool("1"), claudeTool("2"), claudeResult("1")]],
  ["a shell of an agent that Claude Code started", claude, [INIT, claudeTool("1"), claudeTool("2", "1")]],
  ["Claude Code that thinks", claude, [INIT, { type: "system", subtype: "thinking_tokens" }]],
  [
    "Claude Code in the middle of an answer",
    claude,
    [INIT, { type: "stream_event", event: { type: "content_block_delta" } }],
  ],
  ["OpenCode, which tells of a shell when it is through", opencode, [opencodeLine("step_start")]],
  ["another shell of OpenCode", opencode, [opencodeLine("step_start"), OPENCODE_TOOL]],
  [
    "Gemini CLI in the middle of a line",
    gemini,
    [{ type: "message", role: "assistant", content: "half", delta: true }],
  ],
  ["Pi in the middle of an answer", pi, [{ type: "message_update" }]],
  ["Copilot that thinks", copilot, [{ type: "assistant.reasoning_delta", data: {} }]],
  [
    "a shell of Codex",
    codex,
    [{ type: "item.started", item: { id: "1", type: "command_execution", command: "sleep" } }],
  ],
];

describe("P-20 silence", () => {
  test.each(UNANSWERED)("without an answer of the model after %s is an outage, and no attempt", (_, harness, lines) => {
    expect(ended(heard(harness, lines), "inactivity")).toEqual({
      kind: "api-error",
      error: "no answer",
      message: "the model has not answered the last request, and the CLI waited in silence",
      retryable: true,
    });
  });

  test.each(AT_WORK)("of %s is the limit's for silence", (_, harness, lines) => {
    expect(ended(heard(harness, lines), "inactivity")).toEqual({ kind: "timed-out", watchdog: "inactivity" });
  });

  test("after a failed request names it; after a limit it is that limit", () => {
    expect(ended(heard(codex, [codexTry("error sending request: refused")]), "inactivity")).toMatchObject({
      kind: "api-error",
      message: expect.stringContaining("error sending request: refused") as string,
      retryable: true,
    });
    expect(ended(heard(codex, [LIMITED]), "inactivity")?.kind).toBe("limit");
  });

  test("a session that never had an answer until its last minute is no attempt either", () => {
    expect(ended(heard(claude, [INIT]), "wall")?.kind).toBe("api-error");
    expect(ended(heard(claude, [INIT, claudeTool("1"), claudeResult("1")]), "wall")?.kind).toBe("timed-out");
  });
});

const overflow = (tokens: number) => ({
  type: "error",
  sessionID: "s",
  error: { name: "ContextOverflowError", data: { message: `The request has ${tokens} tokens` } },
});
/** It makes room, which the model says something about. */
const COMPACTED = [
  opencodeLine("step_start"),
  opencodeLine("text", { text: "A summary" }),
  opencodeLine("step_finish", { reason: "stop" }),
];

describe("P-44 the same error again and again", () => {
  test("a context that is too long after it was compacted twice ends the session as that", () => {
    const reader = heard(opencode, [overflow(1), ...COMPACTED, overflow(2), ...COMPACTED]);
    expect(reader.isStuck?.()).toBe(false);
    reader.line(JSON.stringify(overflow(3)));
    expect(reader.isStuck?.()).toBe(true);
    expect(ended(reader, "repeats")).toEqual({ kind: "context-too-long", message: "The request has 3 tokens" });
  });

  test("is none while tools are used in between", () => {
    const cycle = (tokens: number) => [overflow(tokens), ...COMPACTED, opencodeLine("step_start"), OPENCODE_TOOL];
    expect(heard(opencode, [1, 2, 3, 4].flatMap(cycle)).isStuck?.()).toBe(false);
  });

  test("as many tries as CLIs make by themselves are theirs; more end the session with what failed", () => {
    const tries = (count: number) => Array.from({ length: count }, (_, at) => codexTry("status 529: Overloaded", at));
    expect(heard(codex, tries(11)).isStuck?.()).toBe(false);
    const reader = heard(codex, tries(15));
    expect(reader.isStuck?.()).toBe(true);
    expect(ended(reader, "repeats")).toMatchObject({ kind: "api-error", status: 529, retryable: true });
  });
});
