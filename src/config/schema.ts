import * as z from "zod/mini";
import { LAYOUTS } from "../domain/layouts.ts";
import { OUTPUT_FORMATS } from "../domain/output-format.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { SHIPPED_HOOKS } from "../domain/shipped-hook.ts";
import { USER_SETTINGS } from "../domain/user-settings.ts";
import { strictMapping } from "../system/check-data.ts";
import * as k from "./kinds.ts";
import { limits } from "./limit-fields.ts";
import { described, type Fields, group, key, MAPPING, required } from "./described-key.ts";
import type { Kind } from "./kinds.ts";
import { programKeys } from "./program-keys.ts";

const harness = {
  model: key("Model to use; unset: the CLI's own default.", k.unset(k.line), null),
  smart: key("Model for the role `smart`; claude: `opus`.", k.unset(k.line), null),
  fast: key("Model for the role `fast`; claude: `sonnet`.", k.unset(k.line), null),
  models: key(
    "Models that an agent may recommend with `<next-model>`; claude: `opus`, `sonnet`, `haiku`.",
    k.lines,
    [],
  ),
  bin: key("Program to start; unset: the CLI's usual name, found on PATH.", k.unset(k.program), null),
  args: key("Arguments added to every start.", k.list, []),
  env: key("Environment variables added to every start.", k.variables, {}),
  userSettings: key(
    "Your own set-up of the CLI in sessions; `all`: as in your terminal, without parts that break sessions; `login`: only your login; `none`. Not every CLI has all three.",
    k.oneOf(USER_SETTINGS),
    "all",
  ),
  preamble: key("Begin the prompt with the preamble.", k.flag, true),
  kind: key("`acp`: an agent that speaks ACP, under any name.", k.unset(k.oneOf(["acp"])), null),
  run: key("`command` and `acp` only: shell command to start instead of `bin`.", k.unset(k.command), null),
  permissions: key("`acp` only: the answer if it asks for permission.", k.oneOf(["allow", "reject"]), "allow"),
  promptBy: key(
    "`command` only: how it gets the prompt. With `step`, `stdin` means a file that RALPHCTL_PROMPT names.",
    k.oneOf(["stdin", "file", "argument"]),
    "stdin",
  ),
  output: key("`command` only: format of its output; `text`: plain text.", k.oneOf(OUTPUT_FORMATS), "text"),
  script: key("`scripted` only: the YAML or JSON script.", k.unset(k.path), null),
  recording: key("`replay` only: the folder of the recorded iteration, `.ralph/runs/RUN/1`.", k.unset(k.path), null),
};

const gate = {
  id: required("Name of the gate.", k.id),
  run: required("Shell command; passes if it exits with 0.", k.command),
  timeout: key("Time limit; unset: `limits.gate`.", k.unset(k.duration), null),
  retries: key("How often to run a failing gate again.", k.count(0), 0),
};

const hook = {
  id: key("Name of the hook; unset: the value of `use`.", k.unset(k.id), null),
  on: key(
    "When it runs; unset: `iteration-end`, or `[needs-human, limit, run-end]` for `notify` and `webhook`.",
    k.unset(k.hookPoints),
    null,
  ),
  run: key("Shell command; set exactly one of `run`, `prompt`, `workflow` and `use`.", k.unset(k.command), null),
  prompt: key("Prompt for a separate agent session.", k.unset(k.text), null),
  workflow: key("Workflow to run, by file name; `PLUGIN:NAME` for a workflow of a plugin.", k.unset(k.line), null),
  use: key("Built-in hook.", k.unset(k.oneOf(SHIPPED_HOOKS)), null),
  url: key("`use: webhook` only: the address to send to; `$NAME` is read from that variable.", k.unset(k.line), null),
  parallel: key("Don't wait for it.", k.flag, false),
  enabled: key("False: keep it in the file, but don't run it.", k.flag, true),
  timeout: key("Time limit; unset: `limits.hook`.", k.unset(k.duration), null),
};

/** Claude's own roles: other harnesses have none until they are set. */
const HARNESSES = { claude: { smart: "opus", fast: "sonnet", models: ["opus", "sonnet", "haiku"] } };

const fields = {
  harness: key(
    "Harness, or a list in order: the next takes over on a usage limit or an outage.",
    k.harnessNames,
    "claude",
  ),
  harnesses: described(z.prefault(z.record(k.id.schema, strictMapping(harness, MAPPING), MAPPING), HARNESSES), {
    doc: "Settings per harness.",
    fields: harness,
    entries: "by name",
    fallback: HARNESSES,
  }),
  models: group("Choice of models.", {
    strategy: key(
      "How to choose the model of an iteration.",
      k.oneOf(["fixed", "cost-optimized", "escalate", "plan-then-execute"]),
      "fixed",
    ),
  }),
  specs: group("Specifications.", {
    dirs: key("Folders with specs; the agent reads them and must not change them.", k.paths, [".ralph/specs"]),
  }),
  plan: key(
    "Plan files of the workspace to sync with tasks, also by patterns such as `backlog/tasks/*.md`; `auto`: `IMPLEMENTATION_PLAN.md`; `[]`: none. Projects, changes and sprints have their own.",
    k.planFiles,
    "auto",
  ),
  prompts: group("Prompt files.", {
    plan: key("Prompt file of plan mode.", k.path, "PROMPT_plan.md"),
    build: key("Prompt file of build mode.", k.path, "PROMPT_build.md"),
    layout: key("Order of the prompt's sections.", k.oneOf(["wrapped", "preamble-first"]), "wrapped"),
    template: key("Your own preamble template.", k.unset(k.path), null),
  }),
  promise: key("Word with which the agent promises completion.", k.promise, "COMPLETE"),
  gates: listKey("Checks that decide whether work is done; `auto`: detect them.", {
    name: "`auto` or list of gates",
    fields: gate,
    schema: z.union([z.literal("auto"), gateList()], "must be auto or a list of gates"),
    fallback: "auto",
  }),
  verify: group("Verification.", {
    in: key(
      "Where gates run; `tree`: in the lane's own files, for gates that cannot run elsewhere.",
      k.oneOf(["room", "tree"]),
      "room",
    ),
    setup: key("Older name of `lanes.setup`, used if that is not set.", k.unset(k.command), null),
    protect: key("Patterns for files that a session must not change or delete.", k.lines, [
      ".ralph/config.yaml",
      ".worktreeinclude",
      ".github/workflows/**",
    ]),
    testFiles: key("Patterns for test files.", k.lines, [...DEFAULT_TEST_FILES]),
    tests: key(
      "If the work fails with existing tests as they were: `look` lands it for a person to look at, `lock` rejects it, `free` ignores it.",
      k.oneOf(["look", "lock", "free"]),
      "look",
    ),
    applyFixes: key(
      "If a gate passes only because it changes files of the work, as a formatter does, let the changes become part of the work, and prove it again.",
      k.flag,
      false,
    ),
    extra: key(
      "Extra runs only for gates that take less: with the base's configuration, tests or code.",
      k.duration,
      "2m",
    ),
    packageFirst: key(
      "Run the gates of one package before all gates, so that a claim that breaks it is rejected early: `auto` in a project whose folder is a package of the workspace, `on` also for each claim that changes files of one package, `off` never.",
      k.oneOf(["auto", "on", "off"]),
      "auto",
    ),
    together: key(
      "If a session promises that everything is complete and names every open task: `on` settles the others without a session, `off` starts one for each.",
      k.oneOf(["on", "off"]),
      "on",
    ),
    reviewer: key("Harness that reviews each claim, after the gates.", k.unset(k.id), null),
    allowUnverified: key("Exit with 0 if complete without any gate.", k.flag, false),
  }),
  lanes: group("Lanes: checkouts in which agents work, and the room in which gates run.", {
    count: key("Agents that work at once, each in a lane: a number, or `auto`.", k.lanes, 1),
    gates: key("Proofs that run at once, each in a room.", k.count(1), 1),
    exclusiveGates: key("Run gates only while no session works: all lanes share a database.", k.flag, false),
    inPlace: key("Work in your own files, on loan until the run ends, without a lane.", k.flag, false),
    folder: key("Folder for lanes; unset: the state folder, or beside the repository.", k.unset(k.path), null),
    setup: key(
      "Shell command that prepares a lane; unset: by lock file, such as `npm ci`; `none`: nothing.",
      k.unset(k.command),
      null,
    ),
    env: key("Environment variables of a lane; `{lane}`, `{port}` and `{port+1}` are filled in.", k.variables, {}),
    keep: key("Patterns for ignored files that the room keeps.", k.lines, []),
  }),
  git: group("Git.", {
    commit: key("Let the branch follow verified work.", k.flag, true),
    branch: key("Branch to work on; unset: the current one.", k.unset(k.line), null),
    maxFile: key("Reject new files that are larger.", k.size, "5MB"),
  }),
  fleet: group("Several machines that share tasks and a git remote.", {
    remote: key("Git remote on whose branch all machines land.", k.line, "origin"),
    lease: key("How long a machine may be silent before others take over.", k.duration, "1m"),
    patience: key("How long ready tasks wait for a machine that takes one, before the run ends.", k.duration, "10m"),
  }),
  commit: group("Commits.", {
    allow: key(
      "Patterns for changes to allow: secrets, large files, links that lead outside, ignored files, nested repositories.",
      k.lines,
      [],
    ),
  }),
  limits: group("Limits. Durations like `30s`, `5m`, `1m30s`, `2h`; sizes like `64KB`, `5MB`.", limits),
  hooks: listKey("Commands and sessions to run when something happens.", {
    name: "list of hooks",
    fields: hook,
    schema: hookList(),
    fallback: [],
  }),
  layouts: key(
    "Folders with changes and modules, in search order; `.specify`: the features of spec-kit, in `specs/`.",
    k.paths,
    [...LAYOUTS],
  ),
  notify: group("Who is told when a run ends, waits for a limit or needs a person; `ralphctl notify test` tries it.", {
    terminal: key("Bell and desktop notification, if the run is at a terminal.", k.oneOf(["on", "off"]), "on"),
    ntfy: key(
      "Address of a topic, `https://ntfy.sh/TOPIC`; `$NAME` is read from that variable.",
      k.unset(k.line),
      null,
    ),
    slack: key("Address of an incoming webhook, or `$NAME`.", k.unset(k.line), null),
    discord: key("Address of a webhook, or `$NAME`.", k.unset(k.line), null),
    telegram: key("Token of a bot, or `$NAME`.", k.unset(k.line), null),
    telegramChat: key("The chat that the bot writes to.", k.unset(k.line), null),
    webhook: key("Address that gets the event as JSON, or `$NAME`.", k.unset(k.line), null),
  }),
  workflows: key("Folders with workflow files.", k.paths, [".claude/workflows", ".ralph/workflows"]),
  plugins: key("Folder with workflow files for each plugin, for workflows named `PLUGIN:NAME`.", k.pathsByName, {}),
  sprint: group("Sprints.", {
    idleThreshold: key("Iterations in a row without a new step before reflection.", k.count(1), 3),
  }),
  redact: group("Secrets, which events, reports, webhooks and prompts show by their names.", {
    variables: key(
      "Patterns for names of variables whose values are secrets, beside `*TOKEN*`, `*KEY*`, `*_PASSWORD` and the like.",
      k.lines,
      [],
    ),
    forms: key(
      "Forms of your own secrets, such as `acme_*`; `*` stands for letters, digits, `_` and `-`.",
      k.lines,
      [],
    ),
    allow: key("Names of variables or forms, or texts, that are no secrets.", k.lines, []),
  }),
  ...programKeys,
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
  return z.array(strictMapping(gate, MAPPING)).check(k.distinct("the id"));
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
  return z.array(one, "must be a list of hooks").check(k.distinct("the id"));
}
