import * as z from "zod/mini";
import { LAYOUTS } from "../domain/layouts.ts";
import { OUTPUT_FORMATS } from "../domain/output-format.ts";
import { SHIPPED_HOOKS } from "../domain/shipped-hook.ts";
import { strictMapping } from "../system/check-data.ts";
import {
  command,
  count,
  distinct,
  duration,
  flag,
  harnessNames,
  hookPoints,
  id,
  line,
  lines,
  list,
  money,
  oneOf,
} from "./kinds.ts";
import {
  path,
  paths,
  pathsByName,
  planFiles,
  program,
  promise,
  size,
  text,
  unset,
  variables,
  type Kind,
} from "./kinds.ts";

/** Information about a key: reference, JSON Schema and environment variables come from it. */
export interface KeyInfo {
  readonly doc: string;
  /** Absent for a group of keys. */
  readonly kind?: Kind;
  readonly fallback?: unknown;
  /** The keys inside: of a group, or of each entry. */
  readonly fields?: Fields;
  readonly entries?: "by name" | "in a list";
}

export type Fields = Readonly<Record<string, z.ZodMiniType>>;

// The library has registries for this, but their types cannot hold a schema inside the information about a schema.
const infos = new WeakMap<object, KeyInfo>();

export const infoOf = (schema: object): KeyInfo | undefined => infos.get(schema);

function described<Schema extends object>(schema: Schema, info: KeyInfo): Schema {
  infos.set(schema, info);
  return schema;
}

const MAPPING = "must be a mapping of keys to values";

function key<Schema extends z.ZodMiniType>(doc: string, kind: Kind<Schema>, fallback: z.input<Schema>) {
  return described(z.prefault(kind.schema, fallback as never), { doc, kind, fallback });
}

function required<Schema extends z.ZodMiniType>(doc: string, kind: Kind<Schema>): Schema {
  // A copy, because one kind serves many keys and each has its own doc.
  return described(z.clone(kind.schema), { doc, kind });
}

function group<Shape extends Fields>(doc: string, fields: Shape) {
  return described(z.prefault(strictMapping(fields, MAPPING), {} as never), { doc, fields });
}

const harness = {
  model: key("Model to use; unset: the CLI's own default.", unset(line), null),
  smart: key("Model for the role `smart`; claude: `opus`.", unset(line), null),
  fast: key("Model for the role `fast`; claude: `sonnet`.", unset(line), null),
  models: key("Models that an agent may recommend with `<next-model>`; claude: `opus`, `sonnet`, `haiku`.", lines, []),
  bin: key("Program to start; unset: the CLI's usual name, found on PATH.", unset(program), null),
  args: key("Arguments added to every start.", list, []),
  env: key("Environment variables added to every start.", variables, {}),
  preamble: key("Begin the prompt with the preamble.", flag, true),
  run: key("`command` only: shell command to start instead of `bin`.", unset(command), null),
  promptBy: key(
    "`command` only: how it gets the prompt. With `step`, `stdin` means a file that RALPHCTL_PROMPT names.",
    oneOf(["stdin", "file", "argument"]),
    "stdin",
  ),
  output: key("`command` only: format of its output; `text`: plain text.", oneOf(OUTPUT_FORMATS), "text"),
  script: key("`scripted` only: the YAML or JSON script.", unset(path), null),
  recording: key("`replay` only: the folder of the recorded iteration, `.ralph/runs/RUN/1`.", unset(path), null),
};

const gate = {
  id: required("Name of the gate.", id),
  run: required("Shell command; passes if it exits with 0.", command),
  timeout: key("Time limit; unset: `limits.gate`.", unset(duration), null),
  retries: key("How often to run a failing gate again.", count(0), 0),
};

const hook = {
  id: key("Name of the hook; unset: the value of `use`.", unset(id), null),
  on: key(
    "When it runs; unset: `iteration-end`, or `[needs-human, limit, run-end]` for `notify` and `webhook`.",
    unset(hookPoints),
    null,
  ),
  run: key("Shell command; set exactly one of `run`, `prompt`, `workflow` and `use`.", unset(command), null),
  prompt: key("Prompt for a separate agent session.", unset(text), null),
  workflow: key("Workflow to run, by file name; `PLUGIN:NAME` for a workflow of a plugin.", unset(line), null),
  use: key("Built-in hook.", unset(oneOf(SHIPPED_HOOKS)), null),
  url: key("`use: webhook` only: the address to send to; `$NAME` is read from that variable.", unset(line), null),
  parallel: key("Don't wait for it.", flag, false),
  enabled: key("False: keep it in the file, but don't run it.", flag, true),
  timeout: key("Time limit; unset: `limits.hook`.", unset(duration), null),
};

const limits = {
  iterations: key(
    "Iterations of one run; unset: 3 per task at start, plus 20; 10 for words, a file or a prompt file; 3 in plan mode.",
    unset(count(1)),
    null,
  ),
  minIterations: key("First iteration whose claim may end the run.", count(1), 1),
  attempts: key("Attempts before a task fails.", count(1), 3),
  iterationsPerTask: key("Iterations of one task in total.", count(1), 10),
  errors: key("Harness errors in a row that end the run.", count(1), 5),
  noProgress: key("Iterations without progress before a task is parked.", count(1), 3),
  newTasks: key("Tasks that sessions may add in one run; further ones are parked.", count(0), 50),
  time: key("Time for one run.", unset(duration), null),
  cost: key("US dollars for one run.", unset(money), null),
  tokens: key("Tokens for one run.", unset(count(1)), null),
  inactivity: key("Time without output before an agent is stopped.", duration, "15m"),
  attempt: key("Time for one session.", duration, "2h"),
  grace: key("Time for an agent to exit after its last event.", duration, "5s"),
  gate: key("Time for one gate.", duration, "10m"),
  hook: key("Time for one hook.", duration, "10m"),
  wait: key("Time to wait for usage limits until an agent works again; in CI, no wait unless set.", duration, "12h"),
  prompt: key("Size of a prompt.", size, "1MB"),
  context: key("Size of a scope's context.", size, "64KB"),
};

/** Claude's own roles: other harnesses have none until they are set. */
const HARNESSES = { claude: { smart: "opus", fast: "sonnet", models: ["opus", "sonnet", "haiku"] } };

const fields = {
  harness: key(
    "Harness, or a list in order: the next takes over on a usage limit or an outage.",
    harnessNames,
    "claude",
  ),
  harnesses: described(z.prefault(z.record(id.schema, strictMapping(harness, MAPPING), MAPPING), HARNESSES), {
    doc: "Settings per harness.",
    fields: harness,
    entries: "by name",
    fallback: HARNESSES,
  }),
  models: group("Choice of models.", {
    strategy: key(
      "How to choose the model of an iteration.",
      oneOf(["fixed", "cost-optimized", "escalate", "plan-then-execute"]),
      "fixed",
    ),
  }),
  specs: group("Specifications.", {
    dirs: key("Folders with specs; the agent reads them and must not change them.", paths, [".ralph/specs"]),
  }),
  plan: key("Plan files to sync with tasks; `auto`: the scope's own; `[]`: none.", planFiles, "auto"),
  prompts: group("Prompt files.", {
    plan: key("Prompt file of plan mode.", path, "PROMPT_plan.md"),
    build: key("Prompt file of build mode.", path, "PROMPT_build.md"),
    layout: key("Order of the prompt's sections.", oneOf(["wrapped", "preamble-first"]), "wrapped"),
    template: key("Your own preamble template.", unset(path), null),
  }),
  promise: key("Word with which the agent promises completion.", promise, "COMPLETE"),
  gates: listKey("Checks that decide whether work is done; `auto`: detect them.", {
    name: "`auto` or list of gates",
    fields: gate,
    schema: z.union([z.literal("auto"), gateList()], "must be auto or a list of gates"),
    fallback: "auto",
  }),
  verify: group("Verification.", {
    setup: key("Shell command that prepares a clean checkout.", unset(command), null),
    protect: key("Patterns for files that a session must not change or delete.", lines, [
      ".ralph/config.yaml",
      ".github/workflows/**",
    ]),
    reviewer: key("Harness that reviews each claim, after the gates.", unset(id), null),
    allowUnverified: key("Exit with 0 if complete without any gate.", flag, false),
  }),
  git: group("Git.", {
    commit: key("Commit verified work.", flag, true),
    branch: key("Branch to work on; unset: the current one.", unset(line), null),
    maxFile: key("Leave larger files out of commits.", size, "5MB"),
  }),
  limits: group("Limits. Durations like `30s`, `5m`, `1m30s`, `2h`; sizes like `64KB`, `5MB`.", limits),
  hooks: listKey("Commands and sessions to run when something happens.", {
    name: "list of hooks",
    fields: hook,
    schema: hookList(),
    fallback: [],
  }),
  layouts: key("Folders with changes and modules, in search order.", paths, [...LAYOUTS]),
  workflows: key("Folders with workflow files.", paths, [".claude/workflows", ".ralph/workflows"]),
  plugins: key("Folder with workflow files for each plugin, for workflows named `PLUGIN:NAME`.", pathsByName, {}),
  sprint: group("Sprints.", {
    idleThreshold: key("Iterations in a row without a new step before reflection.", count(1), 3),
  }),
  processes: group("Processes.", {
    keep: key(
      "Keep processes that a session left running. Those of gates, and of a run that is killed, always end.",
      flag,
      false,
    ),
  }),
};

/** The whole configuration: every key with its doc, its check and its default. Durations become ms, sizes bytes. */
export const configSchema = described(strictMapping(fields, `${MAPPING}\nWrite \`key: value\` lines`), {
  doc: "Configuration of ralphctl.",
  fields,
});

/** What a harness has that the configuration does not name. */
export const plainHarness = strictMapping(harness, MAPPING);

/** The defaults that a file's mappings are merged into; all others are filled in by the schema. */
export const baseLayer = { harnesses: HARNESSES };

function listKey<Schema extends z.ZodMiniType>(
  doc: string,
  about: {
    readonly name: string;
    readonly fields: Fields;
    readonly schema: Schema;
    readonly fallback: z.input<Schema>;
  },
) {
  const { name, fields, schema, fallback } = about;
  const kind: Kind = { name, schema, fromText: "yaml" };
  return described(z.prefault(schema, fallback as never), { doc, kind, fallback, fields, entries: "in a list" });
}

function gateList() {
  return z.array(strictMapping(gate, MAPPING)).check(distinct("the id"));
}

function hookList() {
  const one = strictMapping(hook, MAPPING).check(
    z.refine(
      ({ run, prompt, workflow, use }) => [run, prompt, workflow, use].filter((value) => value !== null).length === 1,
      "must have exactly one of run, prompt, workflow and use",
    ),
    z.refine((entry) => entry.id !== null || entry.use !== null, "must have an id"),
    z.refine(({ use, url }) => use !== "webhook" || url !== null, "must have a url, to which the webhook sends"),
    z.refine(({ use, url }) => use === "webhook" || url === null, "has a url, which only use: webhook takes"),
  );
  return z.array(one, "must be a list of hooks").check(distinct("the id"));
}
