import { writeFileSync } from "node:fs";
import { close, url } from "node:inspector";

/** What is needed of the process. */
type Host = Pick<NodeJS.Process, "on" | "env">;

/**
 * B-06: keeps the memory of this process, in which there are keys, from others. SIGUSR1 opens no debugger, an inspector
 * that a parent's NODE_OPTIONS opened is closed, and a core dump has no memory in it.
 */
export function keepPrivate(host: Host): void {
  // Node's own reaction is to listen for a debugger, on a port that every user of the machine can reach.
  host.on("SIGUSR1", () => undefined);
  // Who starts this very program with --inspect wants to debug it.
  if (INSPECTED.test(host.env["NODE_OPTIONS"] ?? "") && url() !== undefined) close();
  try {
    // Programs that are started inherit it.
    writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // Only Linux has it. Other systems write no core dumps unless they are told to.
  }
}

const INSPECTED = /--inspect/;
