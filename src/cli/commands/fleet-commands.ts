import type { Argument, Command } from "../command.ts";
import { jsonFlag } from "../flags.ts";

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
    name: "fleet init",
    summary: "set up a PostgreSQL for the tasks of several machines",
    args: [address],
    options: [{ flags: "--print-sql", doc: "print the statements that set it up, and do nothing" }, jsonFlag],
    examples: ["ralphctl fleet init postgres://ralph@db.example.com/ralph", "ralphctl fleet init --print-sql"],
    load: async () => ({ run: (await import("./fleet.ts")).init }),
  },
];
