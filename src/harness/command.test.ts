import { describe, expect, test } from "vitest";
import { finalMessage } from "../../test/final-message.ts";
import { OUTPUT_FORMATS } from "../domain/output-format.ts";
import { command } from "./command.ts";
import { exit, session, settings } from "./harness.contract.ts";
import type { Harness, HarnessSettings } from "./harness.ts";
import * as harnesses from "./index.ts";
import { outcome, read, recordedLines } from "./recordings.contract.ts";

const start = (own: Partial<HarnessSettings>, prompt = "Do it.") =>
  command.start({ ...session, prompt, settings: { ...settings, ...own } });

const PROMPT = "You are careful.\n\n---\n\nDo it.";
const FILE = "/workspace/.ralph/runs/1/1/prompt-for-command.md";

describe("start", () => {
  test("by standard input, the system prompt as its first section", () => {
    expect(start({ bin: "agent", args: ["--yes"] })).toEqual({
      file: "agent",
      args: ["--yes"],
      env: { RALPHCTL_MODEL: undefined },
      stdin: PROMPT,
      files: [],
    });
  });

  test("by file, at the place that the arguments name", () => {
    expect(start({ bin: "agent", args: ["--prompt", "{prompt}", "--yes"], promptBy: "file" })).toEqual({
      file: "agent",
      args: ["--prompt", FILE, "--yes"],
      env: { RALPHCTL_MODEL: undefined },
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

test("the model that is asked for is in its environment, for it has a flag of its own", () => {
  const own = { ...session, model: "m-1", settings: { ...settings, bin: "agent", env: { A: "b" } } };
  expect(command.start(own).env).toEqual({ RALPHCTL_MODEL: "m-1", A: "b" });
  expect(command.attended!(own).env).toMatchObject({ RALPHCTL_MODEL: "m-1" });
});

test.each(OUTPUT_FORMATS.filter((format) => format !== "text"))(
  "with `output: %s` its lines are read as those of the CLI that prints them",
  (output) => {
    const [name = ""] = output.split("-");
    const cli = (harnesses as Readonly<Record<string, Harness>>)[name]!;
    const own = { settings: { ...settings, output } };
    expect(read(command, recordedLines(name, "basic"), own)).toEqual(read(cli, recordedLines(name, "basic")));
    expect(command.speaksLike?.(own.settings)).toBe(cli);
    expect(outcome(read(command, [], own))?.kind).toBe("crashed");
  },
);

describe("reader", () => {
  test("P-10 the whole output is the final message", () => {
    const reader = command.reader(session);
    const events = ["Working.", "", "  Done.", "<task-done>t-1</task-done>"].flatMap((line) => reader.line(line));
    expect(finalMessage(events)).toBe("Working.\n\n  Done.\n<task-done>t-1</task-done>\n");
  });

  test("P-10 a claim in colour is the same claim", () => {
    const reader = command.reader(session);
    const events = reader.line("\u001b]0;agent\u0007Done. \u001b[1;32m<task-done>t-1</task-done>\u001b[0m");
    expect(finalMessage(events)).toBe("Done. <task-done>t-1</task-done>\n");
  });

  test("P-14 exit 0 is done", () => {
    expect(command.reader(session).end(exit)).toEqual([{ type: "agent.ended", outcome: { kind: "done" } }]);
  });

  test("P-14 any other end is a crash that quotes standard error", () => {
    expect(command.reader(session).end({ ...exit, code: 2, stderr: "a\nb\n" })).toEqual([
      {
        type: "agent.ended",
        outcome: { kind: "crashed", code: 2, signal: null, detail: "ended with exit code 2 and no result: a\nb" },
      },
    ]);
  });
});
