import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { buildWorker, startProcess } from "../../test/control-process.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { openInterrupts } from "./interrupts.ts";

/** A process whose signals, time and end are ours. */
function host() {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  let time = 0;
  let isAtTerminal = true;
  const process = Object.assign(emitter, { exit: (code: number) => exits.push(code) });
  const interrupts = openInterrupts(process as never, { now: () => time, isAtTerminal: () => isAtTerminal });
  return {
    interrupts,
    send: (signal: string, atMs: number) => {
      time = atMs;
      emitter.emit(signal, signal);
    },
    closeTerminal: () => (isAtTerminal = false),
    seen: () => ({ stop: interrupts.stop.aborted, kill: interrupts.kill.aborted, exits }),
  };
}

describe("signals as aborts", () => {
  test("P-40 X-130 the first stops, the second kills, the third ends the process", () => {
    const { send, seen } = host();
    expect(seen()).toEqual({ stop: false, kill: false, exits: [] });
    send("SIGINT", 0);
    expect(seen()).toEqual({ stop: true, kill: false, exits: [] });
    send("SIGTERM", 1000);
    expect(seen()).toEqual({ stop: true, kill: true, exits: [] });
    send("SIGINT", 2000);
    expect(seen()).toEqual({ stop: true, kill: true, exits: [130] });
  });

  test("P-40 one Ctrl-C that comes twice is one", () => {
    const { send, seen } = host();
    send("SIGINT", 0);
    send("SIGINT", 99);
    expect(seen()).toEqual({ stop: true, kill: false, exits: [] });
    send("SIGINT", 100);
    expect(seen()).toEqual({ stop: true, kill: true, exits: [] });
  });

  test("P-40 a terminal that closes, and an output that nobody reads, stop and never kill", () => {
    const { send, seen, interrupts } = host();
    send("SIGHUP", 0);
    send("SIGHUP", 1000);
    interrupts.outputEnded();
    expect(seen()).toEqual({ stop: true, kill: false, exits: [] });
    send("SIGTERM", 2000);
    expect(seen()).toEqual({ stop: true, kill: true, exits: [] });
  });

  test("P-40 who goes on without a terminal is not stopped when it is closed, only by a signal to stop", () => {
    const { send, seen, interrupts, closeTerminal } = host();
    const closed = interrupts.outliveTerminal();
    closeTerminal();
    send("SIGHUP", 0);
    interrupts.hungUp();
    expect([closed?.aborted, interrupts.isAlone(), seen()]).toEqual([
      true,
      true,
      { stop: false, kill: false, exits: [] },
    ]);
    send("SIGTERM", 1000);
    expect(seen()).toEqual({ stop: true, kill: false, exits: [] });
  });

  test("P-40 a shell that passes SIGHUP on before its terminal is gone stops nothing; with a terminal, it stops", () => {
    vi.useFakeTimers();
    const leaving = host();
    const staying = host();
    const all = [leaving, staying].map(({ interrupts, send }) => {
      const closed = interrupts.outliveTerminal();
      send("SIGHUP", 0);
      return () => [closed?.aborted, interrupts.stop.aborted];
    });
    leaving.closeTerminal();
    vi.runAllTimers();
    expect(all.map((each) => each())).toEqual([
      [true, false],
      [false, true],
    ]);
    vi.useRealTimers();
  });

  test("P-40 without a terminal there is none to outlive, and SIGHUP stops", () => {
    const { send, seen, interrupts, closeTerminal } = host();
    closeTerminal();
    expect(interrupts.outliveTerminal()).toBe(undefined);
    send("SIGHUP", 0);
    expect(seen()).toEqual({ stop: true, kill: false, exits: [] });
  });
});

describe("a real process", async () => {
  const worker = await buildWorker();

  test("P-40 X-130 hears one signal after the other, and is gone after the third", async () => {
    const started = startProcess(process.execPath, [worker, "signals"]);
    await started.says("same: true\n");
    for (const [signal, word] of [
      ["SIGINT", "stop\n"],
      ["SIGTERM", "kill\n"],
    ] as const) {
      await new Promise((resolve) => setTimeout(resolve, 150)); // no echo of the last one
      started.child.kill(signal);
      await started.says(word);
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
    started.child.kill("SIGINT");
    expect(await started.ended).toBe(130);
    expect(started.output()).toBe("same: true\nstop\nkill\n");
  });

  test("P-40 puts things in order when its reader has gone, and does not wait for it", async () => {
    const log = join(temporaryFolder(), "log");
    const started = startProcess(process.execPath, [worker, "print", log]);
    await started.says("xxx");
    started.child.stdout.destroy();
    started.child.stderr.destroy();
    expect(await started.ended).toBe(130);
    expect(readFileSync(log, "utf8")).toBe("in order, kill: false");
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("P-40 that never asked dies of %s", async (signal) => {
    const started = startProcess(process.execPath, [worker, "unasked"]);
    await started.says("up");
    started.child.kill(signal);
    expect(await started.ended).toBe(signal);
  });
});
