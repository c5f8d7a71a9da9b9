import { saveMemory } from "../app/save-memory.ts";
import { withSession } from "../app/session-env.ts";
import { RalphError } from "../domain/error.ts";
import { withoutInspector } from "../domain/node-options.ts";
import { printable } from "../domain/printable.ts";
import { EXIT_CODES } from "./exit-code.ts";
import { type OpenInterrupts, openInterrupts } from "./interrupts.ts";
import { inputText } from "./input-text.ts";
import type { Io, Paper, Questions } from "./io.ts";

/** The world of a real process. `host` is handed in by bin.ts, the only file that knows it. */
export function processIo(host: NodeJS.Process): Io {
  const { env, stdout, stderr } = host;
  let interrupts: OpenInterrupts | undefined;
  let inSession: Io["env"] | undefined;
  /** A terminal that was closed shows nothing, and asks nobody. */
  const isAlone = (): boolean => interrupts?.isAlone() === true;
  const onOutputError = (error: OutputError): void => {
    if (interrupts === undefined) endOutput(host, error);
    else if (!isAlone()) endInOrder(host, interrupts, error);
  };
  for (const stream of [stdout, stderr]) stream.on("error", onOutputError);
  // To `err`, so that `> file` does not swallow questions.
  const questions = async (): Promise<Questions> =>
    (await import("./ask.ts")).questionsAt(stderr.isTTY ? stderr : stdout);
  return {
    // Data is written as it is, except to a terminal, where it must be printable.
    out: (text) => void stdout.write(stdout.isTTY ? printable(text) : text),
    // Messages may quote untrusted names of files, tasks and scopes.
    err: (text) => void stderr.write(printable(text)),
    errStrong: (text) => void stderr.write(strong(printable(text), host)),
    drained: () => (stdout.isTTY && isAlone() ? undefined : drainOf(stdout)),
    // Looked up once, by the first who asks: it reads the processes above.
    get env() {
      return (inSession ??= withSession(withoutInspector(env), () => workingDirectory(host)));
    },
    get cwd() {
      return workingDirectory(host);
    },
    // Few callers need it, and looking at standard input takes milliseconds.
    get isInteractive() {
      return host.stdin.isTTY && stderr.isTTY && !env["CI"] && !isAlone();
    },
    get hasTerminal() {
      return host.stdin.isTTY && stdout.isTTY && !isAlone();
    },
    confirm: async (...asked) => await (await questions()).confirm(...asked),
    choose: async (...asked) => await (await questions()).choose(...asked),
    chooseMany: async (...asked) => await (await questions()).chooseMany(...asked),
    askText: async (...asked) => await (await questions()).askText(...asked),
    progress: progressOn(stderr, env),
    terminal: async () => {
      if (!stdout.isTTY || env["CI"] || env["TERM"] === "dumb") return undefined;
      return (await import("./process-terminal.ts")).processTerminal(host);
    },
    paper: (name) => paperOf(name === "out" ? stdout : stderr, env),
    inputBytes: () => host.stdin,
    readInput: async () => await inputText(host.stdin),
    endInput: () => void host.stdin.destroy(),
    interrupts: () => (interrupts ??= openInterrupts(host)),
    saveMemory,
    get self() {
      return [host.execPath, ...ownOptions(host), host.argv[1] ?? ""] as const;
    },
    get isRoot() {
      return host.getuid?.() === 0;
    },
  };
}

/** A stream that failed never drains. */
function drainOf(stream: NodeJS.WriteStream): Promise<void> | undefined {
  if (!stream.writableNeedDrain || stream.errored) return undefined;
  return new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off("drain", done).off("error", done);
      resolve();
    };
    stream.on("drain", done).on("error", done);
  });
}

/** Sessions start this program, too: a debugger of it is not for them (B-06). */
const ownOptions = ({ execArgv }: NodeJS.Process): string[] => execArgv.filter((word) => !word.startsWith("--inspect"));

/** In bold, where that can be shown. */
const strong = (text: string, { stderr, env }: NodeJS.Process): string =>
  stderr.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb" ? `\u001b[1m${text}\u001b[22m` : text;

function progressOn(stderr: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Io["progress"] {
  if (!stderr.isTTY || env["CI"] || env["TERM"] === "dumb") return undefined;
  return (text) => stderr.write(`\r\u001b[2K${text.slice(0, Math.max(1, (stderr.columns || 80) - 1))}`);
}

function paperOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Paper | undefined {
  if (!stream.isTTY || env["CI"] || env["TERM"] === "dumb") return undefined;
  return { columns: stream.columns || 80, write: (text) => void stream.write(text) };
}

/** Read only when needed: the folder may have been deleted. */
function workingDirectory(host: NodeJS.Process): string {
  try {
    return host.cwd();
  } catch (cause) {
    throw new RalphError("config", "The working directory no longer exists", {
      hint: "Change to a folder that exists",
      cause,
    });
  }
}

/** A closed pipe, as in `ralphctl prompt | head`, is not an error; a full disk is. */
function endOutput(host: NodeJS.Process, error: OutputError): void {
  if (error.code === "EPIPE") host.exit();
  host.stderr.write(outputText(error));
  host.exit(EXIT_CODES.io.code);
}

/** For a command that must clean up: stops it. Every later write fails too. */
function endInOrder(host: NodeJS.Process, { stop, outputEnded, hungUp }: OpenInterrupts, error: OutputError): void {
  if (error.code === "EIO" && host.stdout.isTTY) return hungUp();
  const isNew = !stop.aborted;
  outputEnded();
  if (isNew && error.code !== "EPIPE") host.stderr.write(outputText(error));
}

type OutputError = Error & { readonly code?: string };

const outputText = (error: OutputError): string =>
  `error: Cannot write the output: ${error.code ?? error.message}\nhint: Check the free disk space\n`;
