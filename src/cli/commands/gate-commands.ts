import type { Command } from "../command.ts";
import { configFlag, jsonFlag } from "../flags.ts";

/** Commands for the checks that prove work. */
export const gateCommands: readonly Command[] = [
  {
    name: "gates show",
    isDefault: true,
    summary: "list gates, and the files that decide what each of them checks",
    args: [
      {
        name: "id",
        doc: "only this gate, or those that decide about this task or package",
        completes: "gate",
        isOptional: true,
      },
    ],
    options: [configFlag, jsonFlag],
    examples: [
      "ralphctl gates",
      "ralphctl gates show test",
      "ralphctl gates show t-1a2b3c4d --json",
      "ralphctl gates show packages/ui",
    ],
    load: async () => ({ run: (await import("./gates.ts")).show }),
  },
  {
    name: "gates approve",
    summary: "let checks that agents wrote verify work, as they are now",
    args: [{ name: "ids", doc: "the gates; default: all that agents wrote", isOptional: true, isRest: true }],
    options: [configFlag, jsonFlag],
    examples: ["ralphctl gates approve", "ralphctl gates approve test"],
    load: async () => await import("./gates-approve.ts"),
  },
];
