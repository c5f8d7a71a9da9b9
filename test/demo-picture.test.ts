import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RunEvent } from "../src/domain/run/event.ts";
import { createRunLines } from "../src/format/run-lines.ts";
import { createLineStyles } from "../src/cli/view/line-styles.ts";
import { createPalette, type Palette } from "../src/cli/view/palette.ts";
import { demoPicture, lookOf } from "./demo-picture.ts";
import { iterationFinished, iterationStarted, login, runStarted } from "./run-events.ts";

const RECORDING = readFileSync(new URL("e2e/demo-recording.txt", import.meta.url), "utf8");
const iteration = 3;

const gate = (passed: boolean): RunEvent => ({
  type: "gate.finished",
  iteration,
  gate: "test",
  passed,
  runs: 1,
  durationMs: 1000,
  end: { kind: "exit", code: passed ? 0 : 1 },
  output: "",
  file: "",
});

/** One of each kind that the demo shows. */
const EVENTS: readonly RunEvent[] = [
  { ...runStarted, gates: [{ gate: "test", kind: "workspace", command: "node --test" }] },
  { type: "tasks.changed", change: "added", tasks: [login] },
  { type: "check.started", check: "baseline" },
  { type: "check.finished", check: "baseline", red: ["test"] },
  iterationStarted,
  { type: "agent.tool", iteration, name: "write", input: "greet.js" },
  { type: "agent.text", iteration, text: "It is done." },
  { type: "session.changed", iteration, files: 1, paths: ["greet.js"] },
  { type: "claim.made", iteration, claim: "done", channel: "message" },
  gate(true),
  gate(false),
  { type: "verdict.reached", iteration, verdict: "accepted", reasons: ["proven by the gates"] },
  { type: "verdict.reached", iteration, verdict: "rejected", reasons: ["gate test: exit code 1"] },
  { type: "commit.made", iteration, commit: "0123456789", subject: "Greet", files: 1, leftOut: [] },
  iterationFinished,
];

/** Each line as the view has it, with the name of its look before it. */
function linesOfView(): string[] {
  const named = (name: string) => (text: string) => (text === "" ? "" : `{${name}}${text}`);
  const names = Object.keys(createPalette(true)).filter((name) => !["hasColors", "plain"].includes(name));
  const marks = Object.fromEntries(names.map((name) => [name, named(name)]));
  const palette = { ...createPalette(false), ...marks, hasColors: true } as Palette;
  const looks = () => createLineStyles({ palette, columns: () => 500, wantsDiffs: () => false });
  const clock = (): string => "2026-11-16 14:05:09";
  const lines = createRunLines({ verbose: false, quiet: false, time: false, width: 500, clock, looks });
  return EVENTS.flatMap((event) => lines(event, 0)).filter((line) => line !== "");
}

test("a line has the look in the picture of the demo that it has in the view", () => {
  const shown = linesOfView().map((line) => ({
    text: line.replaceAll(/\{\w+\}/g, ""),
    look: /\{(\w+)\}/.exec(line)?.[1] ?? "",
  }));
  expect(shown.map(({ text }) => [text, lookOf(text)])).toEqual(shown.map(({ text, look }) => [text, look]));
  // All that the picture has a look for is among them, but what is typed.
  const seen = new Set(shown.map(({ look }) => look));
  const drawn = Array.from(demoPicture(RECORDING).matchAll(/<text class="(\w+)"/g), ([, look = ""]) => look);
  expect([...new Set(drawn)].filter((look) => !seen.has(look))).toEqual([]);
});
