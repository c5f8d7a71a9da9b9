import type { Harness } from "./harness.ts";

/** A file of a repository that a CLI obeys by itself, when a session begins. */
export interface RepositoryFile {
  /** From a folder of the repository. With `/**` at its end, all files below it: programs that the CLI loads. */
  readonly path: string;
  /** Keys at the top that start nothing, and send nothing elsewhere. A key that is not here needs trust. */
  readonly harmless?: readonly string[];
}

const CLAUDE = (
  "permissions model effortLevel outputStyle language includeCoAuthoredBy attribution cleanupPeriodDays " +
  "alwaysThinkingEnabled spinnerTipsEnabled respectGitignore plansDirectory disabledMcpjsonServers disableAllHooks"
).split(" ");
const GEMINI = "ui context model output privacy ide".split(" ");
const OPENCODE = "theme model small_model autoupdate keybinds permission username tui".split(" ");
const CODEX = (
  "model model_reasoning_effort model_reasoning_summary model_verbosity approval_policy sandbox_mode project_doc_max_bytes " +
  "project_doc_fallback_filenames file_opener hide_agent_reasoning tui"
).split(" ");
/** What an agent of a file of its own is, in words. */
const AGENT = "name description developer_instructions nickname_candidates".split(" ");

/** Gemini CLI and Qwen Code read variables from such files, too. */
const ofGemini = (folder: string): RepositoryFile[] => [
  { path: `${folder}/settings.json`, harmless: GEMINI },
  { path: `${folder}/.env` },
  { path: ".env" },
  { path: `${folder}/extensions/**` },
];

/** By the usual program of a CLI. */
const FILES: Readonly<Record<string, readonly RepositoryFile[]>> = {
  claude: [
    { path: ".claude/settings.json", harmless: CLAUDE },
    { path: ".claude/settings.local.json", harmless: CLAUDE },
    { path: ".mcp.json" },
    // Prompts that it sends itself at their time.
    { path: ".claude/scheduled_tasks.json" },
  ],
  codex: [
    { path: ".codex/config.toml", harmless: CODEX },
    { path: ".codex/hooks.json" },
    { path: ".codex/agents/**", harmless: [...CODEX, ...AGENT] },
  ],
  gemini: ofGemini(".gemini"),
  qwen: [...ofGemini(".qwen"), { path: ".mcp.json" }],
  opencode: [
    ...["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"].map((path) => ({
      path,
      harmless: OPENCODE,
    })),
    ...["plugin", "plugins", "tool", "tools"].map((name) => ({ path: `.opencode/${name}/**` })),
    // It installs what the first names, from where the second says.
    { path: ".opencode/package.json" },
    { path: ".opencode/.npmrc" },
  ],
  pi: [{ path: ".pi/settings.json" }, { path: ".pi/extensions/**" }],
  copilot: [
    { path: ".mcp.json" },
    { path: ".github/hooks/**" },
    { path: ".github/extensions/**" },
    { path: ".github/lsp.json" },
    { path: ".github/copilot/settings.json" },
    { path: ".github/copilot/settings.local.json" },
  ],
};

/** Which files of a repository a harness obeys; those of all CLIs if nobody knows which one it starts. */
export function repositoryFiles({ facts }: Pick<Harness, "facts">): readonly RepositoryFile[] {
  if (facts.isPlayed === true) return [];
  return FILES[facts.program ?? ""] ?? Object.values(FILES).flat();
}
