import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Environment } from "../../domain/environment.ts";
import { codeOf } from "../error-code.ts";
import { guardArguments } from "./guard-script.ts";
import { programsOn } from "./programs.ts";

/** A small process beside ours that ends what a run has started, should we be killed. */
export interface Guard {
  /** Why there is none; the run can do without. */
  readonly trouble: string | undefined;
  /** We have put everything in order ourselves: it ends without doing anything. */
  readonly release: () => Promise<void>;
}

export interface GuardedRun {
  readonly run: string;
  /** What the processes that it ends carry, as an item of their marker. */
  readonly mark: string;
  /** The PATH for `grep` and the like. */
  readonly searchPath: string;
  /** Gets the mark when we are killed: the time of the file is that of the kill. */
  readonly endedFile?: string;
  /** Programs that keep containers of the run, and the variables by which they find them. */
  readonly engines?: readonly string[] | undefined;
  readonly env?: Environment;
  readonly shell?: string;
}

/** By which a guard itself is found: it must not carry the marker of what it is to end. */
export const GUARD_MARKER = "RALPHCTL_GUARD";

const TOOLS = process.platform === "linux" ? ["grep", "sleep"] : ["grep", "ps", "sleep"];
/** It ends in a millisecond; a machine that is too busy for that ends it later. */
const END_TIMEOUT_MS = 500;

/**
 * Starts the guard of a run. It waits for the end of a pipe whose other end is ours alone, so that however we end it
 * comes to know. It is in a session of its own: what is sent to our process group, or typed at our terminal, does not
 * reach it.
 */
export async function startGuard(guarded: GuardedRun): Promise<Guard> {
  const { run, mark, searchPath, endedFile, engines = [], env = {}, shell = "/bin/sh" } = guarded;
  const found = await programsOn(searchPath, TOOLS);
  const missing = TOOLS.filter((tool) => !found.includes(tool));
  if (missing.length > 0) return unguarded(`cannot find ${missing.join(", ")}`);
  const child = spawn(shell, guardArguments(mark, endedFile, engines), {
    cwd: "/",
    detached: true,
    env: { ...(engines.length > 0 && engineEnv(env)), PATH: searchPath, LC_ALL: "C", [GUARD_MARKER]: run },
    stdio: ["pipe", "ignore", "ignore"],
  });
  // One that was killed cannot be told anything; the next start then ends what there is to end.
  child.stdin.on("error", () => undefined);
  try {
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  } catch (cause) {
    return unguarded(`cannot start ${shell}: ${codeOf(cause)}`);
  }
  // It must not keep our process alive.
  child.unref();
  (child.stdin as Socket).unref(); // a pipe to a child is one
  return { trouble: undefined, release: async () => await tellEnd(child) };
}

const ENGINE_VARIABLES =
  /^(?:HOME|XDG_RUNTIME_DIR|XDG_CONFIG_HOME|XDG_DATA_HOME|DOCKER_.*|CONTAINER_.*|CONTAINERS_.*)$/;

const engineEnv = (env: Environment): Environment => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => ENGINE_VARIABLES.test(name))),
  ENGINE_PATH: env["PATH"],
});

const unguarded = (why: string): Guard => ({
  trouble: `If ralphctl is killed, its agent keeps running until the next start: ${why}`,
  release: async () => undefined,
});

async function tellEnd(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, END_TIMEOUT_MS);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.stdin?.end("end\n");
  });
}
