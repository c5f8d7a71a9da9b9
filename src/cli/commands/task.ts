import { taskStates } from "../../domain/task-state.ts";
import { trustFlag } from "../trust-question.ts";
import type { Argument, Command, Option } from "../command.ts";
import { configFlag, jsonFlag, taskScopeFlags } from "../flags.ts";

const ID: Argument = { name: "id", doc: "the task, by id or unique prefix", completes: "task" };
const IDS: Argument = { name: "ids", doc: "the tasks, by id or unique prefix", completes: "task", isRest: true };
const OPEN_IDS: Argument = { ...IDS, completes: "open-task" };
const ENDED_IDS: Argument = { ...IDS, completes: "ended-task" };
const PLANS = ["IMPLEMENTATION_PLAN.md", "tasks.md", "PROGRESS.yaml", "prd.json", "Backlog.md"];
const FORMATS = ["jsonl", ...PLANS, "beads", "task-master", "progress.db"];
const SCOPE: readonly Option[] = [...taskScopeFlags, configFlag];
const REASON: Option = { flags: "--reason <text>", doc: "why" };

const ACCEPTANCE: Option = {
  flags: "--acceptance <text>",
  doc: "what must be true when it is done",
  isRepeatable: true,
};
const TAG: Option = { flags: "--tag <word>", doc: "a label to find it by", isRepeatable: true };
const GATE: Option = { flags: "--gate <id=command>", doc: "an extra check for this task", isRepeatable: true };
const MAY_CHANGE: Option = {
  flags: "--may-change <pattern>",
  doc: "files that decide the proof, or that no commit should have, and that it may change",
  isRepeatable: true,
};
const DESCRIPTION: Option = { flags: "-d, --description <text>", doc: "what the title does not say" };

const emptied = ({ flags, doc }: Option): Option => ({
  flags,
  doc: `${doc}; replaces the old ones, "" removes them`,
  isRepeatable: true,
});

/** Commands that only read tasks. */
const questions: readonly Command[] = [
  {
    name: "task list",
    inSession: true,
    isDefault: true,
    summary: "list tasks, oldest first",
    options: [
      ...SCOPE,
      { flags: "--status <state>", doc: "only in this state", choices: taskStates, isRepeatable: true },
      { flags: "--tag <word>", doc: "only with this tag" },
      { flags: "--text <text>", doc: "only with this text in title or description" },
      { flags: "--parent <id>", doc: "only parts of this task", completes: "task" },
      { flags: "--limit <n>", doc: "at most N (default: all)" },
      jsonFlag,
    ],
    examples: ["ralphctl task list", "ralphctl task list --status failed --status parked --json"],
    load: async () => ({ run: (await import("./task-list.ts")).list }),
  },
  {
    name: "task show",
    inSession: true,
    summary: "show everything about a task",
    args: [ID],
    options: [jsonFlag],
    load: async () => ({ run: (await import("./task-show.ts")).show }),
  },
  {
    name: "task ready",
    inSession: true,
    summary: "list tasks that can be worked on now, next first",
    options: [...SCOPE, { flags: "--limit <n>", doc: "at most N (default: 100)" }, jsonFlag],
    load: async () => ({ run: (await import("./task-list.ts")).ready }),
  },
  {
    name: "task tree",
    inSession: true,
    summary: "show tasks as a tree",
    args: [{ name: "id", doc: "only this task and its subtasks", completes: "task", isOptional: true }],
    options: [...SCOPE, jsonFlag],
    load: async () => ({ run: (await import("./task-list.ts")).tree }),
  },
  {
    name: "task graph",
    summary: "draw the dependency graph",
    options: [
      ...SCOPE,
      { flags: "--mermaid", doc: "print the whole graph for Mermaid" },
      { flags: "--dot", doc: "print the whole graph for Graphviz" },
      jsonFlag,
    ],
    examples: ["ralphctl task graph", "ralphctl task graph --dot | dot -Tsvg > tasks.svg"],
    load: async () => await import("./task-graph.ts"),
  },
];

const additions: readonly Command[] = [
  {
    name: "task add",
    inSession: true,
    summary: "add a task and print its id",
    args: [
      { name: "title", doc: "one line; - reads many from standard input, as JSONL or a Markdown list", isRest: true },
    ],
    options: [
      { flags: "--needs <id>", doc: "a task that must be done first", completes: "task", isRepeatable: true },
      { flags: "--parent <id>", doc: "its parent task", completes: "task" },
      { flags: "--priority <n>", doc: "lower goes first (default: 2)" },
      DESCRIPTION,
      ACCEPTANCE,
      TAG,
      GATE,
      { flags: "--model <name>", doc: "the model to use for it" },
      { flags: "--attempts <n>", doc: "how many attempts it gets" },
      { flags: "--allow-no-change", doc: "passing gates are enough, even without a change" },
      MAY_CHANGE,
      ...SCOPE,
      jsonFlag,
    ],
    examples: [
      'ralphctl task add "Write the parser" --acceptance "It reads empty files"',
      'ralphctl task add "Use the parser" --needs t-1a2b --priority 1',
      "ralphctl task add - < ideas.md",
    ],
    load: async () => await import("./task-add.ts"),
  },
];

/** Commands that edit a task. */
const words: readonly Command[] = [
  {
    name: "task edit",
    summary: "edit a task, in your editor if no option is given",
    args: [ID],
    options: [
      { flags: "--title <text>", doc: "one line" },
      DESCRIPTION,
      { flags: "--priority <n>", doc: "lower goes first" },
      emptied(ACCEPTANCE),
      emptied(TAG),
      emptied(GATE),
      { flags: "--parent <id>", doc: "its parent task, or none", completes: "task" },
      { flags: "--model <name>", doc: "the model to use for it, or none" },
      { flags: "--attempts <n>", doc: "how many attempts it gets, or none for the default" },
      { flags: "--allow-no-change <answer>", doc: "whether passing gates are enough", choices: ["yes", "no"] },
      emptied(MAY_CHANGE),
      { flags: "--summary <text>", doc: "what tasks that need it should know" },
      jsonFlag,
    ],
    load: async () => ({ run: (await import("./task-change.ts")).editTask }),
  },
  {
    name: "task log",
    inSession: true,
    summary: "print the log of a task, or add a note",
    args: [ID],
    options: [{ flags: "--add <text>", doc: "a note of your own" }, jsonFlag],
    load: async () => ({ run: (await import("./task-show.ts")).log }),
  },
];

/** Commands that change the state of tasks. */
const changes: readonly Command[] = [
  {
    name: "task done",
    inSession: true,
    summary: "mark tasks as done, if the gates pass",
    args: [OPEN_IDS],
    options: [{ flags: "--summary <text>", doc: "what tasks that need it should know" }, trustFlag, jsonFlag],
    load: async () => await import("./task-done.ts"),
  },
  {
    name: "task fail",
    inSession: true,
    summary: "mark tasks as failed",
    args: [OPEN_IDS],
    options: [REASON, jsonFlag],
    load: async () => ({ run: (await import("./task-change.ts")).failTasks }),
  },
  {
    name: "task reset",
    summary: "reopen tasks, with all their attempts",
    args: [ENDED_IDS],
    options: [jsonFlag],
    load: async () => ({ run: (await import("./task-change.ts")).resetTasks }),
  },
  {
    name: "task park",
    inSession: true,
    summary: "set a task aside until a question is answered",
    args: [
      { ...ID, completes: "open-task" },
      { name: "question", doc: "the question a person must answer", isRest: true },
    ],
    options: [jsonFlag],
    load: async () => ({ run: (await import("./task-change.ts")).parkTask }),
  },
  {
    name: "task answer",
    summary: "answer a parked task, and reopen it",
    args: [
      { ...ID, completes: "parked-task" },
      {
        name: "text",
        doc: "the answer, which is added to the description; yes settles a task that was done already; without it, a terminal shows the question and its change, and asks",
        isRest: true,
        isOptional: true,
      },
    ],
    options: [jsonFlag],
    load: async () => ({ run: (await import("./task-change.ts")).answerTask }),
  },
  {
    name: "task allow",
    summary: "let tasks change the files that they asked about, or were rejected for",
    args: [{ ...IDS, completes: "parked-task" }],
    options: [jsonFlag],
    load: async () => ({ run: (await import("./task-change.ts")).allowTasks }),
  },
  {
    name: "task approve",
    summary: "accept done tasks that ralphctl asks you to look at",
    args: [IDS],
    options: [jsonFlag],
    load: async () => ({ run: (await import("./task-approve.ts")).run }),
  },
  {
    name: "task drop",
    summary: "mark tasks as not to be done; tasks that need them go on",
    args: [OPEN_IDS],
    options: [REASON, jsonFlag],
    load: async () => ({ run: (await import("./task-change.ts")).dropTasks }),
  },
  {
    name: "task rm",
    summary: "delete tasks and their subtasks",
    args: [IDS],
    options: [jsonFlag],
    load: async () => ({ run: (await import("./task-change.ts")).removeTasks }),
  },
];

const NEEDS: Option = {
  flags: "--needs <id>",
  doc: "a task that must be done first",
  completes: "task",
  isRepeatable: true,
};
const MORE: Argument = { name: "more", doc: "more ids for --needs", completes: "task", isOptional: true, isRest: true };

const edges: readonly Command[] = [
  {
    name: "task dep add",
    summary: "make a task wait for others",
    args: [ID, MORE],
    options: [NEEDS, jsonFlag],
    examples: ["ralphctl task dep add t-1a2b --needs t-3c4d"],
    load: async () => ({ run: (await import("./task-dep.ts")).addNeeds }),
  },
  {
    name: "task dep rm",
    summary: "stop making a task wait for others",
    args: [ID, MORE],
    options: [NEEDS, jsonFlag],
    load: async () => ({ run: (await import("./task-dep.ts")).removeNeeds }),
  },
  {
    name: "task dep list",
    isDefault: true,
    summary: "list what a task needs and what needs it",
    args: [ID],
    options: [jsonFlag],
    load: async () => ({ run: (await import("./task-dep.ts")).listNeeds }),
  },
];

/** Import and export, for git, other tools and plan files. */
const files: readonly Command[] = [
  {
    name: "task import",
    summary: "add tasks from a JSONL export, a plan file or another tool; never drops any",
    args: [{ name: "file", doc: "the file; - reads JSONL from standard input", completes: "file" }],
    options: [
      ...SCOPE,
      { flags: "--format <name>", doc: `${FORMATS.slice(0, -1).join(", ")} or ${FORMATS.at(-1)}`, proposes: FORMATS },
      jsonFlag,
    ],
    examples: [
      "ralphctl task import tasks.jsonl",
      "ralphctl task import openspec/changes/014-01_add-docs/tasks.md",
      "ralphctl task import .beads/issues.jsonl",
    ],
    load: async () => await import("./task-import.ts"),
  },
  {
    name: "task export",
    summary: "print tasks as JSONL: one line each, sorted by id",
    args: [{ name: "file", doc: "write to this file instead", completes: "file", isOptional: true }],
    options: SCOPE,
    examples: ["ralphctl task export .ralph/tasks.jsonl", "ralphctl task export --project auth-system"],
    load: async () => await import("./task-export.ts"),
  },
];

export const taskCommands: readonly Command[] = [...additions, ...questions, ...words, ...changes, ...edges, ...files];
