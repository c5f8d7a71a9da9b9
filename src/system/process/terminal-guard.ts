import { execFileSync, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { TERMINAL_GUARD_SCRIPT } from "./terminal-guard-script.ts";

/** A small process that puts the terminal back in order, should we be killed while we read keys from it. */
export interface TerminalGuard {
  /** The terminal gives us every key now, and its cursor is hidden. */
  readonly taken: () => void;
  /** It is as it was. */
  readonly left: () => void;
  /** The guard is not needed any more. */
  readonly end: () => void;
}

/** By which it is found; the value is the number of the process that it is for. */
export const TERMINAL_GUARD_MARKER = "RALPHCTL_TERMINAL_GUARD";

/**
 * Starts a guard for the terminal at our standard input and output, which must be as it is to be again. It is in a session
 * of its own, so that nothing that is typed reaches it, and waits on a pipe that ends when we do, however that comes
 * about. Where it cannot be started, there is none: the terminal is as well without, until somebody kills us.
 */
export function startTerminalGuard(searchPath: string): TerminalGuard | undefined {
  const env = { PATH: searchPath, LC_ALL: "C" };
  const state = terminalState(env);
  if (state === undefined) return undefined;
  const child = spawn("/bin/sh", ["-c", TERMINAL_GUARD_SCRIPT, "ralphctl-terminal-guard", state, String(process.pid)], {
    cwd: "/",
    detached: true,
    env: { ...env, [TERMINAL_GUARD_MARKER]: String(process.pid) },
    stdio: ["pipe", "ignore", "ignore", 0, 1],
  });
  const pipe = child.stdin as Socket;
  for (const each of [child, pipe]) each.on("error", () => undefined);
  // It is no reason for us to stay.
  for (const each of [child, pipe]) each.unref();
  const tell = (word: string): void => void pipe.write(`${word}\n`);
  return { taken: () => tell("taken"), left: () => tell("left"), end: () => void pipe.end("left\n") };
}

/** How the terminal is set, in the words of `stty`; undefined where it cannot be told. */
function terminalState(env: Readonly<Record<string, string>>): string | undefined {
  try {
    const told = execFileSync("stty", ["-g"], { env, encoding: "utf8", stdio: ["inherit", "pipe", "ignore"] }).trim();
    return /^[\w:=]+$/.test(told) ? told : undefined;
  } catch {
    return undefined; // there is no stty, or no terminal
  }
}
