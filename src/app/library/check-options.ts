import { RalphError } from "../../domain/error.ts";
import { closestMatch } from "../../domain/closest-match.ts";
import { describeValue } from "../../domain/describe-value.ts";
import { taskStates } from "../../domain/task-state.ts";

// Programs without a compiler misspell options, too. A gate that is left out because of that would prove nothing, so
// what is not known is refused, and not passed over.

/** What an option may be. */
interface Kind {
  readonly name: string;
  readonly fits: (value: unknown) => boolean;
  readonly isNeeded?: true;
}

type Fields = Readonly<Record<string, Kind>>;

interface Shape {
  readonly fields: Fields;
  readonly mayHaveMore: boolean;
}

const only = (fields: Fields): Shape => ({ fields, mayHaveMore: false });
const more = (fields: Fields): Shape => ({ fields, mayHaveMore: true });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const TEXT: Kind = { name: "text", fits: isText };
const TEXTS: Kind = { name: "a list of texts", fits: isTexts };
const FLAG: Kind = { name: "true or false", fits: (value) => typeof value === "boolean" };
const OBJECT: Kind = { name: "an object", fits: isObject };
const LIST: Kind = { name: "a list", fits: Array.isArray };
const FUNCTION: Kind = { name: "a function", fits: (value) => typeof value === "function" };
const COMMAND: Kind = { name: "a shell command", fits: (value) => isText(value) && (value as string).trim() !== "" };
const TIME: Kind = {
  name: "a number of milliseconds greater than 0",
  fits: (value) => Number.isFinite(value) && (value as number) > 0,
};
const COUNT: Kind = {
  name: "a whole number from 0 on",
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};

const oneOf = (words: readonly string[]): Kind => ({
  name: `one of ${words.join(", ")}`,
  fits: (value) => words.some((word) => word === value),
});

const needed = (kind: Kind): Kind => ({ ...kind, isNeeded: true });

const WORKSPACE: Fields = { cwd: TEXT, env: OBJECT, config: OBJECT, configFile: TEXT };

const RUN: Fields = {
  ...WORKSPACE,
  mode: oneOf(["auto", "plan", "build"]),
  words: TEXT,
  file: TEXT,
  tasks: TEXTS,
  scope: OBJECT,
  model: TEXT,
  harness: { name: "the name of a harness, or a list of names", fits: (value) => isText(value) || isTexts(value) },
  harnesses: OBJECT,
  gates: LIST,
  strict: FLAG,
  allowDirty: FLAG,
  signal: { name: "an AbortSignal", fits: (value) => value instanceof AbortSignal },
};

const GATE: Fields = { id: needed(TEXT), run: COMMAND, check: FUNCTION, timeoutMs: TIME, retries: COUNT };

const HARNESS: Fields = { start: needed(FUNCTION), reader: needed(FUNCTION), facts: needed(OBJECT) };

const FACTS: Fields = {
  title: needed(TEXT),
  stopOrder: needed(LIST),
  usage: needed(oneOf(["none", "session", "cumulative"])),
  cost: needed(oneOf(["none", "reported", "estimated"])),
  takesSystemPrompt: needed(FLAG),
  takesSessionId: needed(FLAG),
  quirks: needed(TEXTS),
};

const SCOPE: Fields = { project: TEXT, change: TEXT, sprint: TEXT, module: TEXT };

const QUERY: Fields = {
  scope: OBJECT,
  states: {
    name: `a list of some of ${taskStates.join(", ")}`,
    fits: (value) => isTexts(value) && (value as string[]).every(isState),
  },
  tag: TEXT,
  text: TEXT,
};

const isState = (word: string): boolean => taskStates.some((state) => state === word);

export function checkWorkspaceOptions(options: unknown): void {
  check("", options, only(WORKSPACE));
}

export function checkRunOptions(options: unknown): void {
  const { scope, gates, harnesses } = check("", options, only(RUN));
  if (scope !== undefined) checkScope(scope);
  (gates as readonly unknown[] | undefined)?.forEach((gate, index) => checkGate(`gates[${index}]`, gate));
  for (const [name, harness] of Object.entries(harnesses ?? {})) checkHarness(`harnesses.${name}`, harness);
}

export function checkTaskQuery(query: unknown): void {
  const { scope } = check("", query, only(QUERY));
  if (scope !== undefined) checkScope(scope);
}

export function checkScope(scope: unknown): void {
  const { module, ...others } = check("scope", scope, only(SCOPE));
  const named = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (named.length < 2 && (module === undefined || named.every((name) => name === "change"))) return;
  const all = module === undefined ? named : [...named, "module"];
  throw new RalphError("usage", `scope: ${all.join(" and ")} exclude each other`, {
    hint: "Name one of project, change and sprint; module alone or beside change",
  });
}

export function checkObject(name: string, value: unknown): void {
  checkValue(name, value, needed(OBJECT));
}

export function checkText(name: string, value: unknown): void {
  checkValue(name, value, needed(TEXT));
}

export function checkMode(value: unknown): void {
  checkValue("mode", value, needed(oneOf(["plan", "build"])));
}

function checkGate(path: string, gate: unknown): void {
  const { run, check: own } = check(path, gate, only(GATE));
  if ((run === undefined) !== (own === undefined)) return;
  throw new RalphError("usage", `${path} must have one of run and check`, {
    hint: "Name a shell command as run, or a function as check",
  });
}

/** What else a harness of one's own has, such as a state that it keeps, is its business. */
function checkHarness(path: string, harness: unknown): void {
  const given = check(path, harness, more(HARNESS));
  check(`${path}.facts`, given["facts"], more(FACTS));
}

function check(path: string, given: unknown, { fields, mayHaveMore }: Shape): Readonly<Record<string, unknown>> {
  if (!isObject(given)) throw wrong(path === "" ? "The options" : path, given, OBJECT);
  const prefix = path === "" ? "" : `${path}.`;
  const unknown = mayHaveMore ? undefined : Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw notKnown(prefix, unknown, Object.keys(fields));
  for (const [name, kind] of Object.entries(fields)) checkValue(`${prefix}${name}`, given[name], kind);
  return given;
}

function checkValue(name: string, value: unknown, kind: Kind): void {
  if (value === undefined && !kind.isNeeded) return;
  if (!kind.fits(value)) throw wrong(name, value, kind);
}

const wrong = (name: string, value: unknown, kind: Kind): RalphError =>
  new RalphError("usage", `${name} must be ${kind.name}, not ${describeValue(value)}`, {
    hint: "Correct it: the types of the package describe every option",
  });

function notKnown(prefix: string, name: string, names: readonly string[]): RalphError {
  const meant = closestMatch(name, names);
  return new RalphError("usage", `There is no option ${prefix}${name}`, {
    hint: meant === undefined ? `Use only: ${names.join(", ")}` : `Did you mean ${prefix}${meant}?`,
  });
}
