import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import type { Harness, KnownAgent } from "./harness.ts";
import { opencode } from "./opencode.ts";
import { qwen, QWEN_TELLS } from "./qwen.ts";

/** An agent that has a harness of its own, too. */
const like = ({ facts }: Harness, run: string, tells?: Pick<KnownAgent, "env" | "logVariable">): KnownAgent => ({
  title: `${facts.title} by ACP`,
  program: facts.program!,
  package: facts.package!,
  run,
  login: facts.login!,
  ...tells,
});

/** A program between ACP and an agent that does not speak it. */
const adapter = ({ facts }: Harness, program: string, aliases: readonly string[] = []): KnownAgent => ({
  title: `${facts.title} by its ACP adapter`,
  program,
  package: `@agentclientprotocol/${program}`,
  aliases,
  run: `npx @agentclientprotocol/${program}`,
  login: facts.login!,
});

/** The common ones, in the order in which they are named. */
export const ACP_AGENTS: readonly KnownAgent[] = [
  { title: "goose", program: "goose", run: "goose acp", login: "Run goose configure" },
  {
    title: "Cursor CLI",
    program: "cursor-agent",
    run: "cursor-agent acp",
    login: "Run cursor-agent login, or set CURSOR_API_KEY",
  },
  // It keeps its standard error to itself until its end.
  like(gemini, "gemini --acp", { logVariable: "GEMINI_DEBUG_LOG_FILE" }),
  like(opencode, "opencode acp", { env: { OPENCODE_PRINT_LOGS: "1", OPENCODE_LOG_LEVEL: "ERROR" } }),
  like(copilot, "copilot --acp"),
  like(qwen, "qwen --acp", { env: QWEN_TELLS }),
  adapter(claude, "claude-agent-acp", [
    "claude-code-acp",
    "@zed-industries/claude-agent-acp",
    "@zed-industries/claude-code-acp",
  ]),
  adapter(codex, "codex-acp", ["@zed-industries/codex-acp"]),
];

/** The known agent that a command line starts, by a word of it without folder and version. */
export function knownAgent(words: readonly string[]): KnownAgent | undefined {
  const names = new Set(words.map((word) => word.replace(/(?<=.)@[\w.-]+$/, "").replace(/^[./~].*\//, "")));
  return ACP_AGENTS.find(({ program, package: ofNpm = program, aliases = [] }) =>
    [program, ofNpm, ...aliases].some((name) => names.has(name)),
  );
}

/** Those that have a harness of their own, too, by their programs. */
const OWN_HARNESS: Readonly<Record<string, Harness>> = {
  gemini,
  opencode,
  copilot,
  qwen,
  "claude-agent-acp": claude,
  "codex-acp": codex,
};

/** Its files and servers are the same, however it is talked to. */
export function sharedWith({ program }: KnownAgent): Pick<Harness, "ownFiles" | "servers"> {
  const { ownFiles, servers } = OWN_HARNESS[program] ?? {};
  return { ...(ownFiles && { ownFiles }), ...(servers && { servers }) };
}
