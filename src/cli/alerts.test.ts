import { describe, expect, test } from "vitest";
import { recordedTerminal } from "../../test/screen.ts";
import { temporaryRepository } from "../../test/temporary-folder.ts";
import type { RunFinished } from "../domain/run/event.ts";
import { alertSequence, createAlerts } from "./alerts.ts";
import type { Io } from "./io.ts";

const NOTICE = { title: "ralphctl", text: "Complete; \u001b]0;owned\u0007" };

describe("alerts", () => {
  test("E-03 a terminal that shows notifications gets one, every other the bell, and no text can end a sequence", () => {
    const shown = (env: Record<string, string>): string => alertSequence(env, NOTICE);
    const osc9 = "\u0007\u001b]9;ralphctl: Complete   ]0 owned \u0007";
    expect(shown({ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" })).toBe(osc9);
    expect(shown({ TERM: "xterm-kitty" })).toBe(osc9);
    expect(shown({ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" })).toBe(
      "\u0007\u001b]777;notify;ralphctl;Complete   ]0 owned \u0007",
    );
    expect(shown({ TERM: "xterm-kitty", TMUX: "/tmp/x" })).toBe("\u0007");
    expect(shown({ TERM: "xterm-256color" })).toBe("\u0007");
  });

  const finished = (ending: RunFinished["ending"]): RunFinished =>
    ({ type: "run.finished", ending, reason: "Every task is done" }) as RunFinished;

  test.each([
    ["on by default", "", ["complete"], "\u0007"],
    ["off if asked", "notify: { terminal: off }\n", ["complete"], ""],
    ["not after a Ctrl-C", "", ["interrupted"], ""],
  ] as const)("E-03 a terminal is called when a run ends: %s", async (_, config, [ending], written) => {
    const cwd = temporaryRepository({ ".ralph/config.yaml": config });
    const { terminal, writes } = recordedTerminal({ columns: 80, rows: 24 });
    const io = { cwd, env: { TERM: "xterm" } } as unknown as Io;
    const alerts = createAlerts(terminal, { args: [], options: {} }, io);
    await alerts.ready;
    alerts.hear(finished(ending), 0);
    expect(writes().join("")).toBe(written);
  });

  test("E-03 nothing happens without a terminal", () => {
    const alerts = createAlerts(undefined, { args: [], options: {} }, {} as Io);
    expect(() => alerts.hear(finished("complete"), 0)).not.toThrow();
  });
});
