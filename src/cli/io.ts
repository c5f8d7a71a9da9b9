import type { Interrupts } from "./interrupts.ts";

/** One of several things to choose from. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

export interface TextQuestion {
  /** What stands there already, to be changed. */
  readonly initial?: string | undefined;
  /** What could be typed. */
  readonly example?: string | undefined;
  /** What is wrong with an answer; then it is asked for again. */
  readonly fault?: ((text: string) => string | undefined) | undefined;
}

/** What a person at the terminal can be asked. `signal`: the question is taken back, which is no answer. */
export interface Questions {
  /** Without an answer: no. */
  readonly confirm: (question: string, signal?: AbortSignal) => Promise<boolean>;
  /** Undefined when they do not choose. */
  readonly choose: (question: string, options: readonly Choice[], signal?: AbortSignal) => Promise<string | undefined>;
  /** All are chosen until some are taken away. */
  readonly chooseMany: (question: string, options: readonly Choice[]) => Promise<readonly string[] | undefined>;
  readonly askText: (question: string, how?: TextQuestion) => Promise<string | undefined>;
}

/** The outside world as the commands see it: data goes out, talk goes to `err`. */
export interface Io extends Questions {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when the reader of `out` has kept up; undefined: it has. Whoever prints without end waits for it. */
  readonly drained: () => Promise<void> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Somebody sits at a terminal and can answer. */
  readonly isInteractive: boolean;
  /** Standard input and output are a terminal, which can be handed over. */
  readonly hasTerminal: boolean;
  /** Shows a line in the place of the last one; undefined where nobody would see it. Blank takes it away. */
  readonly progress: ((text: string) => void) | undefined;
  /**
   * The terminal that a view can be drawn on; undefined where there is none, where it can show nothing but lines, in the
   * background, and in CI. Absent: there is none.
   */
  readonly terminal?: () => Promise<Terminal | undefined>;
  /** The standard input, piece by piece. */
  readonly inputBytes: () => AsyncIterable<Uint8Array>;
  /** All of the standard input. */
  readonly readInput: () => Promise<string>;
  /** Signals as aborts, for commands that have something to put in order. Whoever never asks dies of them. */
  readonly interrupts: () => Interrupts;
  /** Memory before speed from now on: for what lasts for hours beside agents and their builds. */
  readonly saveMemory: () => void;
  /** How this program was started: program and first arguments. */
  readonly self: readonly [file: string, ...args: string[]];
  /** Nothing is forbidden to whoever started it. */
  readonly isRoot: boolean;
}

/** A terminal in which something is drawn. */
export interface Terminal {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Writes a text as it is: what is not ours in it must have been made printable. */
  readonly write: (text: string) => void;
  /** Somebody can type. */
  readonly hasKeys: boolean;
  /** Takes it, until the function that comes back is called, or the process ends. */
  readonly open: (listener: TerminalListener) => () => void;
  /** What Ctrl-C, Ctrl-Z and Ctrl-\ do where keys are not read one by one. */
  readonly interrupt: () => void;
  readonly suspend: () => void;
  readonly quit: () => void;
}

export interface TerminalListener {
  readonly onKeys: (sent: string) => void;
  readonly onResize: () => void;
  /** It is somebody else's now: nothing that is drawn may stay. */
  readonly onLeave: () => void;
  readonly onReturn: () => void;
}
