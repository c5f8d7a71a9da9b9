import { join } from "node:path";
import { createClaudeReader } from "./claude-reader.ts";
import { MAX_ARGUMENT, type Harness, type Session } from "./harness.ts";

/** Claude Code, without its terminal: the whole prompt on standard input, events as NDJSON. */
export const claude: Harness = {
  start: (session) => {
    const { settings, prompt, isRoot } = session;
    const system = systemPrompt(session);
    return {
      file: settings.bin ?? "claude",
      args: [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        // What a user set for their own sessions (hooks, a style of answers) is not meant for these.
        "--setting-sources",
        "project,local",
        // Nobody is there to answer.
        "--disallowedTools",
        "AskUserQuestion",
        "--dangerously-skip-permissions",
        ...modelAndId(session),
        ...system.args,
        ...settings.args,
      ],
      env: {
        ...OUTSIDE,
        // As root it refuses to skip permissions unless it is told that this is a sandbox.
        ...(isRoot ? { IS_SANDBOX: "1" } : {}),
        ...settings.env,
      },
      stdin: prompt,
      files: system.files,
    };
  },

  attended: (session) => {
    const { settings } = session;
    const system = systemPrompt(session);
    const prompt = firstWords(session);
    return {
      file: settings.bin ?? "claude",
      args: [...modelAndId(session), ...system.args, ...settings.args, prompt.text],
      env: { ...OUTSIDE, ...settings.env },
      files: [...system.files, ...prompt.files],
    };
  },

  reader: createClaudeReader,

  facts: {
    program: "claude",
    minimumVersion: "2.1.197",
    // At SIGINT it stops its tools; at SIGTERM it may leave some of them.
    stopOrder: [
      { signal: "SIGINT", waitMs: 5000 },
      { signal: "SIGTERM", waitMs: 3000 },
    ],
    reportsUsage: true,
    reportsCost: true,
    takesSystemPrompt: true,
    takesSessionId: true,
  },
};

/** It refuses to start inside another session of its own, which is where a person may well call ralphctl. */
const OUTSIDE = { CLAUDECODE: undefined, CLAUDE_CODE_ENTRYPOINT: undefined };

const modelAndId = ({ model, sessionId }: Session): string[] => [
  ...(model === undefined ? [] : ["--model", model]),
  ...(sessionId === undefined ? [] : ["--session-id", sessionId]),
];

/** What it is told first, as an argument: a prompt that is too long for that it reads from a file. */
function firstWords({ prompt, folder }: Session) {
  if (Buffer.byteLength(prompt) <= MAX_ARGUMENT) return { text: prompt, files: [] };
  const path = join(folder, "prompt-for-claude.md");
  return { text: `Read the file ${path} from beginning to end, and do what it says.`, files: [{ path, text: prompt }] };
}

function systemPrompt({ systemPrompt, folder }: Session) {
  if (systemPrompt === "") return { args: [], files: [] };
  if (Buffer.byteLength(systemPrompt) <= MAX_ARGUMENT) {
    return { args: ["--append-system-prompt", systemPrompt], files: [] };
  }
  const path = join(folder, "append-system-prompt.md");
  return { args: ["--append-system-prompt-file", path], files: [{ path, text: systemPrompt }] };
}
