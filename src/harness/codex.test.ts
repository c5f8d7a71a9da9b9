import { describe, expect, test } from "vitest";
import { finalMessage } from "../../test/final-message.ts";
import { usageOf } from "../domain/usage.ts";
import { codex } from "./codex.ts";
import { exit, session, settings } from "./harness.contract.ts";
import { CLAIM, expectOutcomes, outcome, read, replayed } from "./recordings.contract.ts";

const crashed = (code: number | null, signal: string | null = null) => ({
  kind: "crashed" as const,
  code,
  signal,
  detail: `ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`} and no result`,
});
const done = { kind: "done" } as const;

describe("recorded sessions", () => {
  test("P-14 P-43 each ends as it did", () => {
    const refused = (status: string) => `unexpected status ${status}, url: http://127.0.0.1:1/v1/responses`;
    expectOutcomes(codex, "codex", {
      basic: done,
      empty: done,
      "err-401": { kind: "login", message: refused("401 Unauthorized: Incorrect API key provided: test.") },
      "err-403": { kind: "login", message: refused("403 Forbidden: forbidden") },
      "err-429": {
        kind: "limit",
        limit: "rate_limit",
        message: "exceeded retry limit, last status: 429 Too Many Requests",
      },
      "err-500": {
        kind: "api-error",
        error: "unknown",
        message: "We’re currently experiencing high demand, which may cause temporary errors.",
        retryable: true,
      },
      "err-529": {
        kind: "api-error",
        status: 529,
        error: "unknown",
        message: refused("529 <unknown status code>: Overloaded"),
        retryable: true,
      },
      "err-ctx": { kind: "context-too-long", message: "Your input exceeds the context window of this model." },
      "err-midstream": done,
      "hang-sigint": crashed(1),
      "hang-sigterm": crashed(null, "SIGTERM"),
      "multi-tools": done,
      "stopped-401": { kind: "login", message: refused("401 Unauthorized: Incorrect API key provided") },
      "tool-fail": done,
      "tool-sigint": crashed(1),
      "tool-sigterm": crashed(null, "SIGTERM"),
      utf8: done,
      "x-resume1": done,
      "x-resume2": done,
      "x-usage-limit": {
        kind: "limit",
        limit: "usage",
        // From its own file: the window that is used up, not the other.
        resetsAtMs: 1_794_778_600_000,
        message:
          "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 9:36 PM.",
      },
    });
  });

  test("P-10 the final message is what it says after its last tool", () => {
    for (const name of ["basic", "multi-tools", "tool-fail", "x-resume2"]) {
      expect([name, finalMessage(replayed(codex, `codex/${name}`))]).toEqual([name, CLAIM]);
    }
    expect(finalMessage(replayed(codex, "codex/err-midstream"))).toBe(`partial \n\n${CLAIM}`);
  });

  test("P-44 tokens of the input are told apart from those of the cache", () => {
    const tokens = { input: 3700, output: 130, cacheRead: 300, cacheWrite: 0 };
    const unknown = { costUsd: undefined, isEstimated: false, isCostPartial: true };
    expect(usageOf(replayed(codex, "codex/basic"))).toEqual({ ...tokens, ...unknown });
  });

  test("retries are told as they happen, and end nothing", () => {
    expect(replayed(codex, "codex/err-529").filter(({ type }) => type === "agent.retry")).toHaveLength(5);
  });
});

describe("lines", () => {
  const started = { type: "thread.started", thread_id: "0199-thread" };
  const failed = (message: string) => ({ type: "turn.failed", error: { message } });
  const limit = "You’ve hit your usage limit. Try again at 9:36 PM.";
  const completed = (input: number, output: number) => ({
    type: "turn.completed",
    usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output },
  });

  test("P-44 what it costs is estimated by the model that was asked for, and said to be so", () => {
    const events = read(codex, [started, completed(1_000_000, 100_000)], { model: "gpt-5.4" });
    expect(events.find(({ type }) => type === "agent.cost")).toEqual({ type: "agent.cost", usd: 4, estimated: true });
  });

  test("P-44 the numbers of a thread grow: what is new is the difference", () => {
    expect(usageOf(read(codex, [started, completed(10, 1), completed(30, 4)]))).toMatchObject({ input: 30, output: 4 });
  });

  test("P-43 P-44 its own file is asked for when a turn failed or was cut, and only then", () => {
    const wanted = (...lines: readonly object[]) => {
      const reader = codex.reader(session);
      lines.forEach((line) => reader.line(JSON.stringify(line)));
      return reader.wants?.();
    };
    const file = { variable: "CODEX_HOME", otherwise: ".codex", folder: "sessions", endsWith: "-0199-thread.jsonl" };
    expect(wanted(started, failed(limit))).toEqual(file);
    expect(wanted(started)).toEqual(file);
    expect(wanted(started, completed(1, 1))).toBe(undefined);
    expect(wanted({ ...started, thread_id: "../../etc" }, failed(limit))).toBe(undefined);
  });

  const counted = (input: number, cached: number, output: number) => ({
    type: "event_msg",
    payload: {
      type: "token_count",
      info: { total_token_usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output } },
    },
  });
  const own = (...lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

  test.each([
    ["fails", [failed("Overloaded")], { code: 1 }],
    ["is cut", [], { code: null, signal: "SIGKILL", stoppedBy: "wall" as const }],
  ])("P-44 what a turn took that %s is in its own file, and counts as the least it can be", (_, lines, how) => {
    const ownFile = own(counted(100, 20, 5), counted(1_000_000, 200_000, 10_000), { type: "event_msg", payload: null });
    const events = read(codex, [started, ...lines], { ...exit, ...how, ownFile, model: "gpt-5.4" });
    expect(usageOf(events)).toEqual({
      input: 800_000,
      output: 10_000,
      cacheRead: 200_000,
      cacheWrite: 0,
      costUsd: 2.2,
      isEstimated: true,
    });
  });

  test("P-44 what a turn before it took is not counted twice", () => {
    const ownFile = own(counted(30, 0, 4));
    const lines = [started, completed(10, 1), { type: "turn.started" }];
    expect(usageOf(read(codex, lines, { ...exit, code: 1, ownFile }))).toMatchObject({ input: 30, output: 4 });
  });

  test("P-43 without its file the words tell the reset, as a clock of this machine", () => {
    const atMs = new Date(2026, 10, 15, 12, 0).getTime();
    expect(outcome(read(codex, [started, failed(limit)], { ...exit, code: 1, atMs }))).toMatchObject({
      resetsAtMs: new Date(2026, 10, 15, 21, 36).getTime(),
    });
    expect(
      outcome(read(codex, [started, failed(limit)], { ...exit, code: 1, atMs, ownFile: "{broken" })),
    ).toMatchObject({
      resetsAtMs: new Date(2026, 10, 15, 21, 36).getTime(),
    });
  });

  test("an error that ends the process without ending the turn is the reason; one that was overcome is not", () => {
    const error = { type: "error", message: "unexpected status 401 Unauthorized: no" };
    expect(outcome(read(codex, [started, error], { ...exit, code: 1 }))?.kind).toBe("login");
    expect(outcome(read(codex, [started, error], exit))?.kind).toBe("crashed");
    expect(outcome(read(codex, [started, error, completed(1, 1)], exit))).toEqual(done);
  });

  test("calls of tools are told once, with their results", () => {
    const item = (type: string, more: object) => ({ type, item: { id: "i1", type: "mcp_tool_call", ...more } });
    const call = { server: "docs", tool: "search", arguments: { query: "x" } };
    const result = { ...call, status: "failed", error: { message: "no" } };
    const change = { id: "i2", type: "file_change", status: "completed", changes: [{ path: "a.ts", kind: "add" }] };
    const lines = [
      item("item.started", call),
      item("item.completed", result),
      { type: "item.completed", item: change },
    ];
    expect(read(codex, lines).slice(0, -1)).toEqual([
      { type: "agent.tool", id: "i1", name: "docs.search", input: "x" },
      { type: "agent.tool-result", id: "i1", ok: false, output: "no" },
      { type: "agent.tool", id: "i2", name: "file_change", input: "add a.ts" },
      { type: "agent.tool-result", id: "i2", ok: true, output: "" },
    ]);
  });
});

describe("start", () => {
  test("D-03 leaves out the person's configuration when it is told to", () => {
    const args = (userSettings: "all" | "login") =>
      codex.start({ ...session, settings: { ...settings, userSettings } }).args;
    expect([args("all"), args("login")].map((all) => all.includes("--ignore-user-config"))).toEqual([false, true]);
  });

  test("D-03 is exactly this, with the whole prompt on standard input", () => {
    const own = { ...session, model: "gpt-5.4", settings: { ...settings, args: ["-c", "x=1"], env: { A: "1" } } };
    expect(codex.start({ ...own, systemPrompt: 'Be "careful".\n\u007f\ud800' })).toEqual({
      file: "codex",
      args: [
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "-c",
        "features.plugins=false",
        "-c",
        "check_for_update_on_startup=false",
        "-m",
        "gpt-5.4",
        "-c",
        String.raw`developer_instructions="Be \"careful\".\n\u007f` + '\ufffd"',
        "-",
        "-c",
        "x=1",
      ],
      env: { A: "1" },
      stdin: "Do it.",
      files: [],
    });
  });

  test("a system prompt that is too long for an argument is the first section of the prompt", () => {
    const systemPrompt = "x".repeat(110_000);
    const { args, stdin } = codex.start({ ...session, systemPrompt });
    expect([args.join(" ").includes("developer_instructions"), stdin]).toEqual([
      false,
      `${systemPrompt}\n\n---\n\nDo it.`,
    ]);
  });
});

test("P-20 a command that the person's rules forbid is told, though only the log says so", () => {
  const reader = codex.reader(session);
  const line =
    '2026-11-18T01:31:40Z ERROR codex_core::tools::router: error=exec_command failed: CreateProcess { message: "Rejected(\\"`git push` rejected: policy forbids commands starting with `git push`\\")" }';
  const text = "`git push` rejected: policy forbids commands starting with `git push`";
  expect([reader.errorLine?.(line), reader.errorLine?.("ERROR x: y")]).toEqual([[{ type: "agent.notice", text }], []]);
});
