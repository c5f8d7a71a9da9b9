import { everyPermission } from "./permissions.ts";
import { createClaudeReader } from "./claude-reader.ts";
import { USER_SETTINGS } from "../domain/user-settings.ts";
import { claudeFiles, claudeHooksWarning, claudeServers, claudeSettings } from "./claude-settings.ts";
import { appendSystemPrompt, firstWords, type Harness, option, type Session } from "./harness.ts";

/** Claude Code, without its terminal: the whole prompt on standard input, events as NDJSON. */
export const claude: Harness = {
  start: (session) => {
    const { settings, prompt, isRoot } = session;
    const system = appendSystemPrompt(session, FILE_OPTION);
    const own = claudeSettings(session);
    return {
      file: settings.bin ?? "claude",
      args: [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        ...own.args,
        // No one can answer.
        "--disallowedTools",
        "AskUserQuestion",
        "--dangerously-skip-permissions",
        ...budget(session),
        ...modelAndId(session),
        ...system.args,
        ...settings.args,
      ],
      env: {
        ...OUTSIDE,
        // As root it refuses to skip permissions unless it is told that this is a sandbox.
        ...(isRoot ? { IS_SANDBOX: "1" } : {}),
        ...own.env,
        ...settings.env,
      },
      stdin: prompt,
      files: [...own.files, ...system.files],
    };
  },

  attended: (session) => {
    const { settings } = session;
    const system = appendSystemPrompt(session, FILE_OPTION);
    const prompt = firstWords(session, "claude", session.prompt);
    return {
      file: settings.bin ?? "claude",
      args: [...modelAndId(session), ...system.args, ...settings.args, prompt.text],
      env: { ...OUTSIDE, ...settings.env },
      files: [...system.files, ...prompt.files],
    };
  },

  reader: () => createClaudeReader(),

  ownFiles: claudeFiles,

  servers: claudeServers,

  facts: {
    title: "Claude Code",
    program: "claude",
    todoTool: "TodoWrite",
    package: "@anthropic-ai/claude-code",
    minimumVersion: "2.1.197",
    testedVersion: "2.1.325",
    // At SIGINT it stops its tools; at SIGTERM it may leave some of them.
    stopOrder: [
      { signal: "SIGINT", waitMs: 5000 },
      { signal: "SIGTERM", waitMs: 3000 },
    ],
    usage: "session",
    cost: "reported",
    takesSystemPrompt: true,
    takesSessionId: true,
    permissions: () => everyPermission("--dangerously-skip-permissions"),
    reopen: (id) => ["--resume", id],
    login: "Run claude and /login there, or set ANTHROPIC_API_KEY",
    userSettings: USER_SETTINGS,
    warning: ({ isRoot, own = {}, settings }) =>
      [
        isRoot ? "Claude Code skips permissions as root only in a sandbox, so ralphctl sets IS_SANDBOX=1" : undefined,
        settings.userSettings === "all" ? claudeHooksWarning(own) : undefined,
      ]
        .filter((text) => text !== undefined)
        .join(". ") || undefined,
    places: [{ variable: "CLAUDE_CONFIG_DIR", otherwise: ".claude" }, { otherwise: ".claude.json" }],
    quirks: [
      "It reports API failures with the subtype `success`, so `is_error` decides.",
      "A background agent produces a second result. The last one counts, and the cost includes both.",
      "It waits for a command that it left in the background, and so does ralphctl, within `limits.attempt`, unless it has claimed its task.",
      "It retries a refused key for minutes, so ralphctl stops it after the second refusal in a row.",
      "It exits with 0 on SIGINT, so ralphctl takes an interruption for no result.",
      "As root it skips permissions only in a sandbox, so ralphctl sets IS_SANDBOX=1 and the run says so.",
      "Your own settings apply, but not your hooks and your output style, which may block a session or change its answers. `userSettings: login` takes only your login, `none` nothing.",
      "It switches off all hooks or none: if the repository has hooks, too, they run, and of your settings only login, model and permissions apply.",
      "A word that begins with `@` makes it read a file, so ralphctl adds a backslash in text that is not yours.",
      "ralphctl denies its question tool, and switches off its updates during sessions.",
      "It gets the rest of `--max-cost` and stops itself when that is spent. ralphctl stops it at `--max-tokens`, by the usage of its messages and its session file.",
      "If the system prompt is too long for an argument, it reads it from a file.",
    ],
  },
};

/**
 * It refuses to start inside another session of its own, which is where a person may well call ralphctl. And no session shall
 * replace the program of the next one.
 */
const OUTSIDE = { CLAUDECODE: undefined, CLAUDE_CODE_ENTRYPOINT: undefined, DISABLE_AUTOUPDATER: "1" };

/** Its own estimate stops it in the middle of a session, where the cost that it reports comes at the end. */
const budget = ({ budgetUsd }: Session): string[] =>
  budgetUsd === undefined ? [] : ["--max-budget-usd", Math.max(budgetUsd, 0.01).toFixed(2)];

const modelAndId = ({ model, sessionId }: Session): string[] => [
  ...option("--model", model),
  ...option("--session-id", sessionId),
];

const FILE_OPTION = "--append-system-prompt-file";
