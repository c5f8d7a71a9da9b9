import { spawn } from "node:child_process";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { join, parse } from "node:path";
import { RalphError } from "../domain/error.ts";
import type { GateRun } from "../domain/gate.ts";
import { codeOf } from "./error-code.ts";
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

/** What the report shows of an output that is longer. */
const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 12 * 1024;
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

/** A file of its own: what was recorded is never written over. `test.log` is followed by `test.2.log`. */
async function openOutput(wanted: string): Promise<{ readonly file: FileHandle; readonly path: string }> {
  const { dir, name, ext } = parse(wanted);
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? wanted : join(dir, `${name}.${number}${ext}`);
    try {
      await mkdir(dir, { recursive: true });
      return { file: await open(path, "ax+", 0o600), path };
    } catch (cause) {
      if (codeOf(cause) === "EEXIST" && number < MOST_FILES) continue;
      throw new RalphError("io", `Cannot write ${path}: ${codeOf(cause)}`, {
        hint: "Check the permissions and the free space",
        cause,
      });
    }
  }
}

const MOST_FILES = 10_000;

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

async function readEnds(file: FileHandle): Promise<{ bytes: number; head: string; tail: string }> {
  const { size } = await file.stat();
  const isWhole = size <= HEAD_BYTES + TAIL_BYTES;
  const head = await readAt(file, 0, isWhole ? size : HEAD_BYTES);
  const tail = isWhole ? Buffer.alloc(0) : await readAt(file, size - TAIL_BYTES, TAIL_BYTES);
  return { bytes: size, head: head.toString(), tail: tail.toString() };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read({ buffer, position });
  return buffer.subarray(0, bytesRead);
}
