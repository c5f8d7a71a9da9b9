import { SPRINT_MODES } from "../../domain/prompt/sprint.ts";
import type { Command } from "../command.ts";
import { SHELLS } from "../completion.ts";
import { configFlag, jsonFlag, promptFlags, scopeFlags } from "../flags.ts";
import { outputFlags, RUN_MODES, runOptions } from "../run-flags.ts";
import { SETTINGS, START, WORK } from "./groups.ts";
import { taskCommands } from "./task.ts";

/** Every command there is. Help, completion, parser and reference are made from this table. */
export const commands: readonly Command[] = [
  {
    name: "init",
    group: START,
    summary: "make this repository a workspace, or add a project",
    options: [
      { flags: "--project <name>", doc: "also create projects/<name>" },
      { flags: "-y, --yes", doc: "accept the defaults, commit what was written" },
      { flags: "--force", doc: "replace files that exist" },
    ],
    examples: ["ralphctl init", "ralphctl init --project auth-system --yes"],
    load: async () => await import("./init.ts"),
  },
  {
    name: "run",
    group: WORK,
    summary: "let agents work until it is proven done",
    args: [
      {
        name: "mode",
        doc: "plan, build or auto (default); any other text is what to do",
        proposes: RUN_MODES,
        isOptional: true,
      },
      { name: "words", doc: "what to do, in quotes", isOptional: true },
    ],
    options: runOptions,
    examples: [
      "ralphctl run",
      "ralphctl run plan --project auth-system",
      'ralphctl run "Add a login page" --max-cost 5',
      "ralphctl run --task t-1a2b3c4d --max-iterations 3",
      "ralphctl run --status",
    ],
    load: async () => await import("./run.ts"),
  },
  {
    name: "demo",
    group: START,
    summary: "play the whole story in a temporary repository, without an account",
    options: outputFlags,
    examples: ["ralphctl demo"],
    load: async () => await import("./demo.ts"),
  },
  {
    name: "prompt",
    group: WORK,
    inSession: true,
    summary: "show exactly what an agent would be sent",
    args: [
      {
        name: "mode",
        doc: "which prompt; the last three are a sprint's (default: build)",
        choices: ["plan", "build", ...SPRINT_MODES],
        isOptional: true,
      },
    ],
    options: [
      ...scopeFlags,
      { flags: "--iteration <n>", doc: "the iteration that it is for (default: 1)" },
      ...promptFlags,
      configFlag,
      jsonFlag,
      { flags: "-q, --quiet", doc: "print the prompt alone, without headings" },
    ],
    examples: [
      "ralphctl prompt plan --project auth-system",
      "ralphctl prompt build --iteration 3 --json",
      "ralphctl prompt executing --sprint sprints/login --iteration 2",
    ],
    load: async () => await import("./prompt.ts"),
  },
  ...taskCommands,
  {
    name: "context add",
    group: WORK,
    summary: "add a paragraph; a running loop sees it from its next iteration on",
    args: [{ name: "text", doc: "what to add; - reads it from standard input", isRest: true }],
    options: [...scopeFlags, configFlag],
    examples: ['ralphctl context add "Use the existing mailer, do not write a new one"'],
    load: async () => await import("./context-add.ts"),
  },
  {
    name: "context show",
    group: WORK,
    inSession: true,
    isDefault: true,
    summary: "print what was added",
    options: [...scopeFlags, configFlag, jsonFlag],
    load: async () => await import("./context-show.ts"),
  },
  {
    name: "context clear",
    group: WORK,
    summary: "remove all that was added",
    options: [...scopeFlags, configFlag],
    load: async () => await import("./context-clear.ts"),
  },
  {
    name: "stop",
    group: WORK,
    summary: "stop the run of this working tree; again: kill its agent",
    options: [{ flags: "--after", doc: "let it finish the iteration that it is in" }],
    examples: ["ralphctl stop", "ralphctl stop --after"],
    load: async () => await import("./stop.ts"),
  },
  {
    name: "pause",
    group: WORK,
    summary: "let the run finish its iteration, and begin no other",
    load: async () => await import("./pause.ts"),
  },
  {
    name: "resume",
    group: WORK,
    summary: "end the pause of the run, or its wait for a limit",
    load: async () => await import("./resume.ts"),
  },
  {
    name: "config get",
    group: SETTINGS,
    isDefault: true,
    summary: "print a value and where it comes from, or all values",
    args: [{ name: "key", doc: "such as limits.cost; without it, everything", isOptional: true }],
    options: [configFlag, jsonFlag],
    examples: ["ralphctl config get", "ralphctl config get limits.attempts"],
    load: async () => await import("./config-get.ts"),
  },
  {
    name: "config path",
    group: SETTINGS,
    summary: "print the files that were read, the strongest first",
    options: [configFlag, jsonFlag],
    load: async () => await import("./config-path.ts"),
  },
  {
    name: "config schema",
    group: SETTINGS,
    summary: "print the JSON Schema of the configuration, for editors",
    load: async () => await import("./config-schema.ts"),
  },
  {
    name: "doctor",
    group: SETTINGS,
    summary: "look for what is wrong, and say how to mend it",
    options: [jsonFlag],
    load: async () => await import("./doctor.ts"),
  },
  {
    name: "completion",
    group: SETTINGS,
    summary: "print a script that completes commands in a shell",
    args: [{ name: "shell", doc: "the shell that you use", choices: SHELLS }],
    examples: [
      "source <(ralphctl completion bash)",
      "source <(ralphctl completion zsh)",
      "ralphctl completion fish | source",
    ],
    load: async () => await import("./completion.ts"),
  },
  {
    name: "complete",
    group: SETTINGS,
    summary: "answer a shell that completes a command line",
    args: [{ name: "words", doc: "the words so far", isRest: true }],
    hidden: true,
    inSession: true,
    load: async () => await import("./complete.ts"),
  },
  {
    name: "scripted-agent",
    group: SETTINGS,
    summary: "play a session of a script, as an agent would",
    args: [{ name: "script", doc: "a YAML or JSON file" }],
    hidden: true,
    inSession: true,
    load: async () => await import("./scripted-agent.ts"),
  },
];
