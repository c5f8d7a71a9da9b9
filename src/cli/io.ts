import type { Interrupts } from "./interrupts.ts";

/** One of several things to choose from. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface TextQuestion {
  /** The initial text. */
  readonly initial?: string | undefined;
  /** A placeholder. */
  readonly example?: string | undefined;
  /** Validates an answer; a message makes the question repeat. */
  readonly fault?: ((text: string) => string | undefined) | undefined;
}

/** Questions to the person at the terminal. An aborted `signal` withdraws a question, which counts as no answer. */
export interface Questions {
  /** Without an answer: no. */
  readonly confirm: (question: string, signal?: AbortSignal) => Promise<boolean>;
  /** Undefined when cancelled. */
  readonly choose: (question: string, options: readonly Choice[], signal?: AbortSignal) => Promise<string | undefined>;
  /** All are selected initially. */
  readonly chooseMany: (question: string, options: readonly Choice[]) => Promise<readonly string[] | undefined>;
  readonly askText: (question: string, how?: TextQuestion) => Promise<string | undefined>;
}

/** The outside world of a command: data goes to `out`, messages to `err`. */
export interface Io extends Questions {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Like `err`, in bold where there is a terminal. Absent: no terminal. */
  readonly errStrong?: ((text: string) => void) | undefined;
  /** Resolves when the reader of `out` has caught up; undefined when it has. Await it when printing a lot. */
  readonly drained: () => Promise<void> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The folder that paths on the command line are relative to; absent: `cwd`. */
  readonly typedIn?: string | undefined;
  /** A person at a terminal can answer questions. */
  readonly isInteractive: boolean;
  /** Standard input and output are a terminal, which can be handed over. */
  readonly hasTerminal: boolean;
  /** Replaces the progress line; blank removes it. Undefined without a terminal. */
  readonly progress: ((text: string) => void) | undefined;
  /**
   * The terminal that a view can be drawn on; undefined where there is none, where it can show nothing but lines, in the
   * background, and in CI. Absent: there is none.
   */
  readonly terminal?: () => Promise<Terminal | undefined>;
  /** A stream that is a terminal, for pages that are styled; undefined where it is none, or shows only plain text. */
  readonly paper?: (stream: "out" | "err") => Paper | undefined;
  /** The standard input, piece by piece. */
  readonly inputBytes: () => AsyncIterable<Uint8Array>;
  /** All of the standard input. */
  readonly readInput: () => Promise<string>;
  /** Reads no more of it: an input that stays open would keep the process alive. */
  readonly endInput?: () => void;
  /** Signals as aborts, for commands that must clean up. Other commands die of signals as usual. */
  readonly interrupts: () => Interrupts;
  /** Prefers low memory over speed from now on, for runs that last hours beside agents and builds. */
  readonly saveMemory: () => void;
  /** How this program was started: program and first arguments. */
  readonly self: readonly [file: string, ...args: string[]];
  /** Started by the superuser. */
  readonly isRoot: boolean;
}

/** A terminal on which pages are printed. */
export interface Paper {
  readonly columns: number;
  /** Writes text as it is: untrusted text must be made printable first. */
  readonly write: (text: string) => void;
}

/** A terminal in which something is drawn. */
export interface Terminal {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Writes text as it is: untrusted text must be made printable first. */
  readonly write: (text: string) => void;
  /** Keys can be read. */
  readonly hasKeys: boolean;
  /** Takes the terminal until the returned function is called or the process ends. */
  readonly open: (listener: TerminalListener) => () => void;
  /** Do what Ctrl-C, Ctrl-Z and Ctrl-\ do outside raw mode. */
  readonly interrupt: () => void;
  readonly suspend: () => void;
  readonly quit: () => void;
}

export interface TerminalListener {
  readonly onKeys: (sent: string) => void;
  readonly onResize: () => void;
  /** Another process takes the terminal: remove everything drawn. */
  readonly onLeave: () => void;
  readonly onReturn: () => void;
}
