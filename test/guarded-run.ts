import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { atEnd } from "./at-end.ts";
import { GUARD_MARKER } from "../src/system/process/guard.ts";
import { runMarker } from "../src/system/process/marker.ts";
import { marked, sweep } from "../src/system/process/sweep.ts";
import { readTreeLock } from "../src/system/tree-lock.ts";
import { PROGRAM } from "./built-program.ts";
import { fileAppears } from "./live-run.ts";
import { homeOf, temporaryFolder } from "./temporary-folder.ts";

/** A shell script that hangs the first time: as an agent, a gate or a reviewer. */
export interface Hanging {
  /** To be put into the workspace, and started as `sh hang.sh`. */
  readonly files: Readonly<Record<string, string>>;
  /** Where it says by a file called `hung` that it hangs. */
  readonly signs: string;
  /** Resolves once it hangs, to the numbers of what it has left everywhere. */
  readonly hangs: () => Promise<number[]>;
}

/** It leaves one process in the background, one that has its own session and is deaf, and one without parents. */
export function hanging(): Hanging {
  const folder = temporaryFolder();
  const text = `
test ! -e ${folder}/hung || exit 0
sleep 300 >/dev/null 2>&1 & echo $! >>${folder}/pids
setsid sh -c 'trap "" HUP INT TERM; echo $$ >>${folder}/pids; for i in $(seq 1500); do sleep 0.2; done' >/dev/null 2>&1 &
(setsid sh -c 'echo $$ >>${folder}/pids; exec sleep 300' >/dev/null 2>&1 &) &
until test "$(wc -l <${folder}/pids)" -ge 3; do sleep 0.02; done
touch ${folder}/hung
sleep 300
`;
  return {
    files: { "hang.sh": text },
    signs: folder,
    hangs: async () => {
      await fileAppears(join(folder, "hung"));
      return readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
    },
  };
}

/** A `ralphctl` that has the tree, at the head of a process group of its own. */
export interface Guarded {
  readonly pid: number;
  /** The run that has the tree. */
  readonly run: () => string;
  /** All that the run has started, and its guard. */
  readonly processes: () => number[];
  readonly guards: () => number[];
  /** SIGKILL; resolves once it is gone. */
  readonly kill: (reach: "alone" | "with its group") => Promise<void>;
  /** Resolves once neither a process of the run nor its guard is there. */
  readonly isSilent: () => Promise<void>;
}

/** Starts a command that ends, with all that it started, with the test file at the latest. */
export function startGuarded(
  folder: string,
  args: readonly string[],
  own: Readonly<Record<string, string>> = {},
): Guarded {
  const env = { PATH: process.env["PATH"], ...homeOf(folder), ...own };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env, stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  let known: string | undefined;
  const run = (): string => (known ??= readTreeLock(join(folder, ".git"))!.run);
  const processes = (): number[] => marked(runMarker(run()));
  const guards = (): number[] => guardsOf(run());
  atEnd(async () => {
    child.kill("SIGKILL");
    if (known !== undefined) await sweep(runMarker(known));
  });
  return {
    pid: child.pid!,
    run,
    processes,
    guards,
    kill: async (reach) => {
      run();
      process.kill(reach === "alone" ? child.pid! : -child.pid!, "SIGKILL");
      await ended;
    },
    isSilent: async () => {
      const all = (): number[] => [...processes(), ...guards()];
      await vi.waitUntil(() => all().length === 0, { timeout: 50_000, interval: 20 });
    },
  };
}

/** Resolves once a run has no guard any more. */
export async function isUnguarded(run: string): Promise<void> {
  await vi.waitUntil(() => guardsOf(run).length === 0, { timeout: 50_000, interval: 20 });
}

const guardsOf = (run: string): number[] => marked({ name: GUARD_MARKER, value: run });

/** Whether a process runs. */
export function isAlive(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  if (process.platform === "linux" && !existsSync(path)) return false;
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) [ZX] /.test(readFileSync(path, "latin1"));
  } catch {
    return false; // gone
  }
}
