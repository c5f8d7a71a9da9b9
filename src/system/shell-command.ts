import { spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { RalphError } from "../domain/error.ts";
import type { GateRun } from "../domain/gate.ts";
import { codeOf } from "./error-code.ts";
import { openOutput, readEnds } from "./output-file.ts";
import { sweep, type Marker } from "./sweep.ts";

export interface ShellCommand {
  /** For `sh -c`. Nothing of a task is ever put into it: that is what `env` is for (W-05). */
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly marker: Marker;
  readonly timeoutMs: number;
  /** Takes all output; if there is such a file already, one with a number. */
  readonly outputFile: string;
  readonly signal: AbortSignal;
}

const FLOOD_BYTES = 1024 ** 3;
const WATCH_MS = 200;

/** How long a command that was asked to end may take before it is killed. */
const GRACE_MS = 2000;

/**
 * Runs a command to its end. The system writes its output straight to the file: memory stays flat, and a process that
 * it leaves behind holds nothing of ours open. What it leaves behind is stopped.
 */
export async function runShell(asked: ShellCommand): Promise<GateRun> {
  const { file, path } = await openOutput(asked.outputFile);
  try {
    const start = performance.now();
    const { end, swept } = await runTo(file, asked);
    const durationMs = Math.round(performance.now() - start);
    return { end, durationMs, swept, output: { file: path, ...(await readEnds(file)) } };
  } finally {
    await file.close();
  }
}

async function runTo(file: FileHandle, asked: ShellCommand): Promise<Pick<GateRun, "end" | "swept">> {
  if (asked.signal.aborted) return { end: { kind: "stopped" }, swept: 0 };
  const { marker, timeoutMs } = asked;
  const child = spawn("sh", ["-c", asked.command], {
    cwd: asked.folder,
    env: { ...asked.env, [marker.name]: marker.value },
    stdio: ["ignore", file.fd, file.fd],
    detached: true,
  });
  let stoppedBy: GateRun["end"] | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (end: GateRun["end"]): void => {
    if (stoppedBy !== undefined) return;
    stoppedBy = end;
    killGroup(child.pid, "SIGTERM");
    killTimer = setTimeout(() => killGroup(child.pid, "SIGKILL"), GRACE_MS);
  };
  const onAbort = (): void => stop({ kind: "stopped" });
  const timeTimer = setTimeout(() => stop({ kind: "timeout", afterMs: timeoutMs }), timeoutMs);
  const floodTimer = setInterval(() => {
    void isFlood(file).then((flood) => flood && stop({ kind: "flood", limitBytes: FLOOD_BYTES }));
  }, WATCH_MS);
  asked.signal.addEventListener("abort", onAbort);
  try {
    const ended = await endOf(child, asked.folder);
    killGroup(child.pid, "SIGTERM");
    const left = await sweep(marker);
    killGroup(child.pid, "SIGKILL");
    return { end: stoppedBy ?? ended, swept: left.length };
  } finally {
    clearTimeout(timeTimer);
    clearTimeout(killTimer);
    clearInterval(floodTimer);
    asked.signal.removeEventListener("abort", onAbort);
  }
}

function endOf(child: ReturnType<typeof spawn>, folder: string): Promise<GateRun["end"]> {
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => {
      const hint = `Check that sh is on the PATH and that ${folder} exists`;
      reject(new RalphError("unavailable", `Cannot start sh: ${codeOf(cause)}`, { hint, cause }));
    });
    child.on("exit", (code, signal) => {
      resolve(signal === null ? { kind: "exit", code: code ?? 1 } : { kind: "signal", signal });
    });
  });
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // nobody is left in the group
  }
}

async function isFlood(file: FileHandle): Promise<boolean> {
  try {
    return (await file.stat()).size > FLOOD_BYTES;
  } catch {
    return false; // the command ended and the file was closed
  }
}
