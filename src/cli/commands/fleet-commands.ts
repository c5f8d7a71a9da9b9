import type { Argument, Command } from "../command.ts";
import { configFlag, jsonFlag } from "../flags.ts";
import { trustFlag } from "../trust-question.ts";

const address: Argument = {
  name: "url",
  doc: "postgres://USER@HOST/DATABASE, or @FILE that holds it; default: RALPHCTL_FLEET_URL",
  isOptional: true,
};

/** Commands for several machines that share their tasks. */
export const fleetCommands: readonly Command[] = [
  {
    name: "fleet status",
    isDefault: true,
    summary: "show what the machines of a fleet do",
    args: [address],
    options: [jsonFlag],
    examples: ["ralphctl fleet status", "ralphctl fleet status --json"],
    load: async () => ({ run: (await import("./fleet.ts")).status }),
  },
  {
    name: "worker",
    summary: "work on the runs of a fleet, until it is stopped",
    options: [
      { flags: "--lanes <n>", doc: "how many agents work at once, each in a lane; auto: as the machine allows" },
      { flags: "--harness <name>", doc: "the agent; tried in order if several: claude,codex", completes: "harness" },
      { flags: "--model <name>", doc: "use this model in every iteration, and no other" },
      { flags: "--once", doc: "end with the first run" },
      configFlag,
      trustFlag,
    ],
    examples: ["ralphctl worker", "ralphctl worker --lanes 4", "ralphctl worker --once --harness claude,codex"],
    load: async () => await import("./worker.ts"),
  },
  {
    name: "fleet init",
    summary: "set up a PostgreSQL for the tasks of several machines",
    args: [address],
    options: [{ flags: "--print-sql", doc: "print the statements that set it up, and do nothing" }, jsonFlag],
    examples: ["ralphctl fleet init postgres://ralph@db.example.com/ralph", "ralphctl fleet init --print-sql"],
    load: async () => ({ run: (await import("./fleet.ts")).init }),
  },
];
