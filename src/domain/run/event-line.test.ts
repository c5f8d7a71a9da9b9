import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryEvent } from "../../../test/arbitrary-event.ts";
import { iterationStarted, runStarted } from "../../../test/run-events.ts";
import { createRedactor } from "../redact.ts";
import type { RunEvent } from "./event.ts";
import { eventLine, readEventLine } from "./event-line.ts";

const facts = { at: Date.UTC(2026, 10, 16, 1, 47, 55, 123), run: "r-1", redact: (text: string) => text };

describe("event line", () => {
  test("is one line of JSON: version, time, run, type, and the fields that are there", () => {
    const event = { ...iterationStarted, task: undefined, model: undefined };
    expect(eventLine(event, facts)).toBe(
      '{"v":1,"at":"2026-11-16T01:47:55.123Z","run":"r-1","type":"iteration.started","iteration":3,"of":32,' +
        '"mode":"build","attempts":1,"attemptLimit":3,"harness":"claude","override":"hint",' +
        '"lane":1,"folder":".ralph/runs/r-20261116-014755-3f2a/3"}',
    );
  });

  test("W-04 no secret of the environment gets into it, nor half of one where a text is cut", () => {
    const redact = createRedactor({ API_KEY: "sk-0123456789" });
    const text = `${"a".repeat(64 * 1024 - 4)}sk-0123456789${"b".repeat(100)}`;
    const line = eventLine({ type: "agent.text", iteration: 1, text }, { ...facts, redact });
    expect((JSON.parse(line) as { text: string }).text).toBe(
      `${"a".repeat(64 * 1024 - 4)}[API\n[cut: 105 more characters]`,
    );
  });

  test.each(["a", "ä", "€", "😀"])("texts are cut to 64 KB between characters: %s", (sign) => {
    const bytes = Buffer.byteLength(sign);
    const fits = Math.floor((64 * 1024) / bytes);
    const read = (count: number): string => {
      const output = sign.repeat(count);
      const event: RunEvent = { type: "agent.tool-result", iteration: 1, ok: true, output };
      return (JSON.parse(eventLine(event, facts)) as { output: string }).output;
    };
    expect(read(fits)).toBe(sign.repeat(fits));
    expect(read(fits + 3)).toBe(`${sign.repeat(fits)}\n[cut: ${3 * sign.length} more characters]`);
  });

  test("any event comes back as it was written", () => {
    fc.assert(
      fc.property(arbitraryEvent(), (event) => {
        const line = eventLine(event, { ...facts, run: event.type === "run.started" ? event.run : "r-1" });
        expect(line).not.toContain("\n");
        // Minus nought is written as nought.
        const written: unknown = JSON.parse(JSON.stringify(event));
        expect(readEventLine(line)?.event).toEqual(written);
      }),
    );
  });

  test.each([
    ["nothing", ""],
    ["half a line", eventLine(runStarted, facts).slice(0, -5)],
    ["no object", "[1]"],
    ["no version", '{"at":"2026-11-16T01:47:55.123Z","run":"r-1","type":"run.resumed"}'],
    ["another version", '{"v":2,"at":"2026-11-16T01:47:55.123Z","run":"r-1","type":"run.resumed"}'],
    ["no time", '{"v":1,"at":"soon","run":"r-1","type":"run.resumed"}'],
    ["an unknown type", '{"v":1,"at":"2026-11-16T01:47:55.123Z","run":"r-1","type":"toString"}'],
    ["a missing field", '{"v":1,"at":"2026-11-16T01:47:55.123Z","run":"r-1","type":"run.notice","level":"info"}'],
    ["a wrong type", '{"v":1,"at":"2026-11-16T01:47:55.123Z","run":"r-1","type":"run.notice","level":"info","text":1}'],
    [
      "a wrong type inside",
      '{"v":1,"at":"2026-11-16T01:47:55.123Z","run":"r-1","type":"tasks.changed","change":"added","tasks":[{"id":1}]}',
    ],
  ])("what is none of ours is not committed: %s", (_name, line) => {
    expect(readEventLine(line)).toBe(undefined);
  });

  test("the channel of a claim is read from logs of versions that called it door", () => {
    const line = { v: 1, at: "2026-01-01T00:00:00.000Z", run: "r-1", type: "claim.made", iteration: 1, claim: "done" };
    const event = { type: "claim.made", iteration: 1, claim: "done", channel: "message" };
    expect(readEventLine(JSON.stringify({ ...line, door: "message" }))?.event).toEqual(event);
    expect(readEventLine(JSON.stringify({ ...line, channel: "message" }))?.event).toEqual(event);
  });

  test("fields that a later version added do no harm", () => {
    expect(readEventLine('{"v":1,"at":"2026-11-16T01:47:55.123Z","run":"r-1","type":"run.resumed","more":1}')).toEqual({
      atMs: facts.at,
      run: "r-1",
      event: { type: "run.resumed", more: 1 },
    });
  });
});
