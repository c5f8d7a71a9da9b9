import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AgentEvent } from "../domain/agent-event.ts";
import { NO_USAGE, NOTHING_USED, withUsage } from "../domain/usage.ts";
import { watchBudget } from "./watch-budget.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const text: AgentEvent = { type: "agent.text", text: "x" };
const tool: AgentEvent = { type: "agent.tool", name: "bash", input: "ls" };
const output: AgentEvent = { type: "agent.tool-result", ok: true, output: "" };
const usage = (input: number): AgentEvent => ({ type: "agent.usage", ...NO_USAGE, input });

/** Whether a session is stopped after these events: at once, after a while, or not. */
function watched(events: readonly AgentEvent[], { unreported = 0, hasResult = false, limit = 100 } = {}) {
  let reported = NOTHING_USED;
  const reader = {
    line: () => [],
    end: () => [],
    hasResult: () => hasResult,
    unreported: () => (unreported === 0 ? [] : [usage(unreported)]),
  };
  const watch = watchBudget({ budget: { tokens: limit } }, reader, () => reported);
  for (const event of events) {
    reported = withUsage(reported, event);
    watch.heard(event);
  }
  const stops = [watch.spent.aborted];
  vi.advanceTimersByTime(60_000);
  stops.push(watch.spent.aborted);
  watch.close();
  return stops;
}

const [AT_ONCE, SOON, NEVER] = [
  [true, true],
  [false, true],
  [false, false],
];

test.each([
  ["within its budget goes on", [tool, usage(99), output], {}, NEVER],
  ["that calls a tool is stopped at once", [text, tool, usage(100)], {}, AT_ONCE],
  ["whose usage is told before its tool is stopped when that begins", [text, usage(100), tool], {}, AT_ONCE],
  ["that speaks may be about to end", [tool, output, text, usage(100)], {}, SOON],
  ["may end with words that come after their usage", [tool, output, usage(100), text], {}, SOON],
  ["that calls one tool more is stopped at once", [tool, output, usage(100), tool], {}, AT_ONCE],
  ["that has given its result is not stopped", [tool, output, text, usage(100)], { hasResult: true }, NEVER],
  ["counts what no event has reported", [tool, usage(60)], { unreported: 40 }, AT_ONCE],
  ["without a limit goes on", [tool, usage(1e9)], { limit: Infinity }, NEVER],
])("P-44 a session %s", (_, events, how, stops) => {
  expect(watched(events, how)).toEqual(stops);
});

test("P-44 a session is looked at between its events, too", () => {
  let unreported = 0;
  const reader = { line: () => [], end: () => [], hasResult: () => false, unreported: () => [usage(unreported)] };
  const watch = watchBudget({ budget: { tokens: 100 } }, reader, () => NOTHING_USED);
  watch.heard(tool);
  expect(watch.spent.aborted).toBe(false);
  unreported = 100;
  watch.look();
  expect([watch.spent.aborted, watch.spent.reason]).toEqual([true, "budget"]);
});

test("P-44 a session that goes on after its result is stopped then", () => {
  let hasResult = true;
  const reader = { line: () => [], end: () => [], hasResult: () => hasResult };
  const watch = watchBudget({ budget: { tokens: 1 } }, reader, () => ({ ...NOTHING_USED, input: 1 }));
  watch.heard(text);
  vi.advanceTimersByTime(60_000);
  expect(watch.spent.aborted).toBe(false);
  hasResult = false;
  watch.heard(text);
  vi.advanceTimersByTime(60_000);
  expect(watch.spent.aborted).toBe(true);
});
