import { everyPermission } from "./permissions.ts";
import type { AgentEvent, AgentOutcome, Usage } from "../domain/agent-event.ts";
import { failureInWords, failureOutcome } from "./api-failure.ts";
import { createClaudeReader } from "./claude-reader.ts";
import { type ClaudeDialect, isGood, unknownResult } from "./claude-result.ts";
import { retryEvent } from "./events.ts";
import { escapeInnerFileMarks } from "./escape-inner-file-marks.ts";
import { argument, firstWords, type Harness, option, type Session, wholePrompt } from "./harness.ts";
import { asList, asObject, asText, count, type JsonObject } from "./json-line.ts";
import { serversInSettings, settingsFiles } from "./tool-servers.ts";

/** Qwen Code: Gemini CLI's manners at the start, Claude Code's lines in the output. */
export const qwen: Harness = {
  start: (session) => {
    const { settings } = session;
    const system = systemPrompt(session);
    return {
      file: settings.bin ?? "qwen",
      args: [
        "--output-format",
        "stream-json",
        "--approval-mode",
        "yolo",
        "--exclude-tools",
        "ask_user_question",
        ...option("-m", session.model),
        ...option("--session-id", session.sessionId),
        ...system.args,
        ...settings.args,
      ],
      env: {
        QWEN_CODE_NO_RELAUNCH: "true",
        QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
        ...QWEN_TELLS,
        ...(session.isSandboxed === true && { QWEN_SANDBOX: "false" }),
        ...settings.env,
      },
      stdin: escapeInnerFileMarks(system.prompt),
      files: [],
    };
  },

  attended: (session) => {
    const { settings } = session;
    const system = systemPrompt(session);
    const words = firstWords(session, "qwen", escapeInnerFileMarks(system.prompt));
    return {
      file: settings.bin ?? "qwen",
      args: [...option("-m", session.model), ...system.args, ...settings.args, "--prompt-interactive", words.text],
      env: settings.env,
      files: words.files,
    };
  },

  reader: () => createClaudeReader(QWEN),

  ownFiles: settingsFiles(".qwen"),

  servers: ({ own = {} }) => serversInSettings(own),

  facts: {
    title: "Qwen Code",
    program: "qwen",
    package: "@qwen-code/qwen-code",
    minimumVersion: "0.24.4",
    testedVersion: "0.24.4",
    stopOrder: [
      { signal: "SIGTERM", waitMs: 5000 },
      { signal: "SIGINT", waitMs: 2000 },
    ],
    usage: "cumulative",
    cost: "estimated",
    takesSystemPrompt: true,
    takesSessionId: true,
    permissions: () => everyPermission("--approval-mode yolo"),
    reopen: (id) => ["--resume", id],
    login: "Run qwen and /auth there, or set OPENAI_API_KEY",
    places: [{ otherwise: ".qwen" }],
    quirks: [
      "It relaunches itself and leaves that process behind on a signal, so ralphctl sets QWEN_CODE_NO_RELAUNCH.",
      "At its own limits it ends without a result, with exit code 53 or 55.",
      "It reports tokens with each message, and the total at the end; a budget counts the former until the latter comes.",
      "It waits in silence at a usage limit, so ralphctl sets QWEN_CODE_UNATTENDED_RETRY, with which it tells so every 30 seconds.",
      "ralphctl removes its question tool.",
      "It updates itself only in its own interface, never in this mode.",
      "If the system prompt is too long for an argument, it becomes the first section of the prompt.",
    ],
  },
};

function systemPrompt(session: Session): { readonly args: readonly string[]; readonly prompt: string } {
  const { systemPrompt, prompt } = session;
  if (systemPrompt === "") return { args: [], prompt };
  const text = argument(systemPrompt);
  return text === undefined
    ? { args: [], prompt: wholePrompt(session) }
    : { args: ["--append-system-prompt", text], prompt };
}

/** At a limit it waits in silence otherwise. It then retries without end; ralphctl ends that. */
export const QWEN_TELLS = { QWEN_CODE_UNATTENDED_RETRY: "1" };

const WAITS = /^\[qwen-code\] Waiting for API capacity\.\.\. attempt (\d{1,6}), retry in (\d{1,9})s/;

/** What it says on standard error while it waits: for a limit or an overloaded server, it does not say which. */
export function readQwenWait(text: string): AgentEvent[] {
  const [, attempt, seconds] = WAITS.exec(text) ?? [];
  if (seconds === undefined) return [];
  const reason = "It waits for capacity of the API: a rate limit, or an overloaded server";
  return [retryEvent({ attempt: Number(attempt), delayMs: Number(seconds) * 1000, reason })];
}

const QWEN: ClaudeDialect = {
  readError: readQwenWait,
  outcome: (result, _, { atMs }) => outcomeOf(result, atMs),
  // Ceilings on turns (53), and on time and tool calls (55).
  withoutResult: ({ code }) => (code === 53 || code === 55 ? { kind: "turn-limit" } : undefined),
  usage: (result) => usageOf(result["usage"]),
  cost: () => undefined,
  messageUsage: usageOf,
  isFailure: (message) => {
    const texts = asList(message?.["content"]).map((block) => asText(asObject(block)?.["text"]));
    return (
      texts.length === 1 &&
      texts[0]?.startsWith("[API Error: ") === true &&
      count(usageOf(message?.["usage"])?.output) === 0
    );
  },
};

function outcomeOf(result: JsonObject, atMs: number): AgentOutcome {
  if (isGood(result)) return { kind: "done" };
  if (result["is_error"] !== true) return unknownResult(asText(result["subtype"]) ?? "");
  return failureOutcome(failureInWords(asText(asObject(result["error"])?.["message"]) ?? "unknown", atMs));
}

/** Tokens of the input are all of them, cached or not. */
function usageOf(value: unknown): Usage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const cacheRead = count(usage["cache_read_input_tokens"]);
  const input = Math.max(0, count(usage["input_tokens"]) - cacheRead);
  return { input, output: count(usage["output_tokens"]), cacheRead, cacheWrite: 0 };
}
