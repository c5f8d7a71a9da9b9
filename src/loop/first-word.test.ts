import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AgentEvent } from "../domain/agent-event.ts";
import { session } from "../harness/harness.contract.ts";
import { command, gemini, pi, scripted } from "../harness/index.ts";
import { watchFirstWord } from "./first-word.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const servers = (...names: readonly string[]) => ({
  ...session,
  own: { user: JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])) }) },
});

/** What is told in a minute of silence. */
function told(...[harness, about]: readonly [typeof gemini, typeof session]): string[] {
  const events: AgentEvent[] = [];
  const watch = watchFirstWord(harness, about, (event) => void events.push(event));
  vi.advanceTimersByTime(60_000);
  watch.close();
  return events.flatMap((event) => (event.type === "agent.notice" ? event.text : []));
}

test("P-41 an agent that is silent after its start is told of once, with the servers that it may wait for", () => {
  expect(told(gemini, servers("tracker"))).toEqual([
    "Gemini CLI has said nothing in the 10 seconds since its start. It may be waiting for an MCP server: tracker. ralphctl doctor --probe tells whether it answers",
  ]);
  expect(told(gemini, servers("tracker", "db"))).toEqual([
    "Gemini CLI has said nothing in the 10 seconds since its start. It may be waiting for MCP servers: tracker, db. ralphctl doctor --probe tells which of them answer",
  ]);
  expect(told(pi, session)).toEqual(["Pi has said nothing in the 10 seconds since its start"]);
});

test("P-41 one that speaks, or that is silent by its nature, is not", () => {
  const events: AgentEvent[] = [];
  const watch = watchFirstWord(gemini, servers("tracker"), (event) => void events.push(event));
  vi.advanceTimersByTime(9000);
  watch.heard();
  vi.advanceTimersByTime(60_000);
  expect(events).toEqual([]);
  expect([told(command, session), told(scripted, session)]).toEqual([[], []]);
});
