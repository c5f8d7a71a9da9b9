import type { ValueKind } from "../app/known-values.ts";
import type { Command, CompletedValue, Option } from "./command.ts";
import { TOPICS } from "./topics/index.ts";

export interface Proposal {
  readonly word: string;
  readonly doc: string;
}

/** Proposals for the last word of a command line. */
export interface Completion {
  /** From the table of commands. */
  readonly proposals: readonly Proposal[];
  /** The kind of values to look up in addition. */
  readonly values?: ValueKind;
  /** The typed part of the word, without `prefix`. */
  readonly current: string;
  /** Prepended to each proposal, because a shell takes `--project=a` for one word. */
  readonly prefix: string;
}

/** Makes the shell propose files or folders itself. */
export const FILES = ":file";
export const FOLDERS = ":folder";

/**
 * Looks a command line up in the table. The words are those after the program's name, as they were typed, the last one
 * unfinished.
 */
export function complete(commands: readonly Command[], words: readonly string[]): Completion {
  const typed = withoutEquals(words.map(unquoted));
  const found = look(commands, typed);
  const proposals = found.proposals.filter(({ word }) => isShells(word) || word.startsWith(typed.current));
  return { ...found, proposals, current: typed.current, prefix: typed.prefix };
}

export const isShells = (word: string): boolean => word === FILES || word === FOLDERS;

type Found = Pick<Completion, "proposals" | "values">;

function look(commands: readonly Command[], { before, current }: Typed): Found {
  if (before[0] === "help") return { proposals: helpWords(commands, before.slice(1)) };
  const command = named(commands, before);
  const areOver = before.includes("--");
  const isOption = current.startsWith("-") && !areOver;
  if (command === undefined && isOption) return { proposals: defaultOptions(commands, before) };
  if (command === undefined) {
    return { proposals: [...commandWords(commands, before), ...(before.length === 0 ? [HELP] : [])] };
  }
  const own = before.slice(command.name.split(" ").length);
  const pending = areOver ? undefined : optionOf(command, own.at(-1));
  if (takesValue(pending)) return valuesOf(pending);
  return isOption ? { proposals: optionWords(command, before) } : argumentWords(command, own);
}

interface Typed {
  readonly before: readonly string[];
  readonly current: string;
  readonly prefix: string;
}

/** Shells hand over a word with the marks that quote it, closed or not yet. */
const unquoted = (word: string): string =>
  word.replace(/'[^']*'?|"(?:[^"\\]|\\.)*"?|\\./gs, (part) => {
    if (part.startsWith("\\")) return part.slice(1);
    const inside = part.slice(1, part.length > 1 && part.endsWith(part[0]!) ? -1 : undefined);
    return part.startsWith("'") ? inside : inside.replaceAll(/\\(["\\$`])/g, "$1");
  });

/** `--project=a` is `--project a`. Bash makes three words of it, other shells one. */
function withoutEquals(words: readonly string[]): Typed {
  const parts = words.flatMap((word, index) => {
    const isSign = word === "=" && words[index - 1]?.startsWith("--") === true;
    return !isSign ? [word] : index === words.length - 1 ? [""] : [];
  });
  const last = parts.at(-1) ?? "";
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  if (flag === undefined || value === undefined) return { before: parts.slice(0, -1), current: last, prefix: "" };
  return { before: [...parts.slice(0, -1), flag], current: value, prefix: `${flag}=` };
}

const HELP: Proposal = { word: "help", doc: "print help for a command or a topic" };

const TOP_OPTIONS: readonly Proposal[] = [
  { word: "--version", doc: "print the version" },
  { word: "--help", doc: "print help" },
];

/** `help` takes a command or a topic. */
function helpWords(commands: readonly Command[], before: readonly string[]): Proposal[] {
  const topics = before.length === 0 ? Object.entries(TOPICS).map(([word, doc]) => ({ word, doc })) : [];
  return [...commandWords(commands, before), ...topics];
}

/** `task --st` completes `task list`, the default of `task`. */
function defaultOptions(commands: readonly Command[], before: readonly string[]): readonly Proposal[] {
  if (before.length === 0) return TOP_OPTIONS;
  const meant = commands.find(
    ({ name, isDefault }) => isDefault && name.split(" ").slice(0, -1).join(" ") === before.join(" "),
  );
  return meant === undefined ? [] : optionWords(meant, before);
}

function named(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => words.slice(0, name.split(" ").length).join(" ") === name);
}

/** The next word of every command that begins with these words. */
function commandWords(commands: readonly Command[], before: readonly string[]): Proposal[] {
  const prefix = before.map((word) => `${word} `).join("");
  const next = new Map<string, Set<string>>();
  for (const { name, summary, hidden } of commands) {
    if (hidden || !name.startsWith(prefix)) continue;
    const [word = "", ...rest] = name.slice(prefix.length).split(" ");
    next.set(word, (next.get(word) ?? new Set()).add(rest[0] ?? summary));
  }
  return Array.from(next, ([word, docs]) => ({ word, doc: [...docs].join(", ") }));
}

const flagsOf = ({ flags }: Option): string[] => flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));

const takesValue = (option: Option | undefined): option is Option => option?.flags.includes("<") === true;

const optionOf = (command: Command, word: string | undefined): Option | undefined =>
  command.options?.find((option) => word !== undefined && flagsOf(option).includes(word));

function optionWords(command: Command, before: readonly string[]): Proposal[] {
  const isUsed = (option: Option): boolean => flagsOf(option).some((flag) => before.includes(flag));
  const unused = (command.options ?? []).filter((option) => option.isRepeatable || !isUsed(option));
  return [
    ...unused.map((option) => ({ word: flagsOf(option).at(-1)!, doc: option.doc })),
    { word: "--help", doc: "print help" },
  ];
}

function argumentWords(command: Command, own: readonly string[]): Found {
  const isValue = own.map((_, index) => index > 0 && takesValue(optionOf(command, own[index - 1])));
  const end = own.indexOf("--");
  const isArgument = (word: string, index: number): boolean =>
    end !== -1 && index >= end ? index > end : !word.startsWith("-") && !isValue[index];
  const position = own.filter(isArgument).length;
  const last = command.args?.at(-1);
  const argument = command.args?.[position] ?? (last?.isRest ? last : undefined);
  return argument === undefined ? { proposals: [] } : valuesOf(argument);
}

/** Possible values of an option or argument. */
function valuesOf({ choices, proposes = [], completes }: CompletedValue): Found {
  const proposals = (choices ?? proposes).map((word) => ({ word, doc: "" }));
  if (completes === undefined) return { proposals };
  if (completes === "file") return { proposals: [...proposals, { word: FILES, doc: "" }] };
  if (completes === "folder") return { proposals: [...proposals, { word: FOLDERS, doc: "" }] };
  return { proposals, values: completes };
}
