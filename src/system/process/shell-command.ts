import { timerMs } from "../sleep.ts";
import type { ChildProcess } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { RalphError } from "../../domain/error.ts";
import type { GateRun } from "../../domain/gate.ts";
import { codeOf } from "../error-code.ts";
import type { Environment } from "../../domain/environment.ts";
import { type Marker, withMarker } from "./marker.ts";
import { writeOnce } from "../folder.ts";
import { whileInMadeFolder } from "../made-folder.ts";
import { openOutput, readEnds } from "../output-file.ts";
import { type Box, type BoxedChild, type BoxedStart, startBoxed } from "./box.ts";
import { endGroup } from "./process-group.ts";
import { lastScan, sweep } from "./sweep.ts";

export interface ShellCommand {
  /** For `sh -c`. Nothing of a task is ever put into it: that is what `env` is for (W-05). */
  readonly command: string;
  readonly folder: string;
  readonly env: Environment;
  readonly marker: Marker;
  /** What stands around it. */
  readonly box?: Box | undefined;
  readonly timeoutMs: number;
  /** What it finds on its standard input, and the file that keeps it; without one there is nothing. */
  readonly input?: { readonly file: string; readonly text: string };
  /** Takes all output; if there is such a file already, one with a number. */
  readonly outputFile: string;
  /** Hears which file that is, before the command starts. */
  readonly onOutputFile?: (file: string) => void;
  /** Asks it to end. */
  readonly signal: AbortSignal;
  /** Kills it at once. */
  readonly kill?: AbortSignal | undefined;
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
  const input = asked.input === undefined ? undefined : await openInput(asked.input);
  try {
    asked.onOutputFile?.(path);
    const start = performance.now();
    const { end, swept } = await runTo(file, asked, input?.fd);
    const durationMs = Math.round(performance.now() - start);
    return { end, durationMs, swept, output: { file: path, ...(await readEnds(file)) } };
  } finally {
    await file.close();
    await input?.close();
  }
}

const openInput = ({ file, text }: NonNullable<ShellCommand["input"]>): Promise<FileHandle> =>
  whileInMadeFolder(file, async () => {
    writeOnce(file, text);
    return await open(file);
  });

async function runTo(file: FileHandle, asked: ShellCommand, input?: number): Promise<Pick<GateRun, "end" | "swept">> {
  if (asked.signal.aborted) return { end: { kind: "stopped" }, swept: 0 };
  const earlier = lastScan();
  const boxed = start(asked, [input ?? "ignore", file.fd, file.fd]);
  const { child } = boxed;
  const supervision = supervise(boxed.send, file, asked);
  try {
    const ended = await endOf(child, asked.folder);
    const end = supervision.end() ?? ended;
    const left = [...(await boxed.left()), ...(await sweep(asked.marker, earlier))];
    endGroup(child.pid!); // it has a number: else it would not have ended
    return { end, swept: left.length };
  } finally {
    supervision.end();
  }
}

function start({ command, folder, env, marker, box }: ShellCommand, stdio: BoxedStart["stdio"]): BoxedChild {
  try {
    const args = ["-c", command];
    return startBoxed({ file: "sh", args, cwd: folder, env: withMarker(env, marker), stdio, box });
  } catch (cause) {
    throw cannotStart(folder, cause);
  }
}

interface Supervision {
  /** Lets go of the command, whose number may be another's now. Returns why it was stopped, if it was. */
  readonly end: () => GateRun["end"] | undefined;
}

/** Stops a command that takes too long, writes too much, or is not wanted any more. */
function supervise(send: BoxedChild["send"], file: FileHandle, asked: ShellCommand): Supervision {
  let stoppedBy: GateRun["end"] | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (end: GateRun["end"]): void => {
    if (stoppedBy !== undefined) return;
    stoppedBy = end;
    send("SIGTERM");
    killTimer = setTimeout(send, GRACE_MS, "SIGKILL");
  };
  const onAbort = (): void => stop({ kind: "stopped" });
  const onKill = (): void => {
    onAbort();
    send("SIGKILL");
  };
  const { timeoutMs } = asked;
  const timeTimer = setTimeout(() => stop({ kind: "timeout", afterMs: timeoutMs }), timerMs(timeoutMs));
  const floodTimer = setInterval(() => {
    void isFlood(file).then((flood) => flood && stop({ kind: "flood", limitBytes: FLOOD_BYTES }));
  }, WATCH_MS);
  asked.signal.addEventListener("abort", onAbort);
  asked.kill?.addEventListener("abort", onKill);
  return {
    end: () => {
      clearTimeout(timeTimer);
      clearTimeout(killTimer);
      clearInterval(floodTimer);
      asked.signal.removeEventListener("abort", onAbort);
      asked.kill?.removeEventListener("abort", onKill);
      return stoppedBy;
    },
  };
}

function endOf(child: ChildProcess, folder: string): Promise<GateRun["end"]> {
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => reject(cannotStart(folder, cause)));
    child.on("exit", (code, signal) => {
      resolve(signal === null ? { kind: "exit", code: code ?? 1 } : { kind: "signal", signal });
    });
  });
}

function cannotStart(folder: string, cause: unknown): RalphError {
  const hint = `Check that sh is on the PATH and that ${folder} exists`;
  return new RalphError("unavailable", `Cannot start sh: ${codeOf(cause)}`, { hint, cause });
}

async function isFlood(file: FileHandle): Promise<boolean> {
  try {
    return (await file.stat()).size > FLOOD_BYTES;
  } catch {
    return false; // the command ended and the file was closed
  }
}
