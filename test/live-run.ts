import { homeOf } from "./temporary-folder.ts";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { atEnd } from "./at-end.ts";
import type { RunEvent } from "../src/domain/run/event.ts";
import { runMarker } from "../src/system/process/marker.ts";
import { marked, sweep } from "../src/system/process/sweep.ts";
import { PROGRAM } from "./built-program.ts";
import { type LoopRun, runOf } from "./loop-workspace.ts";

/** A `ralphctl run` that is still going on. */
export interface LiveRun {
  readonly pid: number;
  /** Resolves once it has said something of this kind. */
  readonly says: (type: RunEvent["type"], about?: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Its standard error so far. */
  readonly told: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
  /** How it ended; the code is -1 when a signal ended it. */
  readonly ended: Promise<LoopRun>;
}

/** How to kill the runs of a folder. */
const killers = new Map<string, (() => void)[]>();

/** Kills the runs of a folder at the end of the test file, and sweeps once after all of them: there may be hundreds. */
function endWithFile(folder: string, kill: () => void): void {
  const known = killers.get(folder);
  if (known !== undefined) {
    known.push(kill);
    return;
  }
  killers.set(folder, [kill]);
  atEnd(async () => {
    for (const each of killers.get(folder) ?? []) each();
    killers.delete(folder);
    await endProcessesOf(folder);
  });
}

/** Starts a run whose process, with all that it started, ends with the test file at the latest. */
export const startLive = (folder: string, ...args: readonly string[]): LiveRun => startUnder([], folder, ...args);

/** The same by a command that starts the program, which is added to it. */
export function startUnder(under: readonly string[], folder: string, ...args: readonly string[]): LiveRun {
  const [file, ...rest] = [...under, process.execPath, PROGRAM, "run", "--json", ...args];
  const child = spawn(file!, rest, {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...homeOf(folder) },
    stdio: ["ignore", "pipe", "pipe"],
    // A terminal's signals go to a group; so that tests can do the same, it has its own.
    detached: true,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  let isOver = false;
  const kill = (): void => {
    if (!isOver) child.kill("SIGKILL");
  };
  const ended = new Promise<LoopRun>((done) => {
    child.on("close", (code) => {
      isOver = true;
      done(runOf(folder, { code: code ?? -1, stdout, stderr }));
    });
  });
  endWithFile(folder, kill);
  const hasSaid = (type: string, about: Readonly<Record<string, unknown>>): boolean =>
    runOf(folder, { code: 0, stdout: stdout.slice(0, stdout.lastIndexOf("\n") + 1), stderr }).events.some(
      (event) =>
        event.type === type &&
        Object.entries(about).every(([key, value]) => (event as unknown as Record<string, unknown>)[key] === value),
    );
  return {
    pid: child.pid!,
    says: async (type, about = {}) => {
      await vi.waitUntil(() => hasSaid(type, about) || isOver, { timeout: 50_000, interval: 10 });
      if (!hasSaid(type, about)) throw new Error(`It ended without saying ${type}, but: ${stdout}${stderr}`);
      if (type.startsWith("agent.")) await logHas(folder, type);
    },
    told: () => stderr,
    signal: (name) => void child.kill(name),
    ended,
  };
}

/** Resolves once the log of a run has it: a run says what an agent does before it is in the log that others read. */
async function logHas(folder: string, type: RunEvent["type"]): Promise<void> {
  const runs = join(folder, ".ralph", "runs");
  const has = (run: string): boolean => {
    const log = join(runs, run, "events.ndjson");
    return existsSync(log) && readFileSync(log, "utf8").includes(`"type":"${type}"`);
  };
  await vi.waitUntil(() => existsSync(runs) && readdirSync(runs).some(has), { timeout: 50_000, interval: 10 });
}

/** Resolves once a file is there: agents and gates of tests say by one where they are. */
export async function fileAppears(path: string): Promise<void> {
  await vi.waitUntil(() => existsSync(path), { timeout: 50_000, interval: 10 });
}

/** The living processes of all runs that this workspace has seen. */
export const processesOf = (folder: string): number[] => runsIn(folder).flatMap((run) => marked(runMarker(run)));

export async function endProcessesOf(folder: string): Promise<void> {
  for (const run of runsIn(folder)) await sweep(runMarker(run));
}

function runsIn(folder: string): string[] {
  const runs = join(folder, ".ralph/runs");
  return existsSync(runs) ? readdirSync(runs) : [];
}
