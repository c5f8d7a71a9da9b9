import type { Argument, Command } from "../command.ts";
import { configFlag, jsonFlag } from "../flags.ts";
import { trustFlag } from "../trust-question.ts";

const lane: Argument = { name: "lane", doc: "its number, or room" };

/** Commands for lanes, and for work on its way to the branch. */
export const laneCommands: readonly Command[] = [
  {
    name: "land",
    summary: "let your branch follow the work that landed",
    options: [configFlag, jsonFlag, trustFlag],
    examples: ["ralphctl land", "ralphctl land --json"],
    load: async () => await import("./land.ts"),
  },
  {
    name: "undo",
    summary: "take back what a run or task landed, and reopen its tasks",
    args: [
      {
        name: "subject",
        doc: "a run or a task; default: the newest run that landed work",
        completes: "run",
        isOptional: true,
      },
    ],
    options: [
      {
        flags: "--move-branch",
        doc: "move the branch back instead of adding revert commits; only if nobody else has them",
      },
      { flags: "-y, --yes", doc: "do not ask" },
      configFlag,
      jsonFlag,
    ],
    examples: ["ralphctl undo", "ralphctl undo t-1a2b3c4d", "ralphctl undo r-20261116 --move-branch"],
    load: async () => await import("./undo.ts"),
  },
  {
    name: "lanes show",
    isDefault: true,
    summary: "list lanes, unfinished work, and what was saved",
    options: [configFlag, jsonFlag],
    examples: ["ralphctl lanes", "ralphctl lanes show --json"],
    load: async () => ({ run: (await import("./lanes.ts")).show }),
  },
  {
    name: "lanes open",
    summary: "print the command that changes to a lane's folder",
    args: [lane],
    options: [configFlag],
    examples: ["ralphctl lanes open 1", 'eval "$(ralphctl lanes open 1)"'],
    load: async () => ({ run: (await import("./lanes.ts")).open }),
  },
  {
    name: "lanes take",
    summary: "bring a task's unproven work into your tree, uncommitted",
    args: [{ name: "task", doc: "its id or a prefix", completes: "open-task" }],
    options: [configFlag],
    examples: ["ralphctl lanes take t-1a2b3c4d"],
    load: async () => ({ run: (await import("./lanes.ts")).take }),
  },
  {
    name: "lanes drop",
    summary: "let the next session begin without a task's unproven work",
    args: [{ name: "task", doc: "its id or a prefix", completes: "open-task" }],
    options: [configFlag],
    examples: ["ralphctl lanes drop t-1a2b3c4d"],
    load: async () => ({ run: (await import("./lanes.ts")).drop }),
  },
  {
    name: "lanes rm",
    summary: "remove a lane, after saving what only it has",
    args: [lane],
    options: [configFlag],
    examples: ["ralphctl lanes rm 1"],
    load: async () => ({ run: (await import("./lanes.ts")).rm }),
  },
  {
    name: "lanes gc",
    summary: "remove all lanes, and work of settled tasks",
    options: [{ flags: "--lost", doc: "also remove saved files older than 30 days" }, configFlag],
    examples: ["ralphctl lanes gc", "ralphctl lanes gc --lost"],
    load: async () => ({ run: (await import("./lanes.ts")).gc }),
  },
];
