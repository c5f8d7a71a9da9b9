import { join } from "node:path";
import { RalphError } from "../domain/error.ts";
import { ACP_AGENTS, knownAgent, sharedWith } from "./acp-agents.ts";
import { createAcpReader } from "./acp-reader.ts";
import { type Harness, type HarnessSettings, option, wholePrompt } from "./harness.ts";

/**
 * Any agent that speaks the Agent Client Protocol. That is a conversation, so a program of ours has it (`acp-agent`), and
 * prints all of it.
 */
export const acp: Harness = {
  start: (session) => {
    const { settings, model, self } = session;
    const [file, ...args] = self;
    const { env: tells, logVariable } = knownAgent(wordsOf(settings)) ?? {};
    const log = logVariable === undefined ? {} : { [logVariable]: join(session.folder, "agent.log") };
    const env = { ...tells, ...log, ...settings.env };
    const own = ["acp-agent", ...option("--model", model), "--permissions", settings.permissions];
    return {
      file,
      args: [...args, ...own, ...option("--log", env[logVariable ?? ""]), "--", ...agentCommand(settings)],
      env,
      stdin: wholePrompt(session),
      files: [],
    };
  },

  reader: createAcpReader,

  behind: ({ bin, run }) => bin ?? programIn(run ?? ""),

  told: (settings) => {
    const known = knownAgent(wordsOf(settings));
    if (known === undefined) return acp;
    const { title, login, program, package: ofNpm } = known;
    // A program of npm that starts it may be missing, too.
    const isItself = acp.behind?.(settings) === program && ofNpm !== undefined;
    return { ...acp, ...sharedWith(known), facts: { ...acp.facts, title, login, ...(isItself && { package: ofNpm }) } };
  },

  facts: {
    title: "Any agent that speaks ACP",
    stopOrder: [
      // Enough for the steps of our program: the agent cancels its turn, its input is closed, it gets signals.
      { signal: "SIGINT", waitMs: 6000 },
      { signal: "SIGTERM", waitMs: 2000 },
    ],
    usage: "session",
    cost: "none",
    takesSystemPrompt: false,
    takesSessionId: false,
    permissions: ({ permissions }) =>
      permissions === "allow"
        ? "is allowed whatever it asks for, each time once (permissions: allow)"
        : "is refused whatever it asks for (permissions: reject)",
    login: "Run the agent in a terminal and log in there, or set its key in `env` of the harness",
    agents: ACP_AGENTS,
    quirks: [
      "ralphctl speaks version 1 of the Agent Client Protocol, and offers the agent neither files nor terminals: it uses its own.",
      "To stop it, ralphctl cancels its turn, then closes its input, then sends SIGTERM and SIGKILL.",
      "A request for permission is answered with an option for this once, by `permissions`; never with one that lasts.",
      "A model must be one that the agent offers; for others, use the agent's own settings.",
      "Tokens and cost are known only if the agent sends them.",
      "So that they tell what they wait for, OpenCode gets OPENCODE_PRINT_LOGS, Qwen Code QWEN_CODE_UNATTENDED_RETRY, and Gemini CLI GEMINI_DEBUG_LOG_FILE.",
    ],
  },
};

const wordsOf = ({ bin, run, args }: HarnessSettings): string[] => [
  ...(run === null ? [bin ?? ""] : run.split(/\s+/)),
  ...args,
];

/** Of a shell command the first word, if that is the plain name of a program; the shell's own words are none. */
function programIn(run: string): string | undefined {
  const first = /^(?:exec\s+)?([\w./@+-]+)(?=\s|$)/.exec(run.trim())?.[1];
  return first === undefined || OF_SHELL.has(first) ? undefined : first;
}

const OF_SHELL: ReadonlySet<string> = new Set(
  (
    "if then else elif fi case esac for while until do done in function . : alias bg break cd command continue eval exec " +
    "exit export fg getopts hash jobs local read readonly return set shift source times trap type ulimit umask unalias " +
    "unset wait"
  ).split(" "),
);

function agentCommand({ bin, run, args }: HarnessSettings): readonly string[] {
  if (run !== null) return ["/bin/sh", "-c", `${run} "$@"`, "sh", ...args];
  if (bin !== null) return [bin, ...args];
  const known = ACP_AGENTS.map((agent) => agent.run).join(", ");
  throw new RalphError("config", "A harness of the kind acp has no agent to start", {
    hint: `Set \`run\` of the harness to the agent's command, such as: ${known}`,
  });
}
