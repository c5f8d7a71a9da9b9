import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { createLineSplitter } from "../line-splitter.ts";
import { endsWithin } from "../sleep.ts";
import { endGroup, signalGroup } from "./process-group.ts";
import { startError } from "./spawn-agent.ts";

/** A program that is talked to, line by line, over its standard input and output. */
export interface TalkingProcess {
  readonly send: (line: string) => void;
  /** Resolves when it says nothing more, because it closed its output or is gone. */
  readonly silent: Promise<void>;
  /** Closes its input, and ends it by signals if that is not enough. Aborted: at once. Resolves to its exit code. */
  readonly end: (now: AbortSignal) => Promise<number>;
}

export interface TalkOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onLine: (line: string) => void;
  /** Nobody shall see its standard error. */
  readonly isQuiet?: true;
}

/** Of longer ones only the beginning is handed on. */
const MAX_LINE = 64 * 1024 * 1024;
/** How long it may take to end: after its input is closed, and after a signal. */
const CLOSED_MS = 1500;
const SIGNAL_MS = 1000;
/** Between its end and the end of its output. */
const HELD_MS = 250;
/** What a shell adds to the number of the signal that ended a program. */
const BY_SIGNAL = 128;

/**
 * Starts a program at the head of a process group of its own: a signal to our group must not end it before it was told in
 * words.
 */
export async function startTalking({ file, args, cwd, env, onLine, isQuiet }: TalkOptions): Promise<TalkingProcess> {
  const stderr = isQuiet === true ? "ignore" : "inherit";
  const child = spawn(file, [...args], { cwd, env, detached: true, stdio: ["pipe", "pipe", stderr] });
  try {
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  } catch (cause) {
    throw await startError(file, cwd, cause);
  }
  const { pid = 0, stdin, stdout } = child;
  const lines = createLineSplitter({
    limitBytes: MAX_LINE,
    onLine,
    onLongLine: ({ bytes, head }) => onLine(`${head}… [cut: a line of ${bytes} bytes]`),
  });
  // It may end at any time.
  stdin.on("error", () => undefined);
  stdout.on("error", () => undefined).on("data", lines.push);
  const closed = new Promise<void>((resolve) => void stdout.once("close", resolve));
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) =>
      resolve(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  const release = guard(pid);
  return {
    send: (line) => void (stdin.writable && stdin.write(`${line}\n`)),
    silent: Promise.race([closed, exited]).then(async () => {
      // Another process may hold its output open.
      if (!(await endsWithin(closed, HELD_MS))) stdout.destroy();
      return lines.end();
    }),
    end: async (now) => {
      stdin.end();
      if (!(await endsWithin(exited, CLOSED_MS, now))) signalGroup(pid, "SIGTERM");
      if (!(await endsWithin(exited, SIGNAL_MS, now))) signalGroup(pid, "SIGKILL");
      const code = await exited;
      release();
      // The rest of the agent itself: tools have groups of their own.
      endGroup(pid);
      return code;
    },
  };
}

/** Ends the group if we are killed: nobody else knows of it. Returns what tells that there is nothing to do. */
function guard(pid: number): () => void {
  const child = spawn("/bin/sh", ["-c", 'read -r line || kill -KILL "-$0"', String(pid)], {
    cwd: "/",
    // Without the mark of the session: it is none of its processes.
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => undefined).unref();
  child.stdin.on("error", () => undefined);
  (child.stdin as Socket).unref(); // a pipe to a child is one
  return () => void child.stdin.end("over\n");
}
