import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import type { Environment } from "../../domain/environment.ts";
import type { HomePlace } from "../../domain/sandbox/places.ts";
import type { CommandLine, FoundPlace, SandboxProgram } from "../../domain/sandbox/sandbox.ts";
import { LEFT_DESCRIPTOR, readLeft } from "../../domain/sandbox/init.ts";
import { codeOf } from "../error-code.ts";
import { programAnswer } from "./program-answer.ts";
import { signalGroup } from "./process-group.ts";

/** What stands around a program that we start: a sandbox, or only a process namespace. */
export interface Box {
  /** The command line that starts a program inside. */
  readonly enter: (program: SandboxProgram) => CommandLine;
  /** Its first process tells on a descriptor of ours which others the program left, and takes them with it. */
  readonly tellsLeft: boolean;
  /** The program has a process group of its own behind the one that we start. */
  readonly isBehind: boolean;
  /** The program is another machine's file, such as one of a container's image. */
  readonly isElsewhere?: boolean;
  /** Of a sandbox: what differs inside. */
  readonly places?: readonly FoundPlace[];
  /** What to run afterwards. */
  readonly after?: CommandLine | undefined;
}

/** A program that needs a box. */
export interface BoxRequest {
  /** Where it works. */
  readonly cwd: string;
  readonly env: Environment;
  /** Files and folders that it needs beside those it works on: some to write, some to read. */
  readonly write?: readonly string[];
  readonly read?: readonly string[];
  /** The places of an agent that is known; undefined: those of the agents that `words` name. */
  readonly own?: readonly HomePlace[] | undefined;
  /** Of its command line. */
  readonly words?: readonly string[];
}

/** Makes the box of one program; undefined: it needs none. */
export type MakeBox = (request: BoxRequest) => Promise<Box | undefined>;

/** What stands around the programs of a run. */
export interface Boxes {
  /** Around agents it is a sandbox. */
  readonly isSandbox: boolean;
  readonly agent: MakeBox;
  readonly gates: MakeBox;
}

/** A program in its box, or without one. */
export interface BoxedChild {
  readonly child: ChildProcess;
  /** Sends a signal to the program and its group; SIGKILL ends the whole box. */
  readonly send: (signal: NodeJS.Signals) => void;
  /** After its end: the names of processes that it left and that ended with the box. */
  readonly left: () => Promise<readonly string[]>;
}

export interface BoxedStart extends SandboxProgram {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: readonly [StdioItem, StdioItem, StdioItem];
  readonly box: Box | undefined;
}

type StdioItem = "ignore" | "pipe" | "inherit" | number;

const AFTER_MS = 10_000;

/** Starts a program at the head of a process group of its own. Throws, or the child has an event, if it cannot start. */
export function startBoxed({ box, env, stdio, ...program }: BoxedStart): BoxedChild {
  const { cwd, isAttended = false } = program;
  if (box !== undefined && box.isElsewhere !== true) checkProgram(program.file, env["PATH"] ?? "");
  const [file, ...args] = box === undefined ? [program.file, ...program.args] : box.enter(program);
  const descriptors: StdioOptions = box?.tellsLeft === true ? [...stdio, "pipe"] : [...stdio];
  const child = spawn(file, args, { cwd, env, detached: !isAttended, stdio: descriptors });
  const told = box?.tellsLeft === true ? textOf(child.stdio[LEFT_DESCRIPTOR] as Readable | null) : undefined;
  return {
    child,
    send: (signal) => (isAttended ? sendToProgram : sendTo)(child.pid, signal, box),
    left: async () => {
      if (box?.after !== undefined) await runAfter(box.after, { cwd, env });
      return readLeft((await told) ?? "");
    },
  };
}

/** Inside, only the shell would know that there is no such program. In a container it is another one. */
function checkProgram(file: string, searchPath: string): void {
  const paths = file.includes("/") ? [file] : searchPath.split(delimiter).map((folder) => join(folder, file));
  let code = "ENOENT";
  for (const path of paths) {
    try {
      accessSync(path, constants.X_OK);
      return;
    } catch (error) {
      if (codeOf(error) === "EACCES") code = "EACCES";
    }
  }
  throw Object.assign(new Error(`Cannot start ${file}`), { code });
}

function sendTo(pid: number | undefined, signal: NodeJS.Signals, box: Box | undefined): void {
  if (pid === undefined) return;
  const inner = box === undefined ? undefined : childOf(pid);
  if (inner === undefined) signalGroup(pid, signal);
  // Who waits for the end of the first process inside is gone when all others are.
  else if (signal === "SIGKILL" && box?.tellsLeft === true) kill(inner, signal);
  else signalGroup(box?.isBehind === true ? inner : pid, signal);
}

/** To the program alone: its group is ours. In a box of its own it is a child of the first process there. */
function sendToProgram(pid: number | undefined, signal: NodeJS.Signals, box: Box | undefined): void {
  const inner = pid !== undefined && box !== undefined ? childOf(pid) : undefined;
  const program = inner !== undefined && box?.tellsLeft === true ? childOf(inner) : inner;
  const target = program ?? pid;
  if (target !== undefined) kill(target, signal);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** The first child of a process; undefined: it has none, or the system does not tell. */
function childOf(pid: number): number | undefined {
  try {
    const [first = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    return first === "" ? undefined : Number(first);
  } catch {
    return undefined;
  }
}

/** The end of the stream is the end of the first process inside. */
async function textOf(stream: Readable | null): Promise<string> {
  let text = "";
  if (stream === null) return text;
  return await new Promise((resolve) => {
    stream.setEncoding("utf8").on("data", (more: string) => (text = (text + more).slice(0, MAX_TOLD)));
    stream.on("error", () => undefined).on("close", () => resolve(text));
  });
}

const MAX_TOLD = 64 * 1024;

async function runAfter([file, ...args]: CommandLine, place: Pick<BoxedStart, "cwd" | "env">): Promise<void> {
  await programAnswer({ file, args, ...place, timeoutMs: AFTER_MS });
}
