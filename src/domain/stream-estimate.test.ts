import { expect, test } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { createStreamEstimate } from "./stream-estimate.ts";

const text = (length: number): AgentEvent => ({ type: "agent.text", text: "x".repeat(length) });
const tool: AgentEvent = { type: "agent.tool", name: "bash", input: "x".repeat(40) };
const output: AgentEvent = { type: "agent.tool-result", ok: true, output: "x".repeat(400) };

function after(...events: readonly AgentEvent[]) {
  const estimate = createStreamEstimate("x".repeat(4000));
  events.forEach(estimate.add);
  return estimate.usage();
}

test("P-44 as long as no model has answered, nothing was taken", () => {
  expect(after()).toBe(undefined);
  expect(after({ type: "agent.retry", reason: "overloaded" })).toBe(undefined);
});

test("P-44 one request takes the prompt, what the CLI adds, and the answer", () => {
  expect(after(text(80), tool)).toEqual({ input: 11_000, output: 30, cacheRead: 0, cacheWrite: 0 });
});

test("P-44 each further request takes again all that was said before", () => {
  const two = after(text(80), tool, output, text(80));
  expect(two).toEqual({ input: 11_000 + 30 + 100, output: 50, cacheRead: 11_000, cacheWrite: 0 });
  const many = after(...Array.from({ length: 100 }, () => [tool, output]).flat());
  expect(many!.cacheRead).toBeGreaterThan(99 * 11_000);
});
