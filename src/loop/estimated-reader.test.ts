import { expect, test } from "vitest";
import type { AgentEvent, AgentReader } from "../domain/agent-event.ts";
import { NO_USAGE, usageOf } from "../domain/usage.ts";
import { withEstimate } from "./estimated-reader.ts";

const ENDED: AgentEvent = { type: "agent.ended", outcome: { kind: "aborted" } };
const EXIT = { code: 1, signal: null, atMs: 0, stderr: "", files: {} };
const usage: AgentEvent = { type: "agent.usage", ...NO_USAGE, input: 7 };

interface About {
  readonly told?: AgentEvent[];
  readonly own?: AgentEvent[];
  readonly isSpent?: () => boolean;
}

/** A session that calls a tool, with what its CLI tells besides. */
function session({ told = [], own = [], isSpent = () => false }: About = {}) {
  const reader: AgentReader = {
    line: () => [{ type: "agent.tool", name: "bash", input: "ls" }, ...told],
    hasResult: () => false,
    unreported: () => own,
    end: () => [...own, ENDED],
  };
  return withEstimate(reader, { given: "x".repeat(4000), model: "gpt-5.5", isSpent });
}

test("P-44 a session whose CLI tells nothing has an estimate, before and at its end, and it is called so", () => {
  const reader = session();
  expect(reader.unreported?.()).toEqual([]);
  reader.line("");
  const took = { ...NO_USAGE, input: 11_000, output: 1, costUsd: 0.05503, isEstimated: true };
  expect(usageOf(reader.unreported?.() ?? [])).toEqual(took);
  const last = reader.end(EXIT);
  expect([usageOf(last), last.at(-1)]).toEqual([took, ENDED]);
});

test.each([
  ["events", { told: [usage] }],
  ["its own file", { own: [usage] }],
])("P-44 what is told by %s is never added to an estimate", (_, told) => {
  const reader = session(told);
  const events = reader.line("");
  expect(usageOf([...events, ...(reader.unreported?.() ?? [])]).input).toBe(7);
  expect(usageOf([...events, ...reader.end(EXIT)])).toMatchObject({ input: 7, isEstimated: false });
});

test("P-42 P-44 a session that is stopped for its estimate, and then tells less, has taken the estimate", () => {
  let isSpent = false;
  const told: AgentEvent[] = [];
  const reader = session({ told, isSpent: () => isSpent });
  const events = reader.line("");
  reader.unreported?.();
  isSpent = true;
  told.push(usage);
  events.push(...reader.line(""), ...reader.end(EXIT));
  expect(usageOf(events)).toMatchObject({ input: 11_000, isEstimated: true });
});
