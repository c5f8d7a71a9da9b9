import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { finalMessage } from "../../test/final-message.ts";
import { joinTexts } from "./join-texts.ts";

function joined(events: readonly AgentEvent[]): AgentEvent[] {
  const out: AgentEvent[] = [];
  const joiner = joinTexts((event) => out.push(event));
  events.forEach(joiner.add);
  joiner.flush();
  return out;
}

const text = (said: string, block?: string, parent?: string): AgentEvent => ({
  type: "agent.text",
  text: said,
  ...(block !== undefined && { block }),
  ...(parent !== undefined && { parent }),
});
const notice: AgentEvent = { type: "agent.notice", text: "n" };

test("pieces of one text become one event; other texts, and what comes in between, keep them apart", () => {
  expect(
    joined([
      text("a\n", "1"),
      text("b\n", "1"),
      text("c", "2"),
      text("d", "2", "p"),
      text("e"),
      text("f"),
      text("g", "1"),
      notice,
      text("h", "1"),
    ]),
  ).toEqual([
    text("a\nb\n", "1"),
    text("c", "2"),
    text("d", "2", "p"),
    text("e"),
    text("f"),
    text("g", "1"),
    notice,
    text("h", "1"),
  ]);
});

test("an event holds no more than can be recorded whole, unless it came so", () => {
  const lines = Array.from({ length: 40 }, () => text("x".repeat(1000), "1"));
  const lengths = joined([...lines, text("y".repeat(50_000), "1")]).map((event) =>
    event.type === "agent.text" ? event.text.length : 0,
  );
  expect(lengths).toEqual([16_000, 16_000, 8000, 50_000]);
});

test("P-10 the final message is the same", () => {
  const event = fc.oneof(
    fc
      .tuple(fc.string(), fc.constantFrom(undefined, "1", "2"), fc.constantFrom(undefined, "p"))
      .map(([said, block, parent]) => text(said, block, parent)),
    fc.constant<AgentEvent>({ type: "agent.tool-result", ok: true, output: "o" }),
    fc.constant(notice),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      expect(finalMessage(joined(events))).toBe(finalMessage(events));
    }),
  );
});
