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
export function startTimeOf(pid: number): string | undefined {
  return process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
}

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

/** So that `ps` speaks the same words everywhere, to whomever asks. */
export const PS_ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

function startFromPs(pid: number): string | undefined {
  try {
    const text = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: PS_ENVIRONMENT,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return text.trim() || undefined;
  } catch {
    return undefined; // ps exits 1 when there is no such process
  }
}
