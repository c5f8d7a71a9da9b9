import { everyPermission } from "./permissions.ts";
import { createCodexReader } from "./codex-reader.ts";
import { argument, firstWords, type Harness, option, type Session, wholePrompt } from "./harness.ts";
import { codexFiles, codexServers } from "./tool-servers.ts";

/** OpenAI's Codex, by `codex exec`: the whole prompt on standard input, events as NDJSON. */
export const codex: Harness = {
  start: (session) => {
    const { settings, prompt } = session;
    const instructions = developerInstructions(session);
    return {
      file: settings.bin ?? "codex",
      args: [
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        // Both would talk to servers of their own; the first makes every session end five seconds late.
        "-c",
        "features.plugins=false",
        "-c",
        "check_for_update_on_startup=false",
        ...(settings.userSettings === "all" ? [] : ["--ignore-user-config"]),
        ...option("-m", session.model),
        ...(instructions ?? []),
        // The prompt is on standard input. Options may follow.
        "-",
        ...settings.args,
      ],
      env: settings.env,
      stdin: instructions === undefined ? wholePrompt(session) : prompt,
      files: [],
    };
  },

  attended: (session) => {
    const { settings } = session;
    const instructions = developerInstructions(session);
    const text = instructions === undefined ? wholePrompt(session) : session.prompt;
    const words = firstWords(session, "codex", text);
    return {
      file: settings.bin ?? "codex",
      args: [...option("-m", session.model), ...(instructions ?? []), ...settings.args, words.text],
      env: settings.env,
      files: words.files,
    };
  },

  reader: createCodexReader,

  ownFiles: codexFiles,

  servers: ({ own = {}, settings }) => (settings.userSettings === "all" ? codexServers(own) : []),

  facts: {
    title: "Codex",
    program: "codex",
    package: "@openai/codex",
    minimumVersion: "0.166.0",
    testedVersion: "0.166.0",
    stopOrder: [
      { signal: "SIGINT", waitMs: 5000 },
      { signal: "SIGTERM", waitMs: 3000 },
    ],
    usage: "cumulative",
    cost: "estimated",
    takesSystemPrompt: true,
    takesSessionId: false,
    permissions: () => everyPermission("--dangerously-bypass-approvals-and-sandbox"),
    reopen: (id) => ["resume", id],
    // It has no switch that leaves out the login, too.
    userSettings: ["all", "login"],
    login: "Run codex login, or set CODEX_API_KEY",
    places: [{ variable: "CODEX_HOME", otherwise: ".codex" }],
    quirks: [
      "If a server refuses connections it waits forever; `limits.inactivity` ends that.",
      "`Reconnecting... n/5` is a retry; only `turn.failed` is an error.",
      "ralphctl reads the end of a usage limit from its session file, because the message has no date and no time zone.",
      "It reports tokens when a turn is complete; until then, and if a turn fails or is stopped, ralphctl reads them from its session file.",
      "It retries a refused key, so ralphctl stops it after the second refusal in a row.",
      "Your config.toml applies, but not its plugins. `userSettings: login` leaves it out and keeps your login.",
      "It never asks questions in this mode.",
      "If the system prompt is too long for an argument, it becomes the first section of the prompt.",
    ],
  },
};

/** Undefined when it is too long to be an argument. */
function developerInstructions({ systemPrompt }: Session): string[] | undefined {
  if (systemPrompt === "") return [];
  const text = argument(`developer_instructions=${tomlText(systemPrompt)}`);
  return text === undefined ? undefined : ["-c", text];
}

/** JSON's escapes are TOML's, but for one sign; what has no sign of its own would not be read as TOML at all. */
const tomlText = (text: string): string =>
  JSON.stringify(
    text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd"),
  ).replaceAll("\u007f", String.raw`\u007f`);
