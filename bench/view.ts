import { iterationStarted, runStarted } from "../test/run-events.ts";
import type { Terminal, TerminalListener } from "../src/cli/io.ts";
import { openRunView } from "../src/cli/view/run-view.ts";
import type { RunEvent } from "../src/domain/run/event.ts";
import type { Print } from "./all.ts";
import { row } from "./measure.ts";

const COLUMNS = 200;
const ROWS = 60;
const FRAMES = 300;
const left = { ready: 3, blocked: 40, waiting: 2, failed: 1, settled: 50 };
const TEXT =
  "I look at the **code** of `src/login.ts` first, and then write what is missing: 日本語, a list, and *more* of it.\n- one\n- two\n";

/** The processor's time for a frame of the live view: what is printed, the block, and all that leads to them. */
export async function benchView(print: Print): Promise<void> {
  for (const [name, events] of Object.entries(CASES)) {
    const { cpuMs, bytes } = await frames(events);
    print(row(name, `${cpuMs.toFixed(2)} ms CPU`, `${Math.round(bytes)} bytes`, "(at most 2 ms)"));
  }
}

const said: RunEvent = { type: "agent.text", iteration: 3, text: TEXT };
const usage: RunEvent = { type: "agent.usage", iteration: 3, input: 900, output: 70, cacheRead: 5, cacheWrite: 0 };

const CASES: Readonly<Record<string, readonly RunEvent[]>> = {
  "a frame at 200x60 in which only a number changes": [usage],
  "a frame at 200x60 with 3 lines of text": [said, usage],
  "a frame at 200x60 with 60 lines of text": Array.from({ length: 20 }, () => said),
};

async function frames(events: readonly RunEvent[]): Promise<{ readonly cpuMs: number; readonly bytes: number }> {
  let bytes = 0;
  let listener: TerminalListener | undefined;
  const terminal: Terminal = {
    size: () => ({ columns: COLUMNS, rows: ROWS }),
    write: (text) => void (bytes += Buffer.byteLength(text)),
    hasKeys: true,
    open: (next) => {
      listener = next;
      return () => undefined;
    },
    interrupt: () => undefined,
    suspend: () => undefined,
    quit: () => undefined,
  };
  const nobody = async (): Promise<void> => {};
  const controls = { pause: nobody, resume: nobody, stopAfter: nobody, addContext: async () => true };
  const stop = new AbortController().signal;
  const view = openRunView({ terminal, env: {}, verbose: false, stop, controls });
  for (const event of [runStarted, { ...iterationStarted, left }]) view.emit(event, Date.now());
  const frame = (): void => {
    for (const event of events) view.emit(event, Date.now());
    // Draws at once, however short ago the last frame was.
    listener!.onLeave();
    listener!.onReturn();
  };
  for (let index = 0; index < FRAMES; index += 1) frame();
  bytes = 0;
  const before = process.cpuUsage();
  for (let index = 0; index < FRAMES; index += 1) frame();
  const { user, system } = process.cpuUsage(before);
  view.close();
  await Promise.resolve();
  return { cpuMs: (user + system) / 1000 / FRAMES, bytes: bytes / FRAMES };
}
