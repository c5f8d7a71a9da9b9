import { describe, expect, test } from "vitest";
import { finalMessage } from "../domain/final-message.ts";
import { command } from "./command.ts";
import { exit, session, settings } from "./harness.contract.ts";
import type { HarnessSettings } from "./harness.ts";

const start = (own: Partial<HarnessSettings>, prompt = "Do it.") =>
  command.start({ ...session, prompt, settings: { ...settings, ...own } });

const PROMPT = "You are careful.\n\n---\n\nDo it.";
const FILE = "/workspace/.ralph/runs/1/1/prompt-for-command.md";

describe("start", () => {
  test("by standard input, the system prompt as its first section", () => {
    expect(start({ bin: "agent", args: ["--yes"] })).toEqual({
      file: "agent",
      args: ["--yes"],
      env: {},
      stdin: PROMPT,
      files: [],
    });
  });

  test("by file, at the place that the arguments name", () => {
    expect(start({ bin: "agent", args: ["--prompt", "{prompt}", "--yes"], promptBy: "file" })).toEqual({
      file: "agent",
      args: ["--prompt", FILE, "--yes"],
      env: {},
      files: [{ path: FILE, text: PROMPT }],
    });
  });

  test("by argument, at the end where none is named", () => {
    expect(start({ bin: "agent", args: ["-p"], promptBy: "argument" }).args).toEqual(["-p", PROMPT]);
  });

  test("W-05 a shell command gets the prompt as its first argument, never in its text", () => {
    expect(start({ run: 'agent "$1"', promptBy: "argument" }, "$(rm -rf /)")).toMatchObject({
      file: "/bin/sh",
      args: ["-c", 'agent "$1"', "sh", "You are careful.\n\n---\n\n$(rm -rf /)"],
    });
  });

  test("an argument that is too long is refused with the way out", () => {
    expect(() => start({ bin: "agent", promptBy: "argument" }, "é".repeat(60_000))).toThrow(
      expect.objectContaining({
        kind: "config",
        message: "The prompt is larger than the 100KB that an argument can hold",
        hint: "Set `harnesses.command.promptBy` to stdin or file",
      }),
    );
  });

  test("without a program it says which keys to set", () => {
    expect(() => start({})).toThrow(expect.objectContaining({ kind: "config" }));
  });
});

describe("reader", () => {
  test("P-10 the whole output is the final message", () => {
    const reader = command.reader();
    const events = ["Working.", "", "  Done.", "<task-done>t-1</task-done>"].flatMap((line) => reader.line(line));
    expect(finalMessage(events)).toBe("Working.\n\n  Done.\n<task-done>t-1</task-done>\n");
  });

  test("P-14 exit 0 is done", () => {
    expect(command.reader().end(exit)).toEqual([{ type: "agent.ended", outcome: { kind: "done" } }]);
  });

  test("P-14 any other end is a crash that quotes standard error", () => {
    expect(command.reader().end({ ...exit, code: 2, stderr: "a\nb\n" })).toEqual([
      {
        type: "agent.ended",
        outcome: { kind: "crashed", code: 2, signal: null, detail: "ended with exit code 2 and no result: a\nb" },
      },
    ]);
  });
});
