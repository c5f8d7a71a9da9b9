import { expect, test } from "vitest";
import { DONE, script, WORK } from "../../test/hostile-run.ts";
import { loopWorkspace } from "../../test/loop-workspace.ts";
import { temporaryRepository } from "../../test/temporary-folder.ts";
import { main } from "./main.ts";
import type { Io, TerminalListener } from "./io.ts";

const isColoured = (text: string): boolean => /\u001b\[\d+m/.test(text);

/** What a command writes, with terminals or without. */
async function shown(
  argv: readonly string[],
  { env = {}, isTerminal }: { env?: Record<string, string>; isTerminal: boolean },
) {
  let text = "";
  const write = (more: string): void => void (text += more);
  const cwd = temporaryRepository({ ".ralph/config.yaml": "" });
  const paper = { columns: 60, write };
  const io = { out: write, err: write, drained: () => undefined, env, cwd, ...(isTerminal && { paper: () => paper }) };
  await main(argv, io as unknown as Io);
  return text;
}

test("E-05 NO_COLOR and pipes get no colours; a terminal does, in pages and in errors", async () => {
  for (const argv of [["status"], ["task", "show", "t-nope"]]) {
    const piped = await shown(argv, { isTerminal: false });
    const bare = await shown(argv, { isTerminal: true, env: { NO_COLOR: "1" } });
    const coloured = await shown(argv, { isTerminal: true });
    expect([isColoured(piped), isColoured(bare), isColoured(coloured)]).toEqual([false, false, true]);
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(bare);
  }
});

/** What a command draws in the workspace of a test, at a terminal whose reader leaves at once. */
async function drawn(cwd: string, argv: readonly string[], env: Record<string, string> = {}): Promise<string> {
  let text = "";
  const write = (more: string): void => void (text += more);
  const terminal = {
    size: () => ({ columns: 60, rows: 40 }),
    write,
    hasKeys: true,
    open: ({ onKeys }: TerminalListener) => {
      setImmediate(() => onKeys("q"));
      return () => undefined;
    },
  };
  const io = {
    out: write,
    err: write,
    drained: () => undefined,
    env,
    cwd,
    paper: () => ({ columns: 60, write }),
    terminal: async () => terminal,
    interrupts: () => ({ stop: new AbortController().signal }),
  };
  await main(argv, io as unknown as Io);
  return text;
}

test("E-05 status --watch, task log and the end of watch have the colours of the other pages, and NO_COLOR has none", async () => {
  const place = await loopWorkspace({ script: script([WORK, DONE]) });
  expect((await place.run()).code).toBe(0);
  const [id = ""] = place.ids;
  for (const argv of [["status", "--watch"], ["task", "log", id], ["watch"]]) {
    const coloured = await drawn(place.folder, argv);
    const bare = await drawn(place.folder, argv, { NO_COLOR: "1" });
    expect([argv, isColoured(coloured), isColoured(bare)]).toEqual([argv, true, false]);
  }
  expect(await drawn(place.folder, ["watch"], { NO_COLOR: "1" })).toContain("Complete and verified: 1 task");
});
