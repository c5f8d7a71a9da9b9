import { FLEET_VARIABLE } from "../domain/environment.ts";
import { allowDirtyError } from "../domain/allow-dirty.ts";
import { RalphError } from "../domain/error.ts";
import { closestMatch } from "../domain/closest-match.ts";
import { sessionOf } from "../domain/run/session.ts";
import { CommanderError } from "commander";
import type { Command } from "./command.ts";
import { commands } from "./commands/index.ts";
import type { Io } from "./io.ts";
import { buildProgram } from "./program.ts";
import { isTopic, TOPIC_NAMES, type TopicName, TOPICS } from "./topics/index.ts";

/** Finds the command that a command line names, and runs it. */
export async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === HELP && argv.length === 2 && (isTopic(argv[1]) || argv[1] === ALL_TOPICS)) {
    io.out(await topicText(argv[1]));
    return 0;
  }
  if (argv.length === 0 && sessionOf(io.env) === undefined) {
    return (await (await import("./commands/begin.ts")).run(io)) ?? 0;
  }
  let code = 0;
  const program = buildProgram(commandsFor(argv), io, async (command, input) => {
    refuseInSession(command, io);
    const { run } = await command.load();
    const mirror = command.readsRuns && isOfFleet(io.env) ? await openMirror(io) : undefined;
    try {
      code = (await run(input, io)) ?? 0;
    } finally {
      await mirror?.close();
    }
  });
  try {
    await program.parseAsync(words(argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    refuseInSession(namedBy(argv), io);
    const picked = error.code === "commander.missingArgument" ? await pickedTask(argv, io) : undefined;
    if (picked !== undefined) return await dispatch([...argv, picked], io);
    throw usageError(error, argv);
  }
  return code;
}

const isOfFleet = (env: Io["env"]): boolean => (env[FLEET_VARIABLE] ?? "") !== "";

/** Loaded only in a fleet. */
const openMirror = async (io: Io): Promise<{ readonly close: () => Promise<void> }> =>
  await (await import("../app/fleet/mirror.ts")).openMirror(io);

/** At a terminal, a task that was not named can be chosen. */
async function pickedTask(argv: readonly string[], io: Io): Promise<string | undefined> {
  const command = namedBy(argv);
  if (command === undefined || !io.isInteractive || !hasNoArguments(argv, command)) return undefined;
  const { pickTask, taskNeededBy } = await import("./pick-task.ts");
  const kind = taskNeededBy(command);
  return kind === undefined ? undefined : await pickTask(kind, io);
}

/** Words after the command would be other arguments, or values of flags. */
const hasNoArguments = (argv: readonly string[], { name }: Command): boolean => argv.length === name.split(" ").length;

/** W-01: checked before the command is loaded, and before errors in its options. */
function refuseInSession(command: Command | undefined, { env }: Io): void {
  if (command === undefined || command.inSession || sessionOf(env) === undefined) return;
  const allowed = visible().flatMap(({ name, inSession }) => (inSession ? [name] : []));
  throw new RalphError("usage", `ralphctl ${command.name} cannot run inside a session`, {
    hint: `Use one of: ${allowed.join(", ")}`,
  });
}

/** The commands with the same first word: building a parser for all takes longer than running most of them. */
function commandsFor([first]: readonly string[]): readonly Command[] {
  const own = commands.filter(({ name }) => name.split(" ")[0] === first);
  return own.length > 0 ? own : commands;
}

/** The words for the parser: none means help (in a session), and `help X` becomes `X --help`. */
function words(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return ["--help"];
  if (first !== HELP) return [...argv];
  if (rest.join(" ") === HELP) return ["--help"];
  const isKnown = rest.length === 0 || visible().some(({ name }) => `${name} `.startsWith(`${rest.join(" ")} `));
  if (!isKnown) throw unknownHelp(rest);
  return [...rest, "--help"];
}

/** Turns the parser's error into a message with a hint. */
function usageError(error: CommanderError, argv: readonly string[]): RalphError {
  // An extra word after a group with a default command was meant as the verb.
  const isVerb = error.code === "commander.excessArguments" && depthOf(argv) > 0 && commandWords(argv) === "";
  if (error.code === "commander.unknownCommand" || error.code === "commander.help" || isVerb)
    return unknownCommand(argv);
  const choice = /'([^']*)' is invalid.*Allowed choices are (.*?)\.$/s.exec(error.message);
  if (error.message.startsWith("error: unknown option '--allow-dirty")) return allowDirtyError("--allow-dirty");
  if (choice) return badChoice(choice[1]!, choice[2]!.split(", "), /option '[^']*?(--[\w-]+)/.exec(error.message)?.[1]);
  const [sentence = "", suggestion = ""] = error.message.replace(/^error: /, "").split("\n");
  const meant = /Did you mean (?:one of )?(.*?)\?/.exec(suggestion)?.[1];
  const message = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/\.$/, "")}`;
  return new RalphError("usage", message, {
    hint: meant ? `Did you mean ${meant}?` : `Run ralphctl ${commandWords(argv)}--help`.replace(/ +/g, " "),
    cause: error,
  });
}

/** `flag`: undefined for an argument. */
function badChoice(typed: string, choices: readonly string[], flag: string | undefined): RalphError {
  const meant = closestMatch(typed, choices);
  const subject = flag === undefined ? JSON.stringify(typed) : `${flag} ${JSON.stringify(typed)}`;
  return new RalphError("usage", `${subject} is not one of: ${choices.join(", ")}`, {
    hint: meant ? `Did you mean ${meant}?` : "Choose one of them",
  });
}

const HELP = "help";
const ALL_TOPICS = "topics";

async function topicText(name: TopicName | typeof ALL_TOPICS): Promise<string> {
  if (name !== ALL_TOPICS) return (await import("./topics/texts.ts")).TOPIC_TEXTS[name];
  const width = Math.max(...TOPIC_NAMES.map((topic) => topic.length));
  return `Topics: ralphctl help TOPIC\n\n${TOPIC_NAMES.map((topic) => `  ${topic.padEnd(width)}  ${TOPICS[topic]}\n`).join("")}`;
}

function unknownHelp(words: readonly string[]): RalphError {
  const typed = words.join(" ");
  const names = visible().map(({ name }) => name);
  const meant = closestMatch(typed, [
    ...names,
    ...names.map((name) => name.split(" ")[0]!),
    ...TOPIC_NAMES,
    ALL_TOPICS,
  ]);
  return new RalphError("usage", `Unknown command or topic ${JSON.stringify(typed)}`, {
    hint: meant ? `Did you mean ralphctl help ${meant}?` : "Run ralphctl help to list them",
  });
}

function unknownCommand(argv: readonly string[]): RalphError {
  const words = argv.filter((word) => !word.startsWith("-"));
  const typed = words.slice(0, depthOf(words) + 1).join(" ");
  const verbs = verbsOf(words.slice(0, depthOf(words)).join(" "));
  const names = visible().map(({ name }) => name);
  const firsts = [...names, ...names.map((name) => name.split(" ")[0]!), HELP];
  const meant = closestMatch(typed, depthOf(words) > 0 ? names : firsts);
  if (isTopic(typed)) {
    const command = meant === undefined ? "" : `. The command is ralphctl ${meant}`;
    const hint = `Read about it: ralphctl help ${typed}${command}`;
    return new RalphError("usage", `${JSON.stringify(typed)} is a help topic, not a command`, { hint });
  }
  const all = depthOf(words) > 0 ? `Choose one of: ${verbs.join(", ")}` : "Run ralphctl --help to see all commands";
  return new RalphError("usage", `Unknown command ${JSON.stringify(typed)}`, {
    hint: meant ? `Did you mean ralphctl ${meant}?` : all,
  });
}

/** How many of the first words are groups of commands: 1 for `config gte`, 2 for `task dep ad`. */
function depthOf(words: readonly string[]): number {
  let depth = 0;
  while (depth < words.length && verbsOf(words.slice(0, depth + 1).join(" ")).length > 0) depth++;
  return depth;
}

/** The words that may follow a group. */
const verbsOf = (words: string): string[] => [
  ...new Set(
    visible().flatMap(({ name }) =>
      name.startsWith(`${words} `) ? [name.slice(words.length + 1).split(" ")[0]!] : [],
    ),
  ),
];

/** The words of the command itself, for a hint: `config get `. */
function commandWords(argv: readonly string[]): string {
  const named = namedBy(argv);
  return named ? `${named.name} ` : "";
}

const namedBy = (argv: readonly string[]): Command | undefined =>
  visible().find(({ name }) => argv.slice(0, name.split(" ").length).join(" ") === name);

const visible = (): Command[] => commands.filter((command) => !command.hidden);
