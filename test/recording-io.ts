import type { Interrupts } from "../src/cli/interrupts.ts";
import { main } from "../src/cli/main.ts";
import { PROGRAM } from "./built-program.ts";

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Session {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** What the person at the terminal answers; without it nobody is there. */
  readonly answer?: boolean;
  /** What they choose when they are asked to; each of the options is written down here first. */
  readonly choice?: (options: readonly string[]) => string | undefined;
  /** Standard error is a terminal: progress is shown, and written down here. */
  readonly progress?: string[];
  /** What the command sees of signals; without it there are none. */
  readonly interrupts?: Interrupts;
}

const UNDISTURBED: Interrupts = { stop: new AbortController().signal, kill: new AbortController().signal };

/** Runs a command line in this process, with a world that writes down what it is told. */
export async function type(
  argv: readonly string[],
  {
    cwd,
    env = { PATH: process.env["PATH"]! },
    input = "",
    answer,
    choice,
    progress,
    interrupts = UNDISTURBED,
  }: Session,
): Promise<Answer> {
  let stdout = "";
  let stderr = "";
  const code = await main(argv, {
    // As a stream does: what comes back must not be taken for an exit code.
    out: (text) => {
      stdout += text;
      return true;
    },
    err: (text) => {
      stderr += text;
    },
    drained: async () => {},
    env,
    cwd,
    isInteractive: answer !== undefined || choice !== undefined,
    hasTerminal: answer !== undefined || choice !== undefined,
    confirm: async () => answer === true,
    choose: async (_question, options) => choice?.(options.map(({ value }) => value)),
    progress: progress && ((text) => progress.push(text)),
    inputBytes: async function* () {
      yield Buffer.from(input);
    },
    readInput: async () => input,
    saveMemory: () => undefined,
    interrupts: () => interrupts,
    self: [process.execPath, PROGRAM],
    isRoot: process.getuid?.() === 0,
  });
  return { code, stdout, stderr };
}
