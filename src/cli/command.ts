import type { ValueKind } from "../app/known-values.ts";
import type { Io } from "./io.ts";

/** A command for help, completion, parser and reference. Its code is loaded when it is called. */
export interface Command {
  /** One word, or several: `config get`, `task dep add`. */
  readonly name: string;
  /** The heading on the help page; default: Work. */
  readonly group?: "Start" | "Settings";
  readonly summary: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly examples?: readonly string[];
  /** Runs when only its first word is typed: `config` is `config get`. */
  readonly isDefault?: true;
  /** Not shown in help: for programs. */
  readonly hidden?: true;
  /** An agent may call it inside a session (W-01); other commands are refused there. */
  readonly inSession?: true;
  /** F-04: it reads the events of runs, so that in a shell of a fleet those of all machines are brought here meanwhile. */
  readonly readsRuns?: true;
  readonly load: () => Promise<CommandModule>;
}

/** What completion needs to know of an argument, or of the value of an option. */
export interface CompletedValue {
  readonly choices?: readonly string[];
  /** Suggestions for completion; other values are allowed too. */
  readonly proposes?: readonly string[];
  /** The kind of value that completion proposes: the shell knows files and folders, ralphctl looks up all else. */
  readonly completes?: "file" | "folder" | ValueKind;
}

export interface Argument extends CompletedValue {
  readonly name: string;
  readonly doc: string;
  readonly isOptional?: true;
  /** Takes all remaining words. */
  readonly isRest?: true;
}

export interface Option extends CompletedValue {
  /** As commander writes it: `--project <name>`. */
  readonly flags: string;
  readonly doc: string;
  /** May be given several times; its value is a list. */
  readonly isRepeatable?: true;
  /** The heading on the help page; default: Options. */
  readonly group?: string;
}

/** The module of a command. The number is the exit code; none means 0. */
export interface CommandModule {
  readonly run: (input: Input, io: Io) => Promise<number | void>;
}

/**
 * A parsed command line. An option is text, a list if repeatable, or true for a flag; a `--no-` flag is false when given
 * and true otherwise.
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
