import { expect, test } from "vitest";
import { type SessionUsage, usageOf } from "../domain/usage.ts";
import { exit, session } from "./harness.contract.ts";
import type { Harness } from "./harness.ts";
import { claude, codex, copilot, gemini, opencode, pi, qwen } from "./index.ts";

// P-44: what a session took so far, although its CLI has reported nothing yet.

const SESSION = "0b9c1f0e-0000-4000-8000-000000000001";

/** What is known of a session after lines of its output and of its own file. */
function knownOf(harness: Harness, lines: readonly object[], own: readonly object[] = [], model?: string) {
  const reader = harness.reader({ ...session, sessionId: SESSION, model });
  const reported = lines.flatMap((line) => reader.line(JSON.stringify(line)));
  const file = reader.wants?.();
  if (file !== undefined) own.forEach((line) => reader.own?.(JSON.stringify(line)));
  return { reader, file, reported: usageOf(reported), unreported: usageOf(reader.unreported?.() ?? []) };
}

const took = (input: number, output: number, costUsd?: number): SessionUsage => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  costUsd,
  isEstimated: true,
});
const none = usageOf([]);

const init = { type: "system", subtype: "init", session_id: SESSION, model: "claude-sonnet-4-5", cwd: "/a/lane_1" };
const message = (id: string, usage: object, block: object = { type: "text", text: "word" }) => ({
  type: "assistant",
  message: { id, model: "claude-sonnet-4-5", content: [block], usage },
});
const begun = { input_tokens: 1_000_000, output_tokens: 1 };
const whole = { input_tokens: 1_000_000, output_tokens: 20_000 };
const result = { type: "result", subtype: "success", is_error: false, usage: whole, total_cost_usd: 3.3 };

test("P-44 claude: a message counts once, however many parts of it repeat its usage", () => {
  const { reported, unreported } = knownOf(claude, [init, message("m-1", begun), message("m-1", begun)]);
  expect(reported).toEqual(none);
  expect(unreported).toMatchObject({ input: 1_000_000, isEstimated: true });
});

test("P-44 claude: of a message that has only begun, what is written is estimated", () => {
  const { unreported } = knownOf(claude, [init, message("m-1", begun, { type: "text", text: "x".repeat(4000) })]);
  expect(unreported.output).toBeGreaterThanOrEqual(1000);
  expect(unreported.output).toBeLessThan(1020);
});

test("P-44 claude: its own file has the true usage of a message, by its id", () => {
  const own = [message("m-1", whole), message("m-9", whole), { type: "user", message: { content: "usage" } }];
  const { file, unreported } = knownOf(claude, [init, message("m-1", begun)], own);
  expect(unreported).toEqual(took(1_000_000, 20_000, 3.3));
  expect(file).toEqual({
    variable: "CLAUDE_CONFIG_DIR",
    otherwise: ".claude",
    folder: "projects/-a-lane-1",
    endsWith: `${SESSION}.jsonl`,
  });
});

test("P-44 claude: what a result covers is not counted again, whatever is read after it", () => {
  const { reader, reported, unreported } = knownOf(claude, [init, message("m-1", begun), result]);
  expect([reported.input, reported.costUsd, unreported]).toEqual([1_000_000, 3.3, none]);
  reader.own?.(JSON.stringify(message("m-1", whole)));
  expect(usageOf(reader.end(exit))).toEqual(none);
});

test("P-44 qwen: its messages say what they took", () => {
  const usage = { input_tokens: 1500, output_tokens: 60, cache_read_input_tokens: 300 };
  const lines = [
    init,
    message("a", { input_tokens: 0, output_tokens: 0 }),
    message("b", usage, { type: "tool_use", id: "t", name: "run_shell_command", input: {} }),
  ];
  expect(knownOf(qwen, lines)).toMatchObject({ unreported: { input: 1200, output: 60, cacheRead: 300 } });
  expect(knownOf(qwen, lines).file).toBe(undefined);
});

test("P-44 codex: its own file says after each request what the thread took", () => {
  const started = { type: "thread.started", thread_id: "0199-thread" };
  const record = (input: number, output: number) => ({
    type: "token_usage_record",
    payload: { thread_token_usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output } },
  });
  const own = [record(100_000, 2000), record(200_000, 4000), { type: "response_item", payload: { type: "message" } }];
  expect(knownOf(codex, [started], own, "gpt-5.5").unreported).toEqual(took(200_000, 4000, 1.12));
  const completed = { type: "turn.completed", usage: { input_tokens: 300_000, output_tokens: 6000 } };
  // Its file is behind: nothing is counted twice, and nothing is taken back.
  const two = knownOf(codex, [started, completed, { type: "turn.started" }], own, "gpt-5.5");
  expect([two.reported.input, two.unreported]).toEqual([300_000, none]);
});

test("P-44 gemini: its own file says with each message what it took, several times", () => {
  const opened = { type: "init", session_id: SESSION, model: "gemini-2.5-pro" };
  const said = (id: string, input: number, more: object = {}) => ({
    id,
    type: "gemini",
    tokens: { input, output: 2000, cached: 0, thoughts: 500, tool: 0, total: 0 },
    ...more,
  });
  const own = [said("a", 100_000), { $set: {} }, said("a", 100_000, { toolCalls: [] }), said("b", 200_000)];
  const known = knownOf(gemini, [opened], own);
  expect(known.unreported).toEqual(took(300_000, 5000, 0.425));
  expect(known.file).toEqual({
    variable: "GEMINI_CLI_HOME",
    otherwise: "",
    folder: ".gemini/tmp",
    endsWith: "-0b9c1f0e.jsonl",
  });
  const ended = { type: "result", status: "success", stats: { input_tokens: 300_000, output_tokens: 5000 } };
  known.reader.line(JSON.stringify(ended));
  expect([known.reader.wants?.(), usageOf(known.reader.end(exit))]).toEqual([undefined, none]);
});

test("P-44 copilot: its own file has a record of each request; the file at its end replaces them", () => {
  const record = (model: string) => ({
    type: "session.usage_record",
    data: { usage: { model, inputTokens: 100_000, outputTokens: 2000, cacheReadTokens: 0, cacheWriteTokens: 0 } },
  });
  const known = knownOf(copilot, [], [record("gpt-5.5"), record("gpt-5.5"), record("my-own")]);
  expect(known.file).toMatchObject({ folder: `session-state/${SESSION}`, endsWith: "events.jsonl" });
  expect(known.unreported).toMatchObject({ input: 300_000, output: 6000, costUsd: 1.12, isEstimated: true });
  const metrics = { "gpt-5.5": { usage: { inputTokens: 210_000, outputTokens: 4000 } } };
  const files = { [`${session.folder}/copilot-usage.json`]: JSON.stringify({ modelMetrics: metrics }) };
  expect(usageOf(known.reader.end({ ...exit, files }))).toMatchObject({ input: 210_000, output: 4000 });
});

test.each([
  [
    "opencode",
    opencode,
    { type: "step_finish", sessionID: "s", part: { reason: "stop", cost: 0, tokens: { input: 9 } } },
  ],
  [
    "pi",
    pi,
    { type: "message_end", message: { role: "assistant", usage: { input: 9, output: 0, cost: { total: 0 } } } },
  ],
])("P-44 %s: tokens that cost nothing have the price of the list, or none that is known", (_, harness, line) => {
  const took = { input: 9, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(knownOf(harness, [line], [], "mine/my-own").reported).toEqual({
    ...took,
    costUsd: undefined,
    isEstimated: false,
    isCostPartial: true,
  });
  expect(knownOf(harness, [line], [], "openai/gpt-5.5").reported).toEqual({
    ...took,
    costUsd: 0.000045,
    isEstimated: true,
  });
});

test.each(["../../x", "a", "", 7])("an id such as %j is not part of a path", (id) => {
  expect(knownOf(gemini, [{ type: "init", session_id: id }]).file).toBe(undefined);
  expect(knownOf(claude, [{ ...init, session_id: id }, message("m", begun)]).file).toBe(undefined);
  const reader = copilot.reader({ ...session, sessionId: String(id) });
  expect(reader.wants?.()).toBe(undefined);
});
