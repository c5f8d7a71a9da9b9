import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { RalphError } from "../../domain/error.ts";
import { codeOf } from "../error-code.ts";
import { kindOf } from "../folder.ts";
import { type Box, type BoxedChild, startBoxed } from "./box.ts";

/** The command that a harness starts. */
export interface AgentCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment; undefined removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Without it the agent has no standard input. */
  readonly stdin?: string;
  /** Written before the start. */
  readonly files: readonly AgentFile[];
  /** Files that the agent writes, for its reader at the end. */
  readonly collect?: readonly string[];
}

export interface AgentFile {
  readonly path: string;
  readonly text: string;
  /** May hold a secret: nobody else can read it, and it is gone after the session. */
  readonly isSecret?: true;
}

type Spawned = ChildProcess & { readonly pid: number; readonly stdout: Readable; readonly stderr: Readable };

export type AgentChild = Spawned & Pick<BoxedChild, "send" | "left">;

export interface AgentPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly box?: Box | undefined;
}

/** Starts a program at the head of a process group of its own and gives it its input. Errors are typed. */
export async function spawnAgent(command: AgentCommand, { cwd, env, box }: AgentPlace): Promise<AgentChild> {
  try {
    // Invalid arguments are thrown at once, all other errors come as an event.
    const input = command.stdin === undefined ? "ignore" : "pipe";
    const { file, args } = command;
    const { child, send, left } = startBoxed({ file, args, cwd, env, box, stdio: [input, "pipe", "pipe"] });
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    giveInput(child, command.stdin);
    return Object.assign(child as Spawned, { send, left });
  } catch (cause) {
    throw await startError(command.file, cwd, cause);
  }
}

/** An agent may end without reading its input. If it stayed open, some would wait forever. */
function giveInput({ stdin }: ChildProcess, input = ""): void {
  stdin?.on("error", () => undefined);
  stdin?.end(input);
}

/** Why a program could not be started, and what to do about it. */
export async function startError(file: string, cwd: string, cause: unknown): Promise<RalphError> {
  const code = codeOf(cause);
  if (code === "ENOENT" && (await kindOf(cwd)) !== "folder") {
    return new RalphError("io", `Cannot start ${file}: the folder ${cwd} does not exist`, { hint: "Create it", cause });
  }
  const [kind, reason, hint] = REASONS[code] ?? ["unavailable", code, `Check that ${file} runs by itself`];
  return new RalphError(kind, `Cannot start ${file}: ${reason}`, { hint, cause });
}

const INSTALL = "Install it, put it on the PATH, or set `bin` of the harness";

const REASONS: Readonly<Record<string, readonly ["unavailable" | "data" | "io", string, string]>> = {
  ENOENT: ["unavailable", "program not found", INSTALL],
  ENOTDIR: ["unavailable", "program not found", INSTALL],
  EACCES: ["unavailable", "permission denied", "Make it executable: chmod +x, or set `bin` of the harness"],
  ENOEXEC: ["unavailable", "it is not a program for this machine", INSTALL],
  E2BIG: ["data", "its arguments are too long for this system", "Make prompt and settings smaller"],
  ERR_INVALID_ARG_VALUE: ["data", "its arguments or environment contain a NUL byte", "Remove it"],
  EAGAIN: ["io", "too many processes", "End some of them"],
  EMFILE: ["io", "too many open files", "Raise the limit: ulimit -n"],
};
