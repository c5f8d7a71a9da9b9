import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { finalMessage } from "../../test/final-message.ts";
import { createFinalMessage, createTailText } from "./final-message.ts";
import { usageOf } from "./usage.ts";

const say = (text: string, block?: string): AgentEvent => ({
  type: "agent.text",
  text,
  ...(block === undefined ? {} : { block }),
});
const result: AgentEvent = { type: "agent.tool-result", ok: true, output: "<task-done>t-1</task-done>" };
const think: AgentEvent = { type: "agent.thinking", text: "<task-done>t-1</task-done>" };

test("P-10 only what is said after the last tool result counts", () => {
  expect(finalMessage([say("One."), result, say("Two."), think, result, say("Three."), think])).toBe("Three.");
});

test("P-10 tool output and thinking are never part of it", () => {
  expect(finalMessage([think, result])).toBe("");
});

test("P-10 what was said before a line that nobody could read is not part of it: it may have been a tool result", () => {
  const long: AgentEvent = { type: "agent.long-line", bytes: 1e8, file: "transcript.ndjson", offset: 0 };
  expect(finalMessage([say("One.", "output"), long, say("Two.", "output")])).toBe("Two.");
});

test("P-10 a tool that was called and never answered ends nothing", () => {
  expect(finalMessage([say("One."), { type: "agent.tool", name: "Bash", input: "ls" }])).toBe("One.");
});

test("P-10 parts of one block are joined as they are, so a tag split over them is whole", () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.nat(60), { maxLength: 5 }), (before, cuts) => {
      const text = `${before}<task-done>t-1</task-done>`;
      const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
      const parts = at.slice(1).map((end, index) => say(text.slice(at[index], end), "b"));
      expect(finalMessage(parts)).toBe(text);
    }),
  );
});

test("P-10 blocks are kept apart by a blank line", () => {
  expect(finalMessage([say("I will not say", "a"), say("<task-done>", "b"), say("More.")])).toBe(
    "I will not say\n\n<task-done>\n\nMore.",
  );
});

test("of a gigabyte the end is kept, from the beginning of a line", () => {
  const message = createFinalMessage();
  const line = `${"x".repeat(1023)}\n`;
  for (let count = 0; count < 20_000; count += 1) message.add(say(line, "output"));
  message.add(say("<task-done>t-1</task-done>\n", "output"));
  const text = message.text();
  expect(text.length).toBeLessThanOrEqual(1024 * 1024);
  expect(text.length).toBeGreaterThan(1000 * 1024);
  expect(text.startsWith(line)).toBe(true);
  expect(text.endsWith(`${line}<task-done>t-1</task-done>\n`)).toBe(true);
});

test("P-44 usage and cost add up, and say when they are a guess", () => {
  const usage = { type: "agent.usage" as const, input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
  expect(usageOf([usage, { type: "agent.cost", usd: 0.5 }, usage, { type: "agent.cost", usd: 0.25 }])).toEqual({
    input: 2,
    output: 4,
    cacheRead: 6,
    cacheWrite: 8,
    costUsd: 0.75,
    isEstimated: false,
  });
  expect(usageOf([{ ...usage, estimated: true }])).toMatchObject({ costUsd: undefined, isEstimated: true });
});

function tail(pieces: readonly string[], mostBytes: number): string {
  const kept = createTailText(mostBytes);
  pieces.forEach(kept.add);
  return kept.text();
}

const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("\n", "\ufeff", "€€€\n", "a line\n", "x".repeat(50)),
);

test("a text that fits is kept as it is, however it came", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const whole = pieces.join("");
      expect(tail(pieces, Buffer.byteLength(whole) + 1)).toBe(whole);
    }),
  );
});

test("of one that does not fit, the end is kept, and no line of several is cut", () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 60 }), fc.integer({ min: 8, max: 100 }), (pieces, most) => {
      const whole = pieces.join("");
      fc.pre(Buffer.byteLength(whole) > most);
      const kept = tail(pieces, most);
      const before = whole.slice(0, whole.length - kept.length);
      expect(whole.endsWith(kept) && Buffer.byteLength(kept) <= most).toBe(true);
      expect(kept.indexOf("\n") < kept.length - 1 && kept.includes("\n") ? before.endsWith("\n") : true).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("the last lines are kept, as many as fit", () => {
  const lines = Array.from({ length: 1000 }, (_, n) => `line ${n}\n`);
  expect(tail(lines, 40)).toBe("line 996\nline 997\nline 998\nline 999\n");
  expect(tail([lines.join("")], 40)).toBe("line 996\nline 997\nline 998\nline 999\n");
});

test("what was cleared is gone", () => {
  const kept = createTailText(10);
  kept.add("0123456789abc");
  kept.clear();
  expect([kept.isEmpty(), kept.text()]).toEqual([true, ""]);
  kept.add("a\nb");
  expect([kept.isEmpty(), kept.text()]).toEqual([false, "a\nb"]);
});
