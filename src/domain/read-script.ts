import { isMapping, type Mapping } from "./mapping.ts";
import type { Script, ScriptCondition, ScriptSession, ScriptStep, StepName } from "./script.ts";

/** Something wrong in a script: where, and what it must be. */
export interface ScriptProblem {
  readonly path: readonly (string | number)[];
  readonly sentence: string;
}

type Check = (value: unknown) => string | undefined;

/** A script from the plain data of a YAML or JSON file: `{ sessions: […] }`, or the list alone. */
export function readScript(data: unknown): Script | readonly ScriptProblem[] {
  const list = Array.isArray(data) ? data : isMapping(data) ? data["sessions"] : undefined;
  const at = Array.isArray(data) ? [] : ["sessions"];
  if (!Array.isArray(list) || list.length === 0) {
    return [{ path: at, sentence: "A script must be a list of sessions, or have one under `sessions`" }];
  }
  const problems = list.flatMap((session: unknown, index) => sessionProblems(session, [...at, index]));
  return problems.length > 0 ? problems : { sessions: list.map(toSession) };
}

/** A session may be its list of steps alone. */
const toSession = (session: unknown): ScriptSession =>
  Array.isArray(session) ? { steps: session as ScriptStep[] } : (session as ScriptSession);

function sessionProblems(session: unknown, path: ScriptProblem["path"]): ScriptProblem[] {
  if (Array.isArray(session)) return stepsProblems(session, path);
  if (!isMapping(session)) return [{ path, sentence: "A session must be a list of steps, or a mapping with `steps`" }];
  const strange = Object.keys(session).filter((key) => key !== "when" && key !== "steps");
  const steps = session["steps"];
  return [
    ...strange.map((key) => ({
      path: [...path, key],
      sentence: `Unknown key \`${key}\` in a session; known: when, steps`,
    })),
    ...(session["when"] === undefined ? [] : whenProblems(session["when"], [...path, "when"])),
    ...(Array.isArray(steps)
      ? stepsProblems(steps, [...path, "steps"])
      : [{ path: [...path, "steps"], sentence: "`steps` must be a list" }]),
  ];
}

function whenProblems(when: unknown, path: ScriptProblem["path"]): ScriptProblem[] {
  if (!isMapping(when)) return [{ path, sentence: "`when` must be a mapping" }];
  return keyProblems(when, CONDITIONS, path);
}

const stepsProblems = (steps: readonly unknown[], path: ScriptProblem["path"]): ScriptProblem[] =>
  steps.flatMap((step, index) => stepProblems(step, [...path, index]));

function stepProblems(step: unknown, path: ScriptProblem["path"]): ScriptProblem[] {
  if (isMapping(step) && Object.keys(step).length === 1) return keyProblems(step, STEPS, path);
  return [{ path, sentence: "A step must be a mapping with exactly one key, such as `say: Hello`" }];
}

function keyProblems(
  data: Mapping,
  checks: Readonly<Record<string, Check>>,
  path: ScriptProblem["path"],
): ScriptProblem[] {
  return Object.entries(data).flatMap(([key, value]) => {
    const here = [...path, key];
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (!check) return [{ path: here, sentence: `Unknown key \`${key}\`; known: ${Object.keys(checks).join(", ")}` }];
    const fault = check(value);
    return fault === undefined ? [] : [{ path: here, sentence: `\`${key}\` ${fault}` }];
  });
}

const text: Check = (value) => (typeof value === "string" ? undefined : "must be text");

const word: Check = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be text that is not empty";

const number: Check = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? undefined : "must be a number of at least 0";

const whole: Check = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? undefined : "must be a whole number";

const signal: Check = (value) =>
  typeof value === "string" && /^SIG[A-Z0-9]+$/.test(value) ? undefined : "must be the name of a signal, like SIGTERM";

const signals: Check = (value) =>
  Array.isArray(value) && value.every((item) => signal(item) === undefined) ? undefined : "must be a list of signals";

const mapping =
  (fields: Readonly<Record<string, Check>>, required: readonly string[]): Check =>
  (value) => {
    if (!isMapping(value)) return `must be a mapping of ${Object.keys(fields).join(", ")}`;
    const missing = required.find((key) => value[key] === undefined);
    if (missing !== undefined) return `needs \`${missing}\``;
    return keyProblems(value, fields, [])[0]?.sentence.replace(/^/, "is wrong: ");
  };

const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

const file = mapping({ path: word, text }, ["path", "text"]);

const CONDITIONS: Readonly<Record<keyof ScriptCondition, Check>> = {
  task: word,
  title: word,
  iteration: whole,
  prompt: word,
};

/** Every step there is, in the order in which the guide explains them. */
export const STEPS: Readonly<Record<StepName, Check>> = {
  say: text,
  think: text,
  tool: mapping({ name: word, input: text }, ["name"]),
  toolResult: mapping({ ok: flag, output: text }, []),
  write: file,
  append: file,
  delete: word,
  run: word,
  commit: word,
  delayMs: number,
  usage: mapping({ input: whole, output: whole, cacheRead: whole, cacheWrite: whole }, []),
  cost: number,
  raw: (value) => (isMapping(value) ? mapping({ base64: text }, ["base64"])(value) : text(value)),
  stderr: text,
  ignore: signals,
  end: (value) =>
    typeof (isMapping(value) ? value["kind"] : value) === "string" ? undefined : "must be an outcome or have a `kind`",
  exit: whole,
  signal,
  hang: (value) => (value === true ? undefined : "must be true"),
};
