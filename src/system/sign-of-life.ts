import { statSync, utimesSync } from "node:fs";
import { textIn, writeAtomicUnsynced } from "./folder.ts";

/** Writes a file if it says something else, and otherwise only shows that somebody still stands by it. */
export function keepSaying(path: string, text: string): void {
  if (textIn(path) !== text) {
    writeAtomicUnsynced(path, text);
    return;
  }
  const now = new Date();
  utimesSync(path, now, now);
}

/** What a file says; undefined if there is none, or nobody has stood by it for so long. */
export function stillSaid(path: string, longestMs: number): string | undefined {
  try {
    const age = Date.now() - statSync(path).mtimeMs;
    return Math.abs(age) > longestMs ? undefined : textIn(path);
  } catch {
    return undefined; // not there
  }
}
