import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, AgentExit } from "../domain/agent-event.ts";
import { createLineSplitter } from "../system/line-splitter.ts";
import { session } from "./harness.contract.ts";
import type { Harness } from "./harness.ts";
import * as catalogue from "./index.ts";
import {
  outcome,
  recordedBytes,
  recordedExit,
  recordedHarnesses,
  recordedLines,
  recordingsOf,
} from "./recordings.contract.ts";
import { replayed } from "./recordings.contract.ts";

const harnesses: Readonly<Record<string, Harness>> = catalogue;

/** By the type of the line, what alone may end a session well. */
const TERMINAL: Readonly<Record<string, (line: Readonly<Record<string, unknown>>) => boolean>> = {
  acp: ({ result }) => (result as { stopReason?: string } | undefined)?.stopReason === "end_turn",
  claude: ({ type }) => type === "result",
  codex: ({ type }) => type === "turn.completed",
  opencode: ({ type, part }) => type === "step_finish" && (part as { reason: string }).reason === "stop",
  gemini: ({ type }) => type === "result",
  pi: ({ type, willRetry }) => (type === "agent_end" && willRetry === false) || type === "agent_settled",
  copilot: ({ type }) => type === "result",
  qwen: ({ type }) => type === "result",
};

const all = recordedHarnesses.flatMap((name) => recordingsOf(name).map((recording) => [name, recording] as const));

test("every CLI of the catalogue is recorded", () => {
  const clis = Object.entries(harnesses).filter(([name, { facts }]) => facts.program !== undefined || name === "acp");
  expect(recordedHarnesses).toEqual(clis.map(([name]) => name).sort());
  expect(Object.keys(TERMINAL).sort()).toEqual(recordedHarnesses);
});

describe.each(all)("%s %s", (name, recording) => {
  const harness = harnesses[name]!;
  const bytes = recordedBytes(name, recording);
  const lines = recordedLines(name, recording);
  // An exit that hides nothing.
  const quiet: AgentExit = { ...recordedExit(name, recording), code: 0, signal: null };

  const readLines = (kept: readonly string[]): AgentEvent[] => {
    const reader = harness.reader(session);
    return [...kept.flatMap((line) => reader.line(line)), ...reader.end(quiet)];
  };
  const readBytes = (part: Uint8Array): { events: AgentEvent[]; seen: string[] } => {
    const reader = harness.reader(session);
    const events: AgentEvent[] = [];
    const seen: string[] = [];
    const onLine = (line: string): void => {
      seen.push(line);
      events.push(...reader.line(line));
    };
    const splitter = createLineSplitter({ limitBytes: 1e8, onLine, onLongLine: () => undefined });
    splitter.push(Buffer.from(part));
    splitter.end();
    return { events: [...events, ...reader.end(quiet)], seen };
  };
  const isTerminal = (line: string): boolean => {
    try {
      return TERMINAL[name]!(JSON.parse(line) as Record<string, unknown>);
    } catch {
      return false;
    }
  };
  const isSound = (events: readonly AgentEvent[], seen: readonly string[]): boolean =>
    events.filter(({ type }) => type === "agent.ended").length === 1 &&
    events.at(-1)?.type === "agent.ended" &&
    (outcome(events)?.kind !== "done" || seen.some(isTerminal));

  test("is read as these events", async () => {
    const events = replayed(harness, `${name}/${recording}`).map((event) => JSON.stringify(event));
    await expect(`${events.join("\n")}\n`).toMatchFileSnapshot(`recorded/${name}/${recording}.events`);
  });

  test("every line of it is known", () => {
    expect(replayed(harness, `${name}/${recording}`).filter(({ type }) => type === "agent.unknown")).toEqual([]);
  });

  test("reads the same with a byte order mark, other line ends, and what is meant for terminals", () => {
    const [title, colour, end] = ["\u001b]0;agent\u0007\u001b[?25l", "\u001b[2;38;5;9m", "\u001b[0m"];
    const dressed = lines.map((line, at) => `${at === 0 ? "\ufeff" : ""}${title}${colour}${line}${end}\r`);
    expect(readLines(dressed)).toEqual(readLines(lines));
  });

  test("holds nothing of the machine that it was made on", () => {
    const text = bytes.toString();
    expect(text.match(/(?<![\w.:/])\/(?:root|home|tmp|work|Users|var|private)\b[^"\s]*/g)).toBe(null);
    expect(text.match(/sk-[\w-]{8,}|ghp_\w+|Bearer \w+/g)).toBe(null);
  });

  test("P-14 cut at every byte of its last 4 KiB, it is never done without its last event", () => {
    const wrong: number[] = [];
    const window = bytes.length - 4096;
    for (let lineStart = 0, count = 0, lineEnd = 0; lineStart < bytes.length; lineStart = lineEnd + 1, count += 1) {
      lineEnd = bytes.indexOf(10, lineStart);
      if (lineEnd < window) continue;
      const before = lines.slice(0, count);
      // Half a line is none, so that one reader can be given all halves of it, one after the other.
      const reader = harness.reader(session);
      before.forEach((line) => reader.line(line));
      for (let at = Math.max(lineStart, window); at < lineEnd; at += 1) {
        const events = [...reader.line(bytes.toString("utf8", lineStart, at)), ...reader.end(quiet)];
        if (!isSound(events, before)) wrong.push(at);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("P-14 cut anywhere, as bytes, it is never done without its last event", () => {
    const cuts = [bytes.length, bytes.length - 1, ...fc.sample(fc.nat(bytes.length), { numRuns: 20, seed: 1 })];
    const wrong = cuts.filter((at) => {
      const { events, seen } = readBytes(bytes.subarray(0, Math.max(0, at)));
      return !isSound(events, seen);
    });
    expect(wrong).toEqual([]);
  });

  test("P-14 with lines dropped, repeated and exchanged, it is never done without its last event", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(Math.max(0, lines.length - 1)), { maxLength: lines.length * 2 }), (order) => {
        const kept = lines.length === 0 ? [] : order.map((index) => lines[index]!);
        expect(isSound(readLines(kept), kept)).toBe(true);
      }),
      { numRuns: 30, seed: 2 },
    );
    fc.assert(
      fc.property(fc.array(fc.nat(Math.max(0, lines.length - 1)), { minLength: 1, maxLength: 5 }), (dropped) => {
        const kept = lines.filter((_, index) => !dropped.includes(index));
        expect(isSound(readLines(kept), kept)).toBe(true);
      }),
      { numRuns: 20, seed: 3 },
    );
  });

  test("P-14 without the lines that may end it, it is not done", () => {
    expect(outcome(readLines(lines.filter((line) => !isTerminal(line))))?.kind).not.toBe("done");
  });
});

test("stderr and secrets are not kept with recordings", () => {
  const texts = all.map(([name, recording]) =>
    readFileSync(new URL(`recorded/${name}/${recording}.exit.json`, import.meta.url), "utf8"),
  );
  expect(
    texts.filter(
      (text) =>
        Object.keys(JSON.parse(text) as object)
          .sort()
          .join() !== "exitCode,signal",
    ),
  ).toEqual([]);
});
