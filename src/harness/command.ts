import { join } from "node:path";
import type { AgentReader } from "../domain/agent-event.ts";
import { agentEnding } from "../domain/agent-ending.ts";
import { RalphError } from "../domain/error.ts";
import { stripAnsi } from "../domain/printable.ts";
import { formatSize } from "../domain/size.ts";
import type { OutputFormat } from "../domain/output-format.ts";
import type { AgentCommand } from "../system/process/agent-process.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";
import { MAX_ARGUMENT, PROMPT_VARIABLE, wholePrompt, type Harness, type Session } from "./harness.ts";

/** Any program that takes a prompt and prints its answer: in words, all of which are its final message, or in known lines. */
export const command: Harness = {
  start: (session) => {
    const { stdin, files = [], argument } = promptBy(session);
    const command = { ...commandLine(session, argument), env: environment(session), files };
    return stdin === undefined ? command : { ...command, stdin };
  },

  attended: (session) => {
    const { stdin, files = [], argument } = promptBy(session);
    const path = join(session.folder, "prompt-for-command.md");
    return {
      ...commandLine(session, argument),
      env: { ...environment(session), ...(stdin !== undefined && { [PROMPT_VARIABLE]: path }) },
      files: stdin === undefined ? files : [{ path, text: stdin }],
    };
  },

  reader: (session) => FORMATS[session.settings.output]?.reader(session) ?? createPlainReader(),

  speaksLike: ({ output }) => FORMATS[output],

  facts: {
    title: "Any command line",
    stopOrder: [
      { signal: "SIGINT", waitMs: 3000 },
      { signal: "SIGTERM", waitMs: 3000 },
    ],
    usage: "none",
    cost: "none",
    takesSystemPrompt: false,
    takesSessionId: false,
    permissions: () => "may do whatever its own command line allows",
    quirks: [
      "`output` is the format it prints. With `text`, all output is its final message, and exit code 0 means success.",
    ],
  },
};

/** Whose lines it prints. */
const FORMATS: Readonly<Record<OutputFormat, Harness | undefined>> = {
  text: undefined,
  "claude-stream-json": claude,
  "codex-json": codex,
  "opencode-json": opencode,
  "gemini-stream-json": gemini,
  "pi-json": pi,
  "copilot-json": copilot,
  "qwen-stream-json": qwen,
};

/** Every program has its own flag for a model: it finds the name here. */
const environment = ({ model, settings }: Session): Readonly<Record<string, string | undefined>> => ({
  RALPHCTL_MODEL: model,
  ...settings.env,
});

function promptBy(session: Session): { stdin?: string; argument?: string; files?: AgentCommand["files"] } {
  const text = wholePrompt(session);
  const { promptBy } = session.settings;
  if (promptBy === "stdin") return { stdin: text };
  if (promptBy === "file") {
    const path = join(session.folder, "prompt-for-command.md");
    return { argument: path, files: [{ path, text }] };
  }
  if (Buffer.byteLength(text) > MAX_ARGUMENT) {
    const problem = `The prompt is larger than the ${formatSize(MAX_ARGUMENT)} that an argument can hold`;
    throw new RalphError("config", problem, { hint: "Set `harnesses.command.promptBy` to stdin or file" });
  }
  return { argument: text };
}

/** The place where an argument of the prompt or its file goes; without one it is the last. */
const PLACE = "{prompt}";

function commandLine({ settings }: Session, argument: string | undefined) {
  const given = argument === undefined ? [] : [argument];
  if (settings.run !== null) {
    // Never inside the command's text: a shell would execute what stands in a prompt (W-05). There it is "$1".
    return { file: "/bin/sh", args: ["-c", settings.run, "sh", ...given, ...settings.args] };
  }
  if (settings.bin === null) {
    throw new RalphError("config", "The harness `command` has nothing to start", {
      hint: "Set `harnesses.command.bin` to a program, or `harnesses.command.run` to a shell command",
    });
  }
  const args = settings.args.includes(PLACE) ? settings.args : [...settings.args, PLACE];
  return { file: settings.bin, args: args.flatMap((arg) => (arg === PLACE ? given : [arg])) };
}

/** For a program that prints plain text: all of it is its final message, and exit code 0 means success. */
export function createPlainReader(): AgentReader {
  return {
    line: (text) => [{ type: "agent.text", text: `${stripAnsi(text)}\n`, block: "output" }],
    // Only its exit tells that it is through.
    hasResult: () => false,
    end: (exit) => [
      { type: "agent.ended", outcome: agentEnding(exit.code === 0 ? { kind: "done" } : undefined, exit) },
    ],
  };
}
