import { describe, expect, test } from "vitest";
import type { AgentEvent, AgentExit, AgentOutcome, StopReason } from "../domain/agent-event.ts";
import { finalMessage } from "../../test/final-message.ts";
import { usageOf } from "../domain/usage.ts";
import { claude } from "./claude.ts";
import { exit, session, settings } from "./harness.contract.ts";
import * as recordings from "./recordings.contract.ts";

const { CLAIM, outcome } = recordings;
const replay = (name: string, stoppedBy?: StopReason): AgentEvent[] =>
  recordings.replayed(claude, `claude/${name}`, stoppedBy);
const read = (lines: readonly (string | object)[], end: AgentExit = exit): AgentEvent[] =>
  recordings.read(claude, lines, end);

test("attended, it is started as a person would, with the prompt as its first words", () => {
  const own = { ...session, model: "opus", sessionId: "id", settings: { ...settings, args: ["--extra"] } };
  expect(claude.attended!(own)).toEqual({
    file: "claude",
    args: ["--model", "opus", "--session-id", "id", "--append-system-prompt", "You are careful.", "--extra", "Do it."],
    env: { CLAUDECODE: undefined, CLAUDE_CODE_ENTRYPOINT: undefined, DISABLE_AUTOUPDATER: "1" },
    files: [],
  });
});

describe("recorded sessions", () => {
  test.each<[string, AgentOutcome]>([
    ["basic", { kind: "done" }],
    ["empty", { kind: "done" }],
    ["err-midstream", { kind: "done" }],
    ["multi-tools", { kind: "done" }],
    ["tool-fail", { kind: "done" }],
    ["unknown-tool", { kind: "done" }],
    ["x-max-tokens", { kind: "done" }],
    ["x-perm-default", { kind: "done" }],
    ["err-403", { kind: "login", message: "Failed to authenticate. API Error: 403 forbidden" }],
    ["err-401", { kind: "login", message: "401 authentication_failed" }],
    ["stopped-401", { kind: "login", message: "401 authentication_failed" }],
    ["hang-sigint", { kind: "aborted" }],
    ["tool-sigint", { kind: "aborted" }],
    ["hang-sigterm", { kind: "crashed", code: 143, signal: null, detail: "ended with exit code 143 and no result" }],
    ["tool-sigterm", { kind: "crashed", code: 143, signal: null, detail: "ended with exit code 143 and no result" }],
    ["err-quota", { kind: "limit", limit: "billing", message: "Credit balance is too low" }],
  ])("P-14 %s", (name, expected) => {
    expect(outcome(replay(name))).toEqual(expected);
  });

  test("P-44 X-77 stopped for a refused login it says that it was interrupted: the login counts", () => {
    const retry = {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      error_status: 401,
      error: "authentication_failed",
    };
    const aborted = { type: "result", subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_x" };
    const ended = { ...exit, stoppedBy: "refused" } as const;
    const login = { kind: "login", message: "401 authentication_failed" };
    expect(outcome(read([retry, retry, aborted], ended))).toEqual(login);
    // Its result tells what the answers before the refusal took.
    const usage = { input_tokens: 2000, output_tokens: 100 };
    expect(outcome(read([retry, retry, { ...aborted, usage, total_cost_usd: 0.5 }], ended))).toEqual(login);
    const said = { type: "assistant", message: { id: "m", content: [{ type: "text", text: "Too late" }] } };
    expect(outcome(read([retry, retry, said, aborted], ended))).toEqual(login);
    expect(outcome(read([retry, aborted]))).toEqual({ kind: "aborted" });
    const good = { type: "result", subtype: "success", is_error: false };
    expect(outcome(read([retry, retry, good], ended))).toEqual({ kind: "done" });
  });

  test.each([
    [{ type: "result" }],
    [{ type: "result", subtype: "error_during_execution" }],
    [{ type: "result", subtype: "error_during_execution", is_error: false }],
    [{ type: "result", subtype: "something_new", is_error: false, result: "Rate limit fixed" }],
    [{ type: "result", subtype: "success", is_error: true }],
  ])("P-14 %o is a result that does not say that it went well", (line) => {
    expect(outcome(read([line], exit))?.kind).toBe("api-error");
  });

  test.each([1e300, -5, 0])("P-43 a limit that ends at %d seconds ends at no time that is known", (resetsAt) => {
    const info = { status: "rejected", resetsAt, rateLimitType: "five_hour" };
    const failure = {
      type: "result",
      subtype: "success",
      is_error: true,
      api_error: "usage_limit_reached",
      result: "No",
    };
    const lines = [{ type: "rate_limit_event", rate_limit_info: info }, failure];
    expect(outcome(read(lines, exit))).toEqual({ kind: "limit", limit: "five_hour", message: "No" });
  });

  test("X-77 a model that costs extra is a bill, unless the limit has an end", () => {
    const madeUp = { type: "assistant", error: "rate_limit", message: { model: "<synthetic>", content: [] } };
    const failure = {
      type: "result",
      subtype: "success",
      is_error: true,
      api_error: "model_requires_usage_credits",
      api_error_status: 429,
      result: "No",
    };
    expect(outcome(read([madeUp, failure], exit))).toEqual({ kind: "limit", limit: "billing", message: "No" });
    const info = { status: "rejected", resetsAt: 1_794_777_999, rateLimitType: "seven_day" };
    const lines = [{ type: "rate_limit_event", rate_limit_info: info }, madeUp, failure];
    expect(outcome(read(lines, exit))).toMatchObject({ limit: "seven_day", resetsAtMs: 1_794_777_999_000 });
  });

  test.each([
    ["err-500", 500, "server_error"],
    ["err-529", 529, "server_error"],
  ])("%s is a failure of the server, though its result says success", (name, status, error) => {
    expect(outcome(replay(name))).toMatchObject({ kind: "api-error", status, error });
  });

  test("a prompt that is too long and a refusal are outcomes of their own", () => {
    expect(outcome(replay("err-ctx"))?.kind).toBe("context-too-long");
    expect(outcome(replay("x-refusal"))?.kind).toBe("refused");
  });

  test("P-43 a usage limit has its reset from the structured event", () => {
    expect(outcome(replay("x-usage-limit-oauth"))).toEqual({
      kind: "limit",
      limit: "five_hour",
      resetsAtMs: 1_794_777_999_000,
      message: "You've hit your 5-hour limit · resets 9:26pm (UTC)",
    });
  });

  test.each(["err-429", "x-usage-limit-apikey"])("P-43 %s is a limit without a reset", (name) => {
    expect(outcome(replay(name))).toMatchObject({ kind: "limit", limit: "rate_limit" });
    expect(outcome(replay(name))).not.toHaveProperty("resetsAtMs");
  });

  test.each(["basic", "multi-tools", "tool-fail", "unknown-tool", "x-partial", "x-perm-default", "x-resume2", "sys"])(
    "P-10 the final message of %s is what it says after its last tool",
    (name) => {
      expect(finalMessage(replay(name))).toBe(CLAIM);
    },
  );

  test("P-10 an answer that was cut and resumed is kept whole, in its parts", () => {
    expect(finalMessage(replay("err-midstream"))).toBe(`partial \n\n${CLAIM}`);
    expect(finalMessage(replay("x-max-tokens"))).toBe(`cut off\n\n${CLAIM}`);
  });

  test("P-10 what the CLI makes up to show an error is not said by the agent", () => {
    expect(finalMessage(replay("err-500"))).toBe("");
    expect(finalMessage(replay("x-usage-limit-oauth"))).toBe("");
  });

  test("every kind of character survives", () => {
    expect(finalMessage(replay("utf8"))).toBe("Żółć 日本語 🎉 line1\nline2 \u2028 sep <task-done>t-1</task-done>");
  });

  test("P-44 usage and cost are those of the result, whatever the messages said before", () => {
    expect(usageOf(replay("basic"))).toEqual({
      input: 3700,
      output: 130,
      cacheRead: 300,
      cacheWrite: 500,
      costUsd: 0.015014999999999999,
      isEstimated: false,
    });
  });

  test("P-44 a resumed session reports what is new: its total counts the old one too", () => {
    expect(usageOf(replay("x-resume1")).costUsd).toBe(0.00375);
    expect(usageOf(replay("x-resume2"))).toMatchObject({ input: 1500, output: 20, costUsd: 0.0048000000000000004 });
  });

  test("P-44 a session without a result took what its messages said, and what they wrote is estimated", () => {
    expect(usageOf(replay("tool-sigterm"))).toEqual({
      input: 1000,
      output: 41,
      cacheRead: 0,
      cacheWrite: 0,
      // By the price list: it is a guess as well.
      costUsd: 0.003615,
      isEstimated: true,
    });
  });

  test("retries are told as they happen", () => {
    expect(replay("err-429").filter(({ type }) => type === "agent.retry")).toHaveLength(10);
  });
});

describe("results", () => {
  const init = { type: "system", subtype: "init", session_id: "s", model: "m", claude_code_version: "2.1.325" };
  const said = (text: string, extra: object = {}) => ({
    type: "assistant",
    message: { id: "1", model: "m", content: [{ type: "text", text }] },
    ...extra,
  });
  const result = (extra: object = {}) => ({ type: "result", subtype: "success", is_error: false, ...extra });

  test("P-14 a result and a bad exit is a crash: no claim", () => {
    expect(outcome(read([init, said("x"), result()], { ...exit, code: 1, stderr: "boom\n" }))).toEqual({
      kind: "crashed",
      code: 1,
      signal: null,
      detail: "gave its result, but ended with exit code 1: boom",
    });
  });

  test("P-14 a good exit without a result is a crash: no claim", () => {
    expect(outcome(read([init, said(CLAIM)]))?.kind).toBe("crashed");
  });

  test("P-14 a result holds when the agent had to be stopped after it", () => {
    for (const stoppedBy of ["grace", "background"] as const) {
      expect(outcome(read([init, result()], { ...exit, code: 143, stoppedBy }))).toEqual({ kind: "done" });
    }
  });

  test("P-43 words about a limit in a session that succeeded mean nothing", () => {
    const words = "Claude AI usage limit reached|1755806400";
    expect(outcome(read([init, said(words), result({ result: words })]))).toEqual({ kind: "done" });
    expect(outcome(read([init, said("429 rate limit"), result({ result: "429 rate limit" })]))).toEqual({
      kind: "done",
    });
  });

  test("P-43 a limit that was met and passed by is none", () => {
    const met = {
      type: "rate_limit_event",
      rate_limit_info: { status: "rejected", resetsAt: 1, rateLimitType: "seven_day" },
    };
    expect(outcome(read([init, met, said("x"), result()]))).toEqual({ kind: "done" });
  });

  test("P-43 a limit of an old version has its reset in the text", () => {
    const message = "Claude AI usage limit reached|1755806400";
    expect(outcome(read([result({ is_error: true, result: message })], { ...exit, code: 1 }))).toEqual({
      kind: "limit",
      limit: "usage",
      resetsAtMs: 1_755_806_400_000,
      message,
    });
  });

  test("P-43 a warning says how much is left, and ends nothing", () => {
    const info = { status: "allowed_warning", resetsAt: 1_794_777_999, rateLimitType: "five_hour", utilization: 0.9 };
    expect(read([{ type: "rate_limit_event", rate_limit_info: info }])[0]).toEqual({
      type: "agent.limit-warning",
      kind: "five_hour",
      resetsAtMs: 1_794_777_999_000,
      utilization: 0.9,
    });
  });

  test("a login that older versions tell in words alone is a login", () => {
    const message = "Invalid API key · Please run /login";
    expect(outcome(read([result({ is_error: true, result: message })], { ...exit, code: 1 }))).toEqual({
      kind: "login",
      message,
    });
  });

  test.each([
    ["error_max_turns", { kind: "turn-limit" }],
    ["error_max_budget_usd", { kind: "turn-limit", isBudget: true }],
  ])("%s is the CLI's own ceiling", (subtype, expected) => {
    expect(outcome(read([result({ subtype, is_error: true })], { ...exit, code: 1 }))).toEqual(expected);
  });

  test("P-20 an answer that is too long for the model, again and again, is the CLI's own ceiling, and no outage", () => {
    const madeUp = { ...said("API Error"), is_api_error_message: true, error: "max_output_tokens" };
    const failed = result({ is_error: true, terminal_reason: "api_error", result: "Claude's response exceeded" });
    expect(outcome(read([init, said("Long"), madeUp, failed], { ...exit, code: 1 }))).toEqual({
      kind: "turn-limit",
      isOutput: true,
    });
  });

  test("an execution error without more is an error that says what is known", () => {
    const failed = result({ subtype: "error_during_execution", is_error: true, errors: ["No conversation found"] });
    expect(outcome(read([failed], { ...exit, code: 1 }))).toEqual({
      kind: "api-error",
      error: "error_during_execution",
      message: "No conversation found",
      retryable: true,
    });
  });

  test("of two results, as after a background agent, the last counts and what they took adds up", () => {
    const took = (inputTokens: number, costUSD: number) => ({
      model_usage_since_last_result: { m: { inputTokens, outputTokens: 1, costUSD } },
      total_cost_usd: 99,
    });
    const events = read([
      init,
      said("Waiting."),
      result(took(10, 0.5)),
      init,
      said(CLAIM),
      result({ ...took(5, 0.25), origin: "task" }),
    ]);
    expect(events.filter(({ type }) => type === "agent.session")).toHaveLength(1);
    expect(usageOf(events)).toMatchObject({ input: 15, output: 2, costUsd: 0.75 });
    expect(outcome(events)).toEqual({ kind: "done" });
    expect(finalMessage(events)).toBe(`Waiting.\n\n${CLAIM}`);
  });

  test("P-14 a second turn that gives no result leaves no claim", () => {
    expect(outcome(read([init, said(CLAIM), result(), init, said("Hm")]))?.kind).toBe("crashed");
  });

  test("P-14 there is no result yet while a background agent works", () => {
    const reader = claude.reader(session);
    const feed = (line: object): boolean => {
      reader.line(JSON.stringify(line));
      return reader.hasResult();
    };
    const task = { type: "system", task_id: "b1", is_backgrounded: true, task_type: "local_agent" };
    expect(feed(result())).toBe(true);
    expect(feed({ ...task, subtype: "task_started" })).toBe(false);
    expect(feed({ ...task, subtype: "task_notification" })).toBe(true);
    expect(feed(said("sub", { parent_tool_use_id: "t" }))).toBe(true);
    expect(feed(init)).toBe(false);
    expect(feed(result())).toBe(true);
  });

  test("P-14 P-41 it waits for a command in the background, and for the time at which it wakes up", () => {
    const reader = claude.reader(session);
    const events: AgentEvent[] = [];
    const feed = (line: object): string => {
      events.push(...reader.line(JSON.stringify(line)));
      return reader.hasResult() ? "over" : reader.isWaiting!() ? "waiting" : "working";
    };
    const task = { task_id: "b1", task_type: "local_bash", description: "npm run build" };
    const changed = (...tasks: readonly object[]) => ({ type: "system", subtype: "background_tasks_changed", tasks });
    const wakesUp = {
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "t", name: "ScheduleWakeup", input: {} }] },
    };
    const started = { type: "system", subtype: "task_started", is_backgrounded: true, ...task };
    expect([init, started, said("Started."), result()].map(feed).at(-1)).toBe("waiting");
    expect(events.at(-1)).toEqual({ type: "agent.notice", text: "It waits for npm run build, in the background" });
    expect(feed(changed())).toBe("over");
    expect([init, changed(task), result()].map(feed).at(-1)).toBe("waiting");
    expect(feed({ type: "system", subtype: "task_notification", task_id: "b1" })).toBe("over");
    expect([init, wakesUp, result()].map(feed).at(-1)).toBe("waiting");
    expect([init, result()].map(feed).at(-1)).toBe("over");
    // A failure is not made good by a command.
    expect([init, changed(task), result({ is_error: true })].map(feed).at(-1)).toBe("over");
  });

  test("P-10 what a sub-agent says or gets from its tools is not the agent's own", () => {
    const tool = {
      type: "user",
      message: { content: [{ type: "tool_result", content: "x" }] },
      parent_tool_use_id: "t",
    };
    expect(finalMessage(read([said("Mine."), said("Theirs.", { parent_tool_use_id: "t" }), tool, result()]))).toBe(
      "Mine.",
    );
  });

  test("older versions report a total alone: what is new is the difference", () => {
    const usage = { input_tokens: 7, output_tokens: 2 };
    const events = read([result({ usage, total_cost_usd: 1 }), result({ usage, total_cost_usd: 1.5 })]);
    expect(usageOf(events)).toMatchObject({ input: 14, output: 4, costUsd: 1.5 });
  });

  test("P-10 an answer that stands in the result alone is the agent's own", () => {
    expect(finalMessage(read([init, result({ result: CLAIM })]))).toBe(CLAIM);
    const tool = { type: "user", message: { content: [{ type: "tool_result", content: "x" }] } };
    expect(finalMessage(read([init, said("Hm."), tool, result({ result: CLAIM })]))).toBe(CLAIM);
    expect(finalMessage(read([init, said("Mine."), result({ result: "Mine." })]))).toBe("Mine.");
    const failed = result({ is_error: true, result: CLAIM });
    expect(finalMessage(read([init, failed]))).toBe("");
  });

  test("P-44 an odd number costs a session neither its result nor its claim", () => {
    const usage = { input_tokens: -5, output_tokens: 1.6, cache_read_input_tokens: 1e300 };
    const events = read([init, said(CLAIM), result({ usage, total_cost_usd: -3 })]);
    expect(outcome(events)).toEqual({ kind: "done" });
    expect(usageOf(events)).toEqual({
      input: 0,
      output: 2,
      cacheRead: 1e12,
      cacheWrite: 0,
      // Tokens that cost nothing have no known price.
      costUsd: undefined,
      isEstimated: false,
      isCostPartial: true,
    });
    const models = { m: { inputTokens: 1, outputTokens: 1, costUSD: -0.5 } };
    expect(usageOf(read([result({ model_usage_since_last_result: models })])).costUsd).toBe(undefined);
  });

  test("P-44 a result that names no model, or tells no tokens, hides nothing of what was taken", () => {
    const usage = { input_tokens: 7, output_tokens: 2 };
    const total = result({ usage, total_cost_usd: 1.5, model_usage_since_last_result: {} });
    expect(usageOf(read([init, total]))).toMatchObject({ input: 7, output: 2, costUsd: 1.5, isEstimated: false });
    const spoke = { type: "assistant", message: { id: "m", model: "claude-sonnet-4-5", content: [], usage } };
    const silent = { subtype: "error_during_execution", is_error: true };
    expect(usageOf(read([init, spoke, result(silent)]))).toMatchObject({ input: 7, output: 2, isEstimated: true });
  });

  test.each([
    ["api_error", "api-error"],
    ["prompt_too_long", "context-too-long"],
    ["max_turns", "turn-limit"],
    ["budget_exhausted", "turn-limit"],
    ["aborted_streaming", "aborted"],
  ])("P-14 a success that ended by %s is none", (terminal_reason, kind) => {
    const events = read([init, said(CLAIM), result({ is_error: false, terminal_reason })]);
    expect(outcome(events)?.kind).toBe(kind);
  });

  test.each([
    ["seconds", 1_794_777_999],
    ["milliseconds", 1_794_777_999_000],
  ])("P-43 a reset in %s is the same time", (_, resetsAt) => {
    const info = { status: "allowed_warning", rateLimitType: "five_hour", resetsAt };
    expect(read([{ type: "rate_limit_event", rate_limit_info: info }])[0]).toMatchObject({
      resetsAtMs: 1_794_777_999_000,
    });
  });

  test("lines that are not known are counted, with the first as an example", () => {
    expect(read(["banner", "", '{"type":"future"}', result()]).at(-2)).toEqual({
      type: "agent.unknown",
      lines: 2,
      of: 3,
      example: "banner",
    });
  });
});

describe("start", () => {
  const full = { ...session, model: "opus", sessionId: "0b9c1f0e-0000-4000-8000-000000000000", isRoot: true };

  test("D-03 is exactly this, with the whole prompt on standard input", () => {
    expect(claude.start({ ...full, settings: { ...settings, args: ["--betas", "x"], env: { A: "1" } } })).toEqual({
      file: "claude",
      args: [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--settings",
        '{"disableAllHooks":true}',
        "--disallowedTools",
        "AskUserQuestion",
        "--dangerously-skip-permissions",
        "--model",
        "opus",
        "--session-id",
        "0b9c1f0e-0000-4000-8000-000000000000",
        "--append-system-prompt",
        "You are careful.",
        "--betas",
        "x",
      ],
      env: { DISABLE_AUTOUPDATER: "1", IS_SANDBOX: "1", A: "1" },
      stdin: "Do it.",
      files: [],
    });
  });

  describe("the person's own settings", () => {
    const HOOKS = { Stop: [{ hooks: [{ type: "command", command: "sleep 600" }] }] };
    const user = {
      env: { ANTHROPIC_API_KEY: "secret" },
      apiKeyHelper: "/bin/key",
      model: "haiku",
      permissions: { deny: ["Bash(rm:*)"] },
      outputStyle: "Explanatory",
      hooks: HOOKS,
    };
    const own = { user: JSON.stringify(user) };
    const both = { ...own, project: JSON.stringify({ hooks: HOOKS }) };

    /** The arguments about settings, with those that are JSON read; and the environment. */
    const startWith = (about: { own?: Record<string, string>; userSettings?: "all" | "login" | "none" }) => {
      const { args, env, files } = claude.start({
        ...session,
        own: about.own ?? own,
        settings: { ...settings, userSettings: about.userSettings ?? "all" },
      });
      const value = (name: string) => args[args.indexOf(name) + 1]!;
      const file = files.find(({ path }) => path === value("--settings"));
      const given = args.includes("--settings") ? (file?.text ?? value("--settings")) : "{}";
      return {
        sources: args.includes("--setting-sources") ? value("--setting-sources") : "all",
        settings: JSON.parse(given) as object,
        key: env["ANTHROPIC_API_KEY"],
        isSecret: !/secret|key/i.test(args.join(" ")) && (file === undefined || file.isSecret === true),
      };
    };
    const plain = { key: undefined, isSecret: true };

    test("D-03 all of them apply but hooks and the output style", () => {
      const off = { disableAllHooks: true, outputStyle: "default" };
      expect(startWith({})).toEqual({ ...plain, sources: "all", settings: off });
      expect(startWith({ own: { user: "not JSON" } })).toEqual({
        ...plain,
        sources: "all",
        settings: { disableAllHooks: true },
      });
      const style = { ...own, project: '{"outputStyle":"mine"}' };
      expect(startWith({ own: style }).settings).toEqual({ disableAllHooks: true });
    });

    test("D-03 hooks of the repository run; if there are both, only login, model and permissions are the person's", () => {
      const { apiKeyHelper, model, permissions } = user;
      expect(startWith({ own: { project: both.project } })).toEqual({ ...plain, sources: "all", settings: {} });
      expect(startWith({ own: both })).toEqual({
        sources: "project,local",
        settings: { apiKeyHelper, model, permissions },
        key: "secret",
        isSecret: true,
      });
      const warned = (texts: Record<string, string>) =>
        claude.facts.warning!({ isRoot: false, settings, own: texts })?.split(".")[0];
      expect([warned(own), warned(both)]).toEqual([undefined, "Claude Code can switch off only all hooks at once"]);
    });

    test("D-03 userSettings takes only the login, or nothing", () => {
      const repository = { sources: "project,local", isSecret: true };
      expect(startWith({ userSettings: "login" })).toEqual({
        ...repository,
        settings: { apiKeyHelper: "/bin/key" },
        key: "secret",
      });
      expect(startWith({ userSettings: "none" })).toEqual({ ...repository, settings: {}, key: undefined });
    });

    test("D-03 the files are where the CLI looks for them", () => {
      const files = (env: Record<string, string>) => claude.ownFiles!({ env, cwd: "/work" });
      expect(files({ HOME: "/home/me" })).toEqual({
        user: "/home/me/.claude/settings.json",
        state: "/home/me/.claude.json",
        servers: "/work/.mcp.json",
        project: "/work/.claude/settings.json",
        local: "/work/.claude/settings.local.json",
      });
      const { user, state } = files({ HOME: "/home/me", CLAUDE_CONFIG_DIR: "/etc/claude" });
      expect([user, state]).toEqual(["/etc/claude/settings.json", "/etc/claude/.claude.json"]);
      expect(files({})).not.toHaveProperty("user");
    });
  });

  test("P-44 is told what is left of the money", () => {
    const args = (budgetUsd: number) => claude.start({ ...session, budgetUsd }).args;
    expect(args(1.234)).toEqual(expect.arrayContaining(["--max-budget-usd", "1.23"]));
    expect(args(0.001)).toEqual(expect.arrayContaining(["--max-budget-usd", "0.01"]));
    expect(claude.start(session).args).not.toContain("--max-budget-usd");
  });

  test("only root needs to be told that it is a sandbox", () => {
    expect(claude.start(session).env).not.toHaveProperty("IS_SANDBOX");
  });

  test("it may be started from inside a session of its own", () => {
    const inside = { CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", ...claude.start(session).env };
    expect(inside).toMatchObject({ CLAUDECODE: undefined, CLAUDE_CODE_ENTRYPOINT: undefined });
  });

  test("a large system prompt goes by file", () => {
    const systemPrompt = "é".repeat(60_000);
    const { args, files } = claude.start({ ...session, systemPrompt });
    const path = "/workspace/.ralph/runs/1/1/append-system-prompt.md";
    expect(args.slice(-2)).toEqual(["--append-system-prompt-file", path]);
    expect(files).toEqual([{ path, text: systemPrompt }]);
  });

  test("another program can be named", () => {
    expect(claude.start({ ...session, settings: { ...settings, bin: "/opt/claude" } }).file).toBe("/opt/claude");
  });
});
