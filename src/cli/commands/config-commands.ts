import type { Command, Option } from "../command.ts";
import { configFlag, jsonFlag } from "../flags.ts";

const userFlag: Option = { flags: "--user", doc: "in your own file, for all workspaces" };

/** Commands about the configuration. */
export const configCommands: readonly Command[] = [
  {
    name: "config get",
    group: "Settings",
    isDefault: true,
    summary: "print a value and where it comes from, or all values",
    args: [{ name: "key", doc: "such as limits.cost; default: all keys", completes: "config-key", isOptional: true }],
    options: [configFlag, jsonFlag],
    examples: ["ralphctl config get", "ralphctl config get limits.attempts"],
    load: async () => ({ run: (await import("./config.ts")).get }),
  },
  {
    name: "config set",
    group: "Settings",
    summary: "set a value in .ralph/config.yaml; comments stay",
    args: [
      { name: "key", doc: "such as limits.cost", completes: "config-key" },
      { name: "value", doc: "the value; lists with commas: claude,codex", isRest: true },
    ],
    options: [userFlag],
    examples: ["ralphctl config set limits.cost 5", "ralphctl config set harness claude,codex --user"],
    load: async () => ({ run: (await import("./config.ts")).set }),
  },
  {
    name: "config unset",
    group: "Settings",
    summary: "remove a value from .ralph/config.yaml",
    args: [{ name: "key", doc: "such as limits.cost", completes: "config-key" }],
    options: [userFlag],
    examples: ["ralphctl config unset limits.cost"],
    load: async () => ({ run: (await import("./config.ts")).unset }),
  },
  {
    name: "config edit",
    group: "Settings",
    summary: "open .ralph/config.yaml in your editor; checks before it saves",
    options: [userFlag],
    examples: ["ralphctl config edit"],
    load: async () => ({ run: (await import("./config.ts")).edit }),
  },
  {
    name: "config path",
    group: "Settings",
    summary: "print the configuration files in use, highest precedence first",
    options: [configFlag, jsonFlag],
    load: async () => ({ run: (await import("./config.ts")).path }),
  },
  {
    name: "config schema",
    group: "Settings",
    summary: "print the JSON Schema of the configuration, for editors",
    load: async () => ({ run: (await import("./config.ts")).schema }),
  },
];
