import type { Command } from "../command.ts";

/** Programs that harnesses start: agents that ralphctl plays itself, and one that talks to an agent. */
export const agentCommands: readonly Command[] = [
  {
    name: "scripted-agent",
    group: "Settings",
    summary: "play a session of a script, as an agent would",
    args: [{ name: "script", doc: "a YAML or JSON file" }],
    hidden: true,
    inSession: true,
    load: async () => await import("./scripted-agent.ts"),
  },
  {
    name: "replay-agent",
    group: "Settings",
    summary: "play a recorded iteration, as an agent would",
    args: [{ name: "folder", doc: "the iteration, such as .ralph/runs/RUN/1" }],
    hidden: true,
    inSession: true,
    load: async () => await import("./replay-agent.ts"),
  },
  {
    name: "acp-agent",
    group: "Settings",
    summary: "hand a prompt to an agent that speaks ACP, and print what it says",
    args: [{ name: "command", doc: "the agent's command line", isRest: true }],
    options: [
      { flags: "--model <name>", doc: "the model to choose" },
      { flags: "--permissions <answer>", doc: "the answer to its questions", choices: ["allow", "reject"] },
      { flags: "--log <file>", doc: "print the warnings and errors of its log, too" },
    ],
    hidden: true,
    inSession: true,
    load: async () => await import("./acp-agent.ts"),
  },
];
