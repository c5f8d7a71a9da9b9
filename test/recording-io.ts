import { homeOf, TRUSTED } from "./temporary-folder.ts";
import type { Interrupts } from "../src/cli/interrupts.ts";
import { main } from "../src/cli/main.ts";
import { PROGRAM, type Start } from "./built-program.ts";

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
  /** What they reply to one question after the other; undefined is Ctrl-C. Each question is written down in `asked`. */
  readonly replies?: readonly (string | readonly string[] | undefined)[];
  readonly asked?: string[];
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
    replies,
    asked = [],
    progress,
    interrupts = UNDISTURBED,
  }: Session,
): Promise<Answer> {
  let stdout = "";
  let stderr = "";
  const isThere = answer !== undefined || choice !== undefined || replies !== undefined;
  const left = [...(replies ?? [])];
  const reply = async <Kind>(question: string): Promise<Kind> => {
    asked.push(question);
    return left.shift() as Kind; // the test knows what it is asked
  };
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
    env: { ...TRUSTED, ...env },
    cwd,
    isInteractive: isThere,
    hasTerminal: isThere,
    confirm: async () => answer === true,
    choose: async (question, options) =>
      choice === undefined ? await reply(question) : choice(options.map(({ value }) => value)),
    chooseMany: reply,
    askText: reply,
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

/** `ralphctl` of `built-program.ts` without a process of its own: for all that is not about the process itself. */
export const typed = async (args: readonly string[], { cwd, env = {}, input = "" }: Start): Promise<Answer> =>
  await type(args, { cwd, env: { PATH: process.env["PATH"]!, ...homeOf(cwd), ...env }, input });
