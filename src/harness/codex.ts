import { join } from "node:path";
import type { AgentCommand } from "../system/process/agent-process.ts";
import { createCodexReader } from "./codex-reader.ts";
import { argument, firstWords, type Harness, type Session, wholePrompt } from "./harness.ts";

/** OpenAI's Codex, by `codex exec`: the whole prompt on standard input, events as NDJSON. */
export const codex: Harness = {
  start: (session): AgentCommand => {
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
        ...model(session),
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
    const { settings, folder } = session;
    const instructions = developerInstructions(session);
    const text = instructions === undefined ? wholePrompt(session) : session.prompt;
    const words = firstWords(text, join(folder, "prompt-for-codex.md"));
    return {
      file: settings.bin ?? "codex",
      args: [...model(session), ...(instructions ?? []), ...settings.args, words.text],
      env: settings.env,
      files: words.files,
    };
  },

  reader: createCodexReader,

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
    reopen: (id) => ["resume", id],
    login: "Run codex login, or set CODEX_API_KEY",
    quirks: [
      "It waits for ever when a server refuses connections: our own limit of silence ends that.",
      "`Reconnecting... n/5` is a retry, not an error; only `turn.failed` is one.",
      "The time at which a usage limit ends is read from its session file; its text has it without a date or a zone.",
      "It tells no tokens of a turn that fails or is stopped: those are read from its session file, as the least it took.",
      "It asks again when its key is refused: after the second refusal in a row it is stopped.",
      "It never asks questions in this mode.",
      "A system prompt that is too long for an argument is the first section of the prompt.",
    ],
  },
};

const model = ({ model }: Session): string[] => (model === undefined ? [] : ["-m", model]);

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
