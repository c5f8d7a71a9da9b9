import { closeSync, openSync, readFileSync } from "node:fs";
import { ps } from "./process-identity.ts";

/**
 * Whether the terminal is ours: a process in the background that changes it, or reads from it, is stopped by the system.
 * Without a terminal to be in the background of, it is.
 */
export function isInForeground(): boolean {
  try {
    return process.platform === "linux" ? ofStat(readFileSync("/proc/self/stat", "latin1")) : ofPs();
  } catch {
    return false; // nobody knows: then nothing is done that would need it
  }
}

/** By the fifth and eighth field of `/proc/self/stat`: its group, and the one that has the terminal, -1 if there is none. */
export function ofStat(stat: string): boolean {
  const [, , group, , , holder] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return holder === "-1" || holder === group;
}

function ofPs(): boolean {
  const state = ps("-o", "tty=,stat=", "-p", String(process.pid)).trim();
  return state.endsWith("+") || state.startsWith("?");
}

/** Whether there is a terminal that could send us signals. One that was closed is gone. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
