import type { ValueKind } from "../app/known-values.ts";
import type { Io } from "./io.ts";

/** A command as help, completion, parser and reference see it; what it does is loaded when it is called. */
export interface Command {
  /** One word, or several: `config get`, `task dep add`. */
  readonly name: string;
  /** The heading on the help page; default: Work. */
  readonly group?: "Start" | "Settings";
  readonly summary: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly examples?: readonly string[];
  /** What its first word alone means: `config` is `config get`. */
  readonly isDefault?: true;
  /** Not shown in help: for programs. */
  readonly hidden?: true;
  /** An agent may call it (W-01): it works inside a session, and all others do not. */
  readonly inSession?: true;
  readonly load: () => Promise<CommandModule>;
}

/** Files and folders are the shell's business; all else is looked up. */
export type Completes = "file" | "folder" | ValueKind;

export interface Argument {
  readonly name: string;
  readonly doc: string;
  readonly choices?: readonly string[];
  /** Words that a shell proposes where others are allowed, too. */
  readonly proposes?: readonly string[];
  /** What a shell should propose for it. */
  readonly completes?: Completes;
  readonly isOptional?: true;
  /** Takes all words that are left. */
  readonly isRest?: true;
}

export interface Option {
  /** As commander writes it: `--project <name>`. */
  readonly flags: string;
  readonly doc: string;
  readonly choices?: readonly string[];
  /** Words that a shell proposes where others are allowed, too. */
  readonly proposes?: readonly string[];
  /** What a shell should propose for its value. */
  readonly completes?: Completes;
  /** May be given several times; its value is a list. */
  readonly isRepeatable?: true;
}

/** What a command module exports. The number is the exit code; none means 0. */
export interface CommandModule {
  readonly run: (input: Input, io: Io) => Promise<number | void>;
}

/**
 * The words of a command line after parsing: text, a list where it is repeatable, true for a flag without a value; for
 * one that begins with `--no-`, true without it and false with it.
 */
export interface Input {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | readonly string[] | boolean | undefined>>;
}

/** The value of an option that takes one. */
export function textOption(input: Input, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === "string" ? value : undefined;
}

/** All values of an option that may be repeated; undefined when it was not given. */
export function listOption(input: Input, name: string): readonly string[] | undefined {
  const value = input.options[name];
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
}
