import { SPRINT_MODES } from "../../domain/prompt/sprint.ts";
import type { Argument, Command, Option } from "../command.ts";
import { SHELLS } from "../completion-scripts.ts";
import { configFlag, jsonFlag, promptFlags, scopeFlags } from "../flags.ts";
import { outputFlags, RUN_MODES, runOptions, stepOptions } from "../run-flags.ts";
import { agentCommands } from "./agent-commands.ts";
import { configCommands } from "./config-commands.ts";
import { fleetCommands } from "./fleet-commands.ts";
import { gateCommands } from "./gate-commands.ts";
import { inspectionCommands } from "./inspection.ts";
import { laneCommands } from "./lane-commands.ts";
import { taskCommands } from "./task.ts";
import { trustFlag } from "../trust-question.ts";

const sprintFolder: Argument = {
  name: "dir",
  doc: "the folder with SPRINT.yaml or PROGRESS.yaml",
  completes: "sprint",
};
const strictFlag: Option = { flags: "--strict", doc: "treat warnings about its files as errors" };

/** Every command there is. Help, completion, parser and reference are made from this table. */
export const commands: readonly Command[] = [
  {
    name: "init",
    group: "Start",
    summary: "set up this repository as a workspace, or add a project",
    options: [
      { flags: "--project <name>", doc: "also create projects/<name>" },
      { flags: "--here", doc: "set up this folder, not the whole repository" },
      { flags: "-y, --yes", doc: "accept the defaults, and commit the files" },
      { flags: "--force", doc: "overwrite existing files" },
      { flags: "--dry-run", doc: "show what would be written, and write nothing" },
      { flags: "--try", doc: "run the checks once in a fresh checkout, and show which lines are missing" },
      trustFlag,
    ],
    examples: ["ralphctl init", "ralphctl init --project auth-system --yes"],
    load: async () => await import("./init.ts"),
  },
  {
    name: "run",
    summary: "run agents until the work is proven done",
    args: [
      {
        name: "mode",
        doc: "plan, build or auto (default); other text describes the work",
        proposes: RUN_MODES,
        isOptional: true,
      },
      { name: "words", doc: "what to do, in quotes", isOptional: true, isRest: true },
    ],
    options: runOptions,
    examples: [
      "ralphctl run",
      "ralphctl run plan --project auth-system",
      'ralphctl run "Add a login page" --max-cost 5',
      "ralphctl run --task t-1a2b3c4d --max-iterations 3",
      "ralphctl run --continue-ready --max-cost 20",
      "ralphctl run --status",
    ],
    load: async () => await import("./run.ts"),
  },
  {
    name: "step",
    summary: "work on one task together with an agent; gates decide",
    args: [
      {
        name: "mode",
        doc: "plan or build; other text describes the work",
        proposes: ["plan", "build"],
        isOptional: true,
      },
      { name: "words", doc: "what to do, in quotes", isOptional: true, isRest: true },
    ],
    options: stepOptions,
    examples: ["ralphctl step", 'ralphctl step "Add a login page"', "ralphctl step plan --project auth-system"],
    load: async () => await import("./step.ts"),
  },
  {
    name: "demo",
    group: "Start",
    summary: "watch a complete run on a repository of its own",
    options: outputFlags,
    examples: ["ralphctl demo"],
    load: async () => await import("./demo.ts"),
  },
  {
    name: "prompt",
    inSession: true,
    summary: "show exactly the prompt an agent would get",
    args: [
      {
        name: "mode",
        doc: "which prompt; the last three are for sprints (default: build)",
        choices: ["plan", "build", ...SPRINT_MODES],
        isOptional: true,
      },
    ],
    options: [
      ...scopeFlags,
      { flags: "--iteration <n>", doc: "the iteration it is for (default: 1)" },
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
    summary: "add a paragraph that agents get from the next iteration on",
    args: [{ name: "text", doc: "the text to add; - reads it from standard input", isRest: true }],
    options: [...scopeFlags, configFlag],
    examples: ['ralphctl context add "Use the existing mailer, do not write a new one"'],
    load: async () => ({ run: (await import("./context.ts")).add }),
  },
  {
    name: "context show",
    inSession: true,
    isDefault: true,
    summary: "print the added context",
    options: [...scopeFlags, configFlag, jsonFlag],
    load: async () => ({ run: (await import("./context.ts")).show }),
  },
  {
    name: "context clear",
    summary: "remove all added context",
    options: [...scopeFlags, configFlag],
    load: async () => ({ run: (await import("./context.ts")).clear }),
  },
  {
    name: "project list",
    isDefault: true,
    summary: "list projects and the state of each",
    options: [configFlag, jsonFlag],
    examples: ["ralphctl project list", "ralphctl init --project auth-system"],
    load: async () => ({ run: (await import("./scope-list.ts")).projects }),
  },
  {
    name: "change list",
    isDefault: true,
    summary: "list changes and the state of each",
    options: [configFlag, jsonFlag],
    examples: ["ralphctl change list", "ralphctl run --change add-dark-mode"],
    load: async () => ({ run: (await import("./scope-list.ts")).changes }),
  },
  {
    name: "sprint start",
    summary: "check a sprint's files, create its PROGRESS.yaml and tasks",
    args: [sprintFolder],
    options: [strictFlag, configFlag, trustFlag],
    examples: ["ralphctl sprint start sprints/login", "ralphctl run --sprint sprints/login"],
    load: async () => ({ run: (await import("./sprint.ts")).start }),
  },
  {
    name: "sprint status",
    summary: "show a sprint's goal, steps and progress",
    args: [sprintFolder],
    options: [strictFlag, configFlag, jsonFlag],
    examples: ["ralphctl sprint status sprints/login --json"],
    load: async () => ({ run: (await import("./sprint.ts")).status }),
  },
  {
    name: "sprint stop",
    summary: "stop a sprint's run; again stops it at once",
    args: [sprintFolder],
    options: [{ flags: "--after", doc: "let it finish its current iteration" }, configFlag],
    examples: ["ralphctl sprint stop sprints/login"],
    load: async () => ({ run: (await import("./sprint.ts")).stop }),
  },
  {
    name: "verify",
    summary: "run the gates; with --all, find what broke them",
    args: [
      {
        name: "task",
        doc: "also run its own gates, and show how it was verified",
        completes: "task",
        isOptional: true,
      },
    ],
    options: [
      { flags: "--clean", doc: "use a clean checkout of HEAD, after verify.setup" },
      { flags: "--all", doc: "check HEAD by the gates of every done task too; reopens tasks whose commits broke one" },
      { flags: "--since <ref>", doc: "with --all: search for culprits only after this commit" },
      { flags: "--validation-command <command>", doc: "an extra gate: a command that must exit with 0" },
      ...scopeFlags,
      configFlag,
      trustFlag,
      jsonFlag,
    ],
    examples: ["ralphctl verify", "ralphctl verify t-1a2b3c4d --clean", "ralphctl verify --all --since v1.0"],
    load: async () => await import("./verify.ts"),
  },
  ...gateCommands,
  ...laneCommands,
  ...fleetCommands,
  ...inspectionCommands,
  {
    name: "stop",
    summary: "stop the run in this working tree; again stops it at once",
    options: [{ flags: "--after", doc: "let it finish its current iteration" }],
    examples: ["ralphctl stop", "ralphctl stop --after"],
    load: async () => ({ run: (await import("./stop.ts")).stop }),
  },
  {
    name: "pause",
    summary: "pause the run after its current iteration",
    load: async () => ({ run: (await import("./stop.ts")).pause }),
  },
  {
    name: "resume",
    summary: "resume a paused run, or end its wait for a limit",
    load: async () => ({ run: (await import("./stop.ts")).resume }),
  },
  ...configCommands,
  {
    name: "notify test",
    group: "Settings",
    isDefault: true,
    summary: "send a test message to everybody that notify names",
    options: [configFlag, trustFlag],
    examples: ["ralphctl notify test"],
    load: async () => ({ run: (await import("./notify.ts")).test }),
  },
  {
    name: "doctor",
    group: "Settings",
    summary: "check the setup, and say how to fix problems",
    options: [
      { flags: "--probe", doc: "also prompt each agent, ask its MCP servers, and run the gates in a fresh checkout" },
      { flags: "--fix", doc: "first end and save what killed runs left in lanes" },
      trustFlag,
      jsonFlag,
    ],
    load: async () => await import("./doctor.ts"),
  },
  {
    name: "trust",
    group: "Settings",
    summary: "show what a repository's files start and set; trust it",
    options: [
      { flags: "-y, --yes", doc: "trust it without a question" },
      { flags: "--forget", doc: "forget that it was trusted" },
      { flags: "--list", doc: "list everything that you have trusted" },
      { flags: "--sprint <dir>", doc: "with the hooks and gates of this sprint", completes: "sprint" },
      configFlag,
      jsonFlag,
    ],
    examples: ["ralphctl trust", "ralphctl trust --yes", "ralphctl trust --forget"],
    load: async () => await import("./trust.ts"),
  },
  {
    name: "mcp",
    group: "Settings",
    inSession: true,
    summary: "serve tasks to agents over the Model Context Protocol",
    examples: ["claude mcp add ralphctl -- ralphctl mcp", "codex mcp add ralphctl -- ralphctl mcp"],
    load: async () => await import("./mcp.ts"),
  },
  {
    name: "upgrade",
    group: "Settings",
    summary: "say whether there is a newer version; changes nothing",
    options: [{ flags: "--check", doc: "the same: it never does more" }],
    examples: ["ralphctl upgrade --check"],
    load: async () => await import("./upgrade.ts"),
  },
  {
    name: "completion",
    group: "Settings",
    summary: "print a shell completion script",
    args: [{ name: "shell", doc: "your shell", choices: SHELLS }],
    examples: [
      'eval "$(ralphctl completion bash)"   # in ~/.bashrc',
      "source <(ralphctl completion zsh)    # in ~/.zshrc",
      "ralphctl completion fish | source    # in ~/.config/fish/config.fish",
    ],
    load: async () => ({ run: (await import("./complete.ts")).script }),
  },
  {
    name: "complete",
    group: "Settings",
    summary: "answer a shell that completes a command line",
    args: [{ name: "words", doc: "the words so far", isRest: true }],
    hidden: true,
    inSession: true,
    load: async () => ({ run: (await import("./complete.ts")).propose }),
  },
  ...agentCommands,
];
