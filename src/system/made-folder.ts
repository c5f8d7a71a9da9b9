import { mkdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./error-code.ts";

const TRIES = 10;

/**
 * Runs what opens or writes a file, in a folder that is made for it. A person may delete that folder in between: then both
 * are done again.
 */
export function inMadeFolder<Result>(path: string, write: () => Result, mode = 0o777): Result {
  for (let tries = 1; ; tries += 1) {
    try {
      mkdirSync(dirname(path), { recursive: true, mode });
      return write();
    } catch (cause) {
      if (!isGone(cause) || tries === TRIES) throw cause;
    }
  }
}

/** The same for what takes a while. */
export async function whileInMadeFolder<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(dirname(path), { recursive: true });
      return await write();
    } catch (cause) {
      if (!isGone(cause) || tries === TRIES) throw cause;
    }
  }
}

const isGone = (cause: unknown): boolean => codeOf(cause) === "ENOENT";
