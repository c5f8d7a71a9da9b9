import { execFileSync } from "node:child_process";

/** Whether a command line is among all processes. */
export const isRunning = (command: string): boolean =>
  execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" }).split("\n").includes(command);
