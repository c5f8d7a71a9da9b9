import { readFileSync, readlinkSync } from "node:fs";
import type { Owner } from "../../domain/task.ts";
import { isAlive, processIdentity } from "./process-identity.ts";

/**
 * This process among those of many machines. Two of them may have one name, and two containers of one machine have
 * process ids of their own: the start of a process says in which of them that was.
 */
export function fleetIdentity(): Owner {
  const { startTime, ...own } = processIdentity();
  return { ...own, startTime: `${startTime}${here()}` };
}

/** Whether a process lives; undefined when it is not certain to be one of this machine, where only its lease can tell. */
export function isAliveHere(owner: Owner): boolean | undefined {
  const place = here();
  if (place === "" || !owner.startTime.endsWith(place)) return undefined;
  return isAlive({ ...owner, startTime: owner.startTime.slice(0, -place.length) });
}

/** The start of the machine and the namespace of its process ids; empty where neither can be known. */
function here(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `@${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}
