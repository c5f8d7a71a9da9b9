import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Owner } from "../../domain/task.ts";
import { codeOf } from "../error-code.ts";

/** This process, so that another can tell later whether it still lives. */
export function processIdentity(): Owner {
  return { host: hostname(), pid: process.pid, startTime: startTimeOf(process.pid) ?? "unknown" };
}

/** Whether a process lives: undefined when it is on another host, where only its lease can tell. */
export function isAlive(owner: Owner): boolean | undefined {
  if (owner.host !== hostname()) return undefined;
  return startTimeOf(owner.pid) === owner.startTime;
}

/** Sends a signal to a process of this host, unless another has its number by now. */
export function signalOwner(owner: Owner, signal: NodeJS.Signals): "sent" | "gone" | "refused" {
  if (isAlive(owner) !== true) return "gone";
  try {
    process.kill(owner.pid, signal);
    return "sent";
  } catch (error) {
    return codeOf(error) === "EPERM" ? "refused" : "gone";
  }
}

/** When a process began, in its host's own words; undefined when it is not there, or is only waited for. */
export const startTimeOf = (pid: number): string | undefined =>
  process.platform === "linux" ? startFromProc(pid) : ps("-o", "lstart=", "-p", String(pid)).trim() || undefined;

function startFromProc(pid: number): string | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined; // no such file is the answer: no such process
  }
}

/** Field 22 of `/proc/PID/stat`. Counted from the last bracket: a process may call itself "a) R 1 (". */
export function parseStat(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  return state === "Z" || state === "X" || state === "x" ? undefined : fields[19];
}

/** What `ps` says, in the same words everywhere, to whomever asks; nothing when it finds nothing, and exits with 1. */
export function ps(...args: readonly string[]): string {
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  const maxBuffer = 256 * 1024 * 1024;
  try {
    return execFileSync("ps", args, { encoding: "utf8", env, maxBuffer, stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}
