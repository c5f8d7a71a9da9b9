import { expect, test } from "vitest";
import { temporaryRepository } from "../../test/temporary-folder.ts";
import { main } from "./main.ts";
import type { Io } from "./io.ts";

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
  const isColoured = (text: string): boolean => text.includes("\u001b[");
  for (const argv of [["status"], ["task", "show", "t-nope"]]) {
    const piped = await shown(argv, { isTerminal: false });
    const bare = await shown(argv, { isTerminal: true, env: { NO_COLOR: "1" } });
    const coloured = await shown(argv, { isTerminal: true });
    expect([isColoured(piped), isColoured(bare), isColoured(coloured)]).toEqual([false, false, true]);
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(bare);
  }
});
