import * as z from "zod/mini";
import { writtenKey } from "../../domain/data-problem.ts";
import { RalphError } from "../../domain/error.ts";
import { isMapping } from "../../domain/mapping.ts";
import { describeValue } from "../../domain/describe-value.ts";
import { taskStates } from "../../domain/task-state.ts";
import { findProblems, strictMapping } from "../../system/check-data.ts";

// Programs without a compiler misspell options, too. A gate that is left out because of that would prove nothing, so an
// unknown option is refused, not ignored.

const TEXTS = "must be a list of texts";
const OBJECT = "must be an object";
const COMMAND = "must be a shell command";
const TIME = "must be a number of milliseconds greater than 0";
const COUNT = "must be a whole number from 0 on";

const text = z.string("must be text");
const texts = z.array(text, TEXTS);
const flag = z.boolean("must be true or false");
const object = z.custom(isMapping, OBJECT);
const func = z.custom((value) => typeof value === "function", "must be a function");
const oneOf = (words: readonly string[]) => z.enum(words, `must be one of ${words.join(", ")}`);

const workspace = { cwd: text, env: object, config: object, configFile: text, trust: flag };

const scope = z.partial(strictMapping({ project: text, change: text, sprint: text, module: text }, OBJECT)).check(
  z.check(({ value, issues }) => {
    const names = Object.entries(value).flatMap(([name, text]) => (text === undefined ? [] : [name]));
    if (names.filter((name) => name !== "module" || !names.includes("change")).length < 2) return;
    const hint = "Name one of project, change and sprint; module alone or beside change";
    const message = `has ${names.join(" and ")}, which cannot be used together\n${hint}`;
    issues.push({ code: "custom", input: value, message });
  }),
);

const gate = strictMapping(
  {
    id: text,
    run: z.optional(z.string(COMMAND).check(z.regex(/\S/, COMMAND))),
    check: z.optional(func),
    timeoutMs: z.optional(z.number(TIME).check(z.gt(0, TIME))),
    retries: z.optional(z.int(COUNT).check(z.gte(0, COUNT))),
  },
  OBJECT,
).check(
  z.refine(
    ({ run, check }) => (run === undefined) !== (check === undefined),
    "must have one of run and check\nName a shell command as run, or a function as check",
  ),
);

/** A harness of the program's own may have more, such as a state that it keeps. */
const harness = z.looseObject(
  {
    start: func,
    reader: func,
    facts: z.looseObject(
      {
        title: text,
        stopOrder: z.array(z.unknown(), "must be a list"),
        usage: oneOf(["none", "session", "cumulative"]),
        cost: oneOf(["none", "reported", "estimated"]),
        takesSystemPrompt: flag,
        takesSessionId: flag,
        quirks: texts,
      },
      OBJECT,
    ),
  },
  OBJECT,
);

const run = {
  ...workspace,
  mode: oneOf(["auto", "plan", "build"]),
  words: text,
  file: text,
  tasks: texts,
  scope,
  model: text,
  harness: z.union([z.string(), z.array(z.string())], "must be the name of a harness, or a list of names"),
  harnesses: z.record(z.string(), harness, OBJECT),
  gates: z.array(gate, "must be a list"),
  strict: flag,
  acceptLook: flag,
  inPlace: flag,
  signal: z.instanceof(AbortSignal, { error: "must be an AbortSignal" }),
};

const query = { scope, states: z.array(oneOf(taskStates), "must be a list of states"), tag: text, text };

const checker = (schema: z.ZodMiniType, whole: string) => (data: unknown) => {
  const [problem] = findProblems(schema, data, {
    nameOf: (path) => writtenKey(whole === OPTIONS ? path : [whole, ...path]),
    locate: () => undefined,
    whole,
    hints: {
      value: () => "Correct it: the types of the package describe every option",
      key: (known) => `Use only: ${known.join(", ")}`,
    },
    shown: describeValue,
  });
  if (problem !== undefined) throw new RalphError("usage", problem.sentence, { hint: problem.hint });
};

const OPTIONS = "The options";

export const checkWorkspaceOptions = checker(z.partial(strictMapping(workspace, OBJECT)), OPTIONS);
export const checkRunOptions = checker(z.partial(strictMapping(run, OBJECT)), OPTIONS);
export const checkTaskQuery = checker(z.partial(strictMapping(query, OBJECT)), OPTIONS);
export const checkScope = checker(scope, "scope");
export const checkId = checker(text, "id");
export const checkText = checker(text, "text");
export const checkTask = checker(object, "task");
export const checkMode = checker(oneOf(["plan", "build"]), "mode");
