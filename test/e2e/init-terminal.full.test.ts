import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PROGRAM } from "../built-program.ts";
import type { Started } from "../control-process.ts";
import { git, homeOf, temporaryRepository, write } from "../temporary-folder.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";

const PACKAGE = JSON.stringify({ scripts: { lint: "eslint .", test: "node --test" } });
const DOWN = "\u001b[B";

/** `ralphctl init` at a terminal of its own. */
function init(files: Readonly<Record<string, string>> = { "package.json": PACKAGE }): {
  readonly started: Started;
  readonly folder: string;
} {
  const folder = temporaryRepository(files);
  write(folder, { ".git/info/exclude": ".env\n", ".env": "A=1\n" });
  const state = `XDG_STATE_HOME=${homeOf(folder).XDG_STATE_HOME}`;
  return { started: startAtTerminal(["env", state, process.execPath, PROGRAM, "init"], folder), folder };
}

/** Waits for a question, then presses keys, one after the other as a person does. */
async function reply({ says, child }: Started, question: string, ...keys: readonly string[]): Promise<void> {
  await says(question);
  for (const key of keys) child.stdin.write(key);
}

describe.runIf(hasTerminals)("ralphctl init at a real terminal", () => {
  test("X-0 keys answer; what they say is in the configuration and committed", async () => {
    const { started, folder } = init();
    await reply(started, "Which agent should do the work?", "\r");
    await reply(started, "Which checks prove that work is done?", DOWN, "\r");
    await reply(started, "Which of them?", " ", "\r");
    await reply(started, "Another command?", "make check", "\r");
    await reply(started, "One more?", "\r");
    await reply(started, "Which folder has the specifications?", "\r");
    await reply(started, "Write these files?", "\r");
    await reply(started, "Try these gates once in a fresh checkout?", "n");
    expect(await started.ended).toBe(0);
    expect(started.output()).toContain("Committed as");
    expect(readFileSync(join(folder, ".ralph/config.yaml"), "utf8")).toContain(
      'gates:\n  - { id: "test", run: "CI=1 npm run test" }\n  - { id: "make-check", run: "make check" }\n',
    );
    expect([git(folder, "log", "--format=%s"), git(folder, "status", "--porcelain")]).toEqual([
      "Set up ralphctl\nBegin",
      "",
    ]);
  });

  test("T-02 Enter tries the gates in a fresh checkout, and writes and commits the line that is missing", async () => {
    const { started, folder } = init({ Makefile: "test:\n\t@cat .env\n" });
    await reply(started, "Which agent should do the work?", "\r");
    await reply(started, "Which checks prove that work is done?", "\r");
    await reply(started, "Which folder has the specifications?", "\r");
    await reply(started, "Write these files?", "\r");
    await reply(started, "Try these gates once in a fresh checkout?", "\r");
    await reply(started, "Write these lines?", "\r");
    expect(await started.ended).toBe(0);
    expect(started.output()).toContain("Wrote .worktreeinclude, committed as");
    expect(readFileSync(join(folder, ".worktreeinclude"), "utf8")).toBe(".env\n");
    expect([git(folder, "log", "-2", "--format=%s"), git(folder, "status", "--porcelain")]).toEqual([
      "Let gates run in a fresh checkout\nSet up ralphctl",
      "",
    ]);
  });

  test("X-130 Ctrl-C while the gates are tried ends them, and what was written stays", async () => {
    const { started, folder } = init({ Makefile: "test:\n\techo begun && sleep 600\n" });
    await reply(started, "Which agent should do the work?", "\r");
    await reply(started, "Which checks prove that work is done?", "\r");
    await reply(started, "Which folder has the specifications?", "\r");
    await reply(started, "Write these files?", "\r");
    await reply(started, "Try these gates once in a fresh checkout?", "\r");
    await reply(started, "These commands will run in", "\u0003");
    expect(await started.ended).toBe(130);
    expect(git(folder, "log", "-1", "--format=%s")).toBe("Set up ralphctl");
  });

  test("X-130 Ctrl-C at the last question writes nothing", async () => {
    const { started, folder } = init();
    await reply(started, "Which agent should do the work?", "\r");
    await reply(started, "Which checks prove that work is done?", "\r");
    await reply(started, "Which folder has the specifications?", "\r");
    await reply(started, "Write these files?", "\u0003");
    expect(await started.ended).toBe(130);
    expect(started.output()).toContain("Nothing was written\r\n");
    expect(git(folder, "status", "--porcelain", "--ignored")).toBe("!! .env");
  });
});
