import {
  Argument as CommanderArgument,
  Command as Parser,
  InvalidArgumentError,
  Option as CommanderOption,
} from "commander";
import type { Argument, Command, Input, Option } from "./command.ts";
import { foreignFlagsOf, translateFlags } from "./foreign-flags.ts";
import type { Io } from "./io.ts";
import { printable } from "../domain/printable.ts";
import { version } from "../domain/version.ts";
import { TOPIC_NAMES } from "./topics/index.ts";

export type Action = (command: Command, input: Input) => Promise<void>;

/** The parser for a table of commands. It prints through `io`, and throws instead of leaving the process. */
export function buildProgram(commands: readonly Command[], io: Io, action: Action): Parser {
  const program = new Parser("ralphctl")
    .description("Runs coding agents in a loop over a graph of tasks until the work is proven done.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .addHelpText("after", `\n${topicsText}\n${examplesText(["ralphctl init", "ralphctl run", "ralphctl help gates"])}`);
  settle(program, io);
  const help = new Parser("help")
    .argument("[topic]")
    .description("print help for a command or a topic")
    .helpOption(false);
  // Listed with our last group.
  program.addHelpCommand(help.helpGroup(`${commands.at(-1)?.group}:`));

  const parents = new Map<string, Parser>([["", program]]);
  for (const command of commands) addCommand(parents, command, { io, action });
  return program;
}

function addCommand(parents: Map<string, Parser>, command: Command, { io, action }: { io: Io; action: Action }): void {
  const words = command.name.split(" ");
  const { group = "Work" } = command;
  const parent = parentOf(parents, words.slice(0, -1), { group, io });
  const parser = new Parser(words.at(-1)).description(command.summary).helpOption("-h, --help", "print help");
  settle(parser, io);
  for (const argument of command.args ?? []) parser.addArgument(toArgument(argument));
  for (const option of command.options ?? []) parser.addOption(toOption(option));
  for (const { flags } of foreignFlagsOf(command.name)) parser.addOption(new CommanderOption(flags).hideHelp());
  if (command.examples) parser.addHelpText("after", `\n${examplesText(command.examples)}`);
  parser.action(async () => {
    const { options, notes } = translateFlags(command.name, parser.opts());
    io.err(notes.map((note) => `note: ${printable(note)}\n`).join(""));
    const args = parser.processedArgs.flat().filter((word) => word !== undefined);
    await action(command, { args, options });
  });
  parent.addCommand(parser.helpGroup(`${group}:`), {
    hidden: command.hidden === true,
    isDefault: command.isDefault === true,
  });
}

/** The parser that a command of several words belongs to: `config` of `config get`, `task dep` of `task dep add`. */
function parentOf(
  parents: Map<string, Parser>,
  words: readonly string[],
  { group, io }: { readonly group: string; readonly io: Io },
): Parser {
  const name = words.join(" ");
  const known = parents.get(name);
  if (known) return known;
  const parent = new Parser(words.at(-1))
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .helpGroup(`${group}:`);
  settle(parent, io);
  parent.description(PARENT_SUMMARIES[name] ?? "");
  parentOf(parents, words.slice(0, -1), { group, io }).addCommand(parent);
  parents.set(name, parent);
  return parent;
}

/** Summaries of command groups. */
const PARENT_SUMMARIES: Readonly<Record<string, string>> = {
  change: "proposals with tasks of their own: list",
  sprint: "goals or phases in sequence: start, status, stop",
  config: "settings and where they come from: get, set, edit and more",
  context: "tell the agent something mid-loop: add, show, clear",
  gates: "what decides whether work is proven: show, approve",
  lanes: "where agents work: show, open, take, drop, rm, gc",
  fleet: "several machines that share their tasks: status, init",
  notify: "who is told when a run ends or needs you: test",
  project: "parts of the workspace with tasks of their own: list",
  task: "the graph of tasks: add, list, show, ready, done and more",
  "task dep": "dependencies of a task: add, rm, list",
};

const settle = (parser: Parser, io: Io): Parser =>
  parser
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err, outputError: () => undefined })
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(" "),
    })
    .allowExcessArguments(false)
    .showSuggestionAfterError(true);

function toArgument({ name, doc, choices, isOptional, isRest }: Argument): CommanderArgument {
  const word = isRest ? `${name}...` : name;
  const argument = new CommanderArgument(isOptional ? `[${word}]` : `<${word}>`, doc);
  return choices ? argument.choices([...choices]) : argument;
}

const argumentTerm = (argument: CommanderArgument): string => {
  // Several words are taken only to be refused with a hint.
  const name = `${argument.name()}${argument.variadic && argument.name() !== "words" ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

function toOption({ flags, doc, choices, isRepeatable, group }: Option): CommanderOption {
  const option = new CommanderOption(flags, isRepeatable ? `${doc} (may be repeated)` : doc);
  if (group !== undefined) option.helpGroup(`${group}:`);
  if (choices) option.choices([...choices]);
  if (!isRepeatable) return option;
  // A list parser of commander's own would swallow the words that follow, too.
  return option.argParser((value, before: readonly string[] | undefined) => {
    if (!choices || choices.includes(value)) return [...(before ?? []), value];
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
  });
}

const topicsText = `Topics (see ralphctl help topics):
  ${TOPIC_NAMES.slice(0, 8).join(", ")},
  ${TOPIC_NAMES.slice(8).join(", ")}
`;

const examplesText = (examples: readonly string[]): string =>
  `Examples:\n${examples.map((example) => `  ${example}`).join("\n")}`;
