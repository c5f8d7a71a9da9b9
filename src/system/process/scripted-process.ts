import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../error-code.ts";

// Functions for the scripted agent, which plays programs that misbehave.

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** Writes bytes as they are, and returns when they are out: the next thing may be the end. */
export const print = (bytes: string | Uint8Array): void => writeAll(STANDARD_OUTPUT, Buffer.from(bytes));

export const printError = (text: string): void => writeAll(STANDARD_ERROR, Buffer.from(text));

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(file, bytes, written);
    } catch (error) {
      // The pipe is full and non-blocking.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** These signals do nothing any more. */
export function ignoreSignals(names: readonly string[]): void {
  for (const name of names) process.on(name, () => undefined);
}

/** Ends this process by a signal; never returns. */
export async function killSelf(name: string): Promise<never> {
  process.kill(process.pid, name);
  return await hang();
}

export const pause = async (ms: number): Promise<void> => await sleep(ms);

/** Never returns, and keeps the process alive. */
export async function hang(): Promise<never> {
  return await new Promise<never>(() => setInterval(() => undefined, 60_000));
}

const MAX_OUTPUT = 1024 * 1024;

/** Runs a shell command to its own end; what it leaves in the background is not waited for. */
export function runScriptCommand(
  command: string,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<{ readonly ok: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], { ...place, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const hear = (text: string): void => {
      if (output.length < MAX_OUTPUT) output += text;
    };
    const streams = [
      child.stdout.setEncoding("utf8").on("data", hear),
      child.stderr.setEncoding("utf8").on("data", hear),
    ];
    child.on("error", (error) => resolve({ ok: false, output: codeOf(error) }));
    const finish = (): void => {
      for (const stream of streams) stream.destroy();
      resolve({ ok: child.exitCode === 0, output });
    };
    child.on("close", finish);
    // Processes that still hold the pipes are in the background.
    child.on("exit", () => setTimeout(finish, 200));
  });
}
