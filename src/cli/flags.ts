import { resolve } from "node:path";
import type { Caller } from "../app/task/caller.ts";
import type { ScopeChoice, Surroundings } from "../app/workspace.ts";
import { RalphError } from "../domain/error.ts";
import { printable } from "../domain/printable.ts";
import { type Input, type Option, textOption } from "./command.ts";
import type { Io } from "./io.ts";
import { trustGiven } from "./trust-question.ts";

export const scopeFlags: readonly Option[] = [
  { flags: "-p, --project <name>", doc: "the project projects/<name>", completes: "project" },
  { flags: "-c, --change <id>", doc: "a change, by id, prefix, number or slug", completes: "change" },
  { flags: "--sprint <dir>", doc: "a sprint's folder", completes: "sprint" },
  { flags: "-m, --module <id>", doc: "add a module's text", completes: "module" },
];

/** Scopes with tasks. A module has none. */
export const taskScopeFlags: readonly Option[] = scopeFlags.filter(({ flags }) => !flags.includes("--module"));

export const configFlag: Option = { flags: "--config <file>", doc: "also read this file", completes: "file" };

export const jsonFlag: Option = { flags: "--json", doc: "print JSON" };

interface KeyFlag {
  readonly option: string;
  readonly flag: string;
  readonly key: string;
  readonly isPath?: true;
  /** It takes no value. */
  readonly isSwitch?: true;
}

/** Flags that set a configuration key; they override environment and files. */
const KEYS: readonly KeyFlag[] = [
  { option: "harness", flag: "--harness", key: "harness" },
  { option: "maxIterations", flag: "--max-iterations", key: "limits.iterations" },
  { option: "minIterations", flag: "--min-iterations", key: "limits.minIterations" },
  { option: "completionPromise", flag: "--completion-promise", key: "promise" },
  { option: "preambleTemplate", flag: "--preamble-template", key: "prompts.template", isPath: true },
  { option: "modelStrategy", flag: "--model-strategy", key: "models.strategy" },
  { option: "maxTime", flag: "--max-time", key: "limits.time" },
  { option: "maxCost", flag: "--max-cost", key: "limits.cost" },
  { option: "maxTokens", flag: "--max-tokens", key: "limits.tokens" },
  { option: "maxAttempts", flag: "--max-attempts", key: "limits.attempts" },
  { option: "maxWait", flag: "--max-wait", key: "limits.wait" },
  { option: "timeout", flag: "--timeout", key: "limits.inactivity" },
  { option: "errorThreshold", flag: "--error-threshold", key: "limits.errors" },
  { option: "branch", flag: "--branch", key: "git.branch" },
  { option: "commit", flag: "--no-commit", key: "git.commit" },
  { option: "lanes", flag: "--lanes", key: "lanes.count" },
  { option: "inPlace", flag: "--in-place", key: "lanes.inPlace", isSwitch: true },
  { option: "sandbox", flag: "--sandbox", key: "sandbox.agent" },
];

export const promptFlags: readonly Option[] = [
  { flags: "--harness <name>", doc: "the harness it is for", completes: "harness" },
  { flags: "--smart-model <name>", doc: "the model that {smart} names" },
  { flags: "--fast-model <name>", doc: "the model that {fast} names" },
  { flags: "--max-iterations <n>", doc: "the limit that the preamble shows" },
  { flags: "--min-iterations <n>", doc: "the earliest iteration whose promise counts" },
  { flags: "--completion-promise <word>", doc: "the word that promises completion" },
  { flags: "--preamble-template <file>", doc: "use your own preamble", completes: "file" },
];

/** Where the command was typed, with the configuration keys that its flags set. */
export function surroundings(input: Input, io: Io): Surroundings {
  const flags: Record<string, unknown> = {};
  for (const { option, key, isPath, isSwitch } of KEYS) {
    const value = isSwitch && input.options[option] === true ? true : keyValue(input, option);
    setAt(flags, key.split("."), isPath && typeof value === "string" ? typedPath(value, io) : value);
  }
  return {
    cwd: io.cwd,
    env: io.env,
    flags,
    flagNames: Object.fromEntries(KEYS.map(({ key, flag }) => [key, flag])),
    configFile: typedPath(textOption(input, "config"), io),
    smartModel: textOption(input, "smartModel"),
    fastModel: textOption(input, "fastModel"),
    trust: trustGiven(input, io),
  };
}

/** A path as it was typed; absolute where the command runs in another folder. */
const typedPath = (path: string | undefined, { typedIn }: Io): string | undefined =>
  path === undefined || typedIn === undefined ? path : resolve(typedIn, path);

/** For commands that start agents: `--model` fixes the model, unless a strategy is given too. */
export function loopSurroundings(input: Input, io: Io): Surroundings {
  const model = textOption(input, "model");
  const around = surroundings(input, io);
  if (model === undefined) return around;
  return { ...around, model, flags: { models: { strategy: "fixed" }, ...around.flags } };
}

/** The typed value; false for a `--no-` flag. */
const keyValue = (input: Input, option: string): string | false | undefined =>
  input.options[option] === false ? false : textOption(input, option);

/** For commands that also print warnings. */
export const caller = (input: Input, io: Io): Caller => ({
  ...surroundings(input, io),
  notice: (sentence) => printWarnings(io, [sentence]),
});

/** Texts of the repository are among them: no control character reaches the terminal. */
export const printWarnings = (io: Io, sentences: readonly string[]): void =>
  io.err(sentences.map((sentence) => `warning: ${printable(sentence)}\n`).join(""));

function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  if (value === undefined) return;
  const [head = "", ...rest] = path;
  if (rest.length === 0) target[head] = value;
  else setAt((target[head] ??= {}) as Record<string, unknown>, rest, value);
}

/** The scope that the flags name; more than one is an error. */
export function scopeChoice(input: Input): ScopeChoice {
  const choice = {
    project: textOption(input, "project"),
    change: textOption(input, "change"),
    sprint: textOption(input, "sprint"),
    module: textOption(input, "module"),
  };
  const { module, ...exclusive } = choice;
  const given = Object.entries(exclusive).filter(([, value]) => value !== undefined);
  if (given.length > 1 || (module !== undefined && given.some(([name]) => name !== "change"))) {
    const names = Object.entries(choice).filter(([, value]) => value !== undefined);
    throw new RalphError("usage", `${names.map(([name]) => `--${name}`).join(" and ")} cannot be used together`, {
      hint: "Use one of --project, --change and --sprint; --module alone or with --change",
    });
  }
  return choice;
}

/** A positive whole number. */
export function countOption(input: Input, name: string): number | undefined {
  const text = textOption(input, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RalphError("usage", `--${name} must be a positive whole number, not ${JSON.stringify(text)}`, {
    hint: `Write --${name} 1`,
  });
}

/** A whole number, which may be negative. */
export function wholeOption(input: Input, name: string): number | undefined {
  const text = textOption(input, name);
  if (text === undefined) return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new RalphError("usage", `--${name} must be a whole number, not ${JSON.stringify(text)}`, {
    hint: `Write --${name} 2`,
  });
}
