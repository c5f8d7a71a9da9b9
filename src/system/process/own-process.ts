import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

// What a program does to its own process. The scripted agent alone needs these: it plays programs that misbehave.

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** Writes bytes as they are, and returns when they are out: the next thing may be the end. */
export const print = (bytes: string | Uint8Array): void => writeAll(STANDARD_OUTPUT, Buffer.from(bytes));

export const complain = (text: string): void => writeAll(STANDARD_ERROR, Buffer.from(text));

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(file, bytes, written);
    } catch (error) {
      // The pipe is full, and somebody has made it one that does not wait.
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
export async function endBySignal(name: string): Promise<never> {
  process.kill(process.pid, name);
  return await hang();
}

export const pause = async (ms: number): Promise<void> => await sleep(ms);

/** Never returns, and keeps the process alive. */
export async function hang(): Promise<never> {
  return await new Promise<never>(() => setInterval(() => undefined, 60_000));
}
