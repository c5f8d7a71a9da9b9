import { everyPermission } from "./permissions.ts";
import type { AgentEvent, AgentExit, AgentOutcome, AgentReader, OwnFile, Usage } from "../domain/agent-event.ts";
import { addUsage, NO_USAGE } from "../domain/usage.ts";
import { failureInWords, failureOutcome } from "./api-failure.ts";
import { retryEvent, toolEvent, toolResult } from "./events.ts";
import { escapeInnerFileMarks } from "./escape-inner-file-marks.ts";
import { firstWords, type Harness, option, type Session, wholePrompt } from "./harness.ts";
import { asObject, asText, count, type JsonObject } from "./json-line.ts";
import { createTextLines } from "./text-lines.ts";
import { serversInSettings, settingsFiles } from "./tool-servers.ts";
import { byType, createLineReader, type ReadLine, usageEvents, sessionEvent } from "./line-reader.ts";

/** Google's Gemini CLI without its terminal: prompt on standard input, events as NDJSON. */
export const gemini: Harness = {
  start: (session) => {
    const { settings } = session;
    return {
      file: settings.bin ?? "gemini",
      args: [
        "--output-format",
        "stream-json",
        "--approval-mode",
        "yolo",
        // It exits with 55 in a folder that the user has not trusted in its terminal.
        "--skip-trust",
        ...option("-m", session.model),
        ...option("--session-id", session.sessionId),
        ...settings.args,
      ],
      env: { ...ONE_PROCESS, ...(session.isSandboxed === true && { GEMINI_SANDBOX: "false" }), ...settings.env },
      stdin: escapeInnerFileMarks(wholePrompt(session)),
      files: [],
    };
  },

  attended: (session) => {
    const { settings } = session;
    const words = firstWords(session, "gemini", escapeInnerFileMarks(wholePrompt(session)));
    return {
      file: settings.bin ?? "gemini",
      args: [...option("-m", session.model), ...settings.args, "--prompt-interactive", words.text],
      env: settings.env,
      files: words.files,
    };
  },

  reader: createGeminiReader,

  ownFiles: settingsFiles(".gemini"),

  servers: ({ own = {} }) => serversInSettings(own),

  facts: {
    title: "Gemini CLI",
    program: "gemini",
    package: "@google/gemini-cli",
    minimumVersion: "0.61.0",
    testedVersion: "0.61.0",
    stopOrder: [
      { signal: "SIGINT", waitMs: 3000 },
      { signal: "SIGTERM", waitMs: 3000 },
    ],
    usage: "session",
    cost: "estimated",
    takesSystemPrompt: false,
    takesSessionId: true,
    permissions: () => everyPermission("--approval-mode yolo"),
    reopen: (id) => ["--resume", id],
    login: "Run gemini and log in there, or set GEMINI_API_KEY",
    places: [{ variable: "GEMINI_CLI_HOME", otherwise: "", below: ".gemini" }],
    quirks: [
      "It relaunches itself, and the first process ignores signals, so ralphctl sets GEMINI_CLI_NO_RELAUNCH.",
      "Its exit code is the HTTP status of the failed request modulo 256: 173 means 429.",
      "It prints text in arbitrary pieces; ralphctl joins them into whole lines.",
      "It reports tokens at the end; for a budget, and if it is stopped, ralphctl reads them from its session file.",
      "It prints a retried answer again from the beginning; both stay in the output.",
      "Any `@` names a file, even inside a word, so ralphctl adds a backslash; at the beginning of a word only in text that is not yours.",
      "It updates itself only in its own interface, never in this mode.",
      "It refuses folders that you have not trusted, so ralphctl skips that check.",
      "It accepts no system prompt, so that is the first section of the prompt.",
    ],
  },
};

const ONE_PROCESS = { GEMINI_CLI_NO_RELAUNCH: "true" };

interface State {
  model: string | undefined;
  /** The last `result`. */
  result: JsonObject | undefined;
  /** The last error that it told of before. */
  error: string | undefined;
  readonly text: ReturnType<typeof createTextLines>;
  sessionId: string | undefined;
  /** What its messages took by its own file. Each is written several times, the last one at least. */
  took: Usage;
  last: { readonly id: string; readonly took: Usage };
}

function createGeminiReader({ model }: Pick<Session, "model">): AgentReader {
  const state: State = {
    model,
    result: undefined,
    error: undefined,
    text: createTextLines(),
    sessionId: undefined,
    took: NO_USAGE,
    last: { id: "", took: NO_USAGE },
  };
  return createLineReader({
    read: byType(LINES, state),
    hasResult: () => state.result !== undefined,
    outcome: (exit) => outcomeOf(state, exit),
    last: state.text.close,
    wants: () => ownFile(state),
    own: (line) => noteMessage(line, state),
    ownWords: ['"tokens"'],
    unreported: () =>
      state.result === undefined
        ? usageEvents(addUsage(state.took, state.last.took), state.model, { isEstimated: true })
        : [],
    // Its words are held back until a line is whole.
    progress: (type, line) => (type === "message" && line["role"] === "assistant" ? "answered" : undefined),
    readError: createRetryReader(),
  });
}

const LINES: Readonly<Record<string, ReadLine<State>>> = {
  init: (line, state) => {
    state.model = asText(line["model"]) ?? state.model;
    state.sessionId = asText(line["session_id"]);
    return [sessionEvent(state)];
  },
  // The prompt is repeated as a message of the user.
  message: (line, { text }) => (line["role"] === "assistant" ? text.add(asText(line["content"]) ?? "") : text.close()),
  tool_use: (line, { text }) => [
    ...text.close(),
    toolEvent({ id: line["tool_id"], name: line["tool_name"], input: line["parameters"] }),
  ],
  tool_result: (line, { text }) => [
    ...text.close(),
    toolResult({
      id: line["tool_id"],
      ok: line["status"] === "success",
      output: line["output"] ?? asObject(line["error"])?.["message"],
    }),
  ],
  error: (line, state) => {
    const message = asText(line["message"]) ?? "";
    if (line["severity"] === "error") state.error = message;
    return message === "" ? [] : [{ type: "agent.notice", text: message }];
  },
  result: (line, state) => {
    state.result = line;
    return [...state.text.close(), ...usageEvents(usageOf(line), state.model)];
  },
};

function usageOf(result: JsonObject) {
  const stats = asObject(result["stats"]);
  if (stats === undefined) return undefined;
  const cacheRead = count(stats["cached"]);
  const all = count(stats["input_tokens"]);
  // Thinking is only in the total, and is billed like output.
  const output = Math.max(count(stats["output_tokens"]), count(stats["total_tokens"]) - all);
  return { input: Math.max(0, all - cacheRead), output, cacheRead, cacheWrite: 0 };
}

/** Its output tells what a session took only at its end. The id becomes part of a path. */
function ownFile({ result, sessionId = "" }: State): OwnFile | undefined {
  if (result !== undefined || !/^[\w-]{8,64}$/.test(sessionId)) return undefined;
  const endsWith = `-${sessionId.slice(0, 8)}.jsonl`;
  return { variable: "GEMINI_CLI_HOME", otherwise: "", folder: ".gemini/tmp", endsWith };
}

function noteMessage(line: JsonObject, state: State): void {
  const tokens = asObject(line["tokens"]);
  if (tokens === undefined) return;
  const id = asText(line["id"]) ?? "";
  if (id !== state.last.id) state.took = addUsage(state.took, state.last.took);
  const cacheRead = count(tokens["cached"]);
  const output = count(tokens["output"]) + count(tokens["thoughts"]);
  const input = Math.max(0, count(tokens["input"]) - cacheRead);
  state.last = { id, took: { input, output, cacheRead, cacheWrite: 0 } };
}

const TURN_LIMIT_EXIT = 53;
const NO_LOGIN_EXIT = 41;
const NO_MODEL = "ModelNotFoundError";
/** Statuses that are told apart by the exit code alone. */
const STATUSES = [400, 401, 403, 404, 429, 500, 502, 503, 504];

function outcomeOf({ result, error }: State, exit: AgentExit): AgentOutcome | undefined {
  if (result?.["status"] === "success") return { kind: "done" };
  const failure = asObject(result?.["error"]);
  const isTurnLimit = failure?.["type"] === "FatalTurnLimitedError" || exit.code === TURN_LIMIT_EXIT;
  if (isTurnLimit) return { kind: "turn-limit" };
  if (exit.code === NO_LOGIN_EXIT) return { kind: "login", message: loginWords(exit.stderr), why: "missing" };
  if (result === undefined) return undefined;
  const words = failureInWords(asText(failure?.["message"]) ?? error ?? "unknown", exit.atMs);
  // Of an unknown model it tells neither the status nor the name of the error, but for a trace on standard error.
  if (words.status === undefined && exit.stderr.includes(NO_MODEL))
    return failureOutcome({ ...words, status: 404, code: NO_MODEL });
  const status = words.status ?? STATUSES.find((one) => one % 256 === exit.code);
  return failureOutcome({ ...words, status });
}

/**
 * Reads its notices about retries on standard error: "Attempt 1 failed with status 429. Retrying with backoff... {json}",
 * and, after a limit whose end the server told, "Attempt 1 failed: words" to ". Retrying after 21156ms...".
 */
export function createRetryReader(): (text: string) => AgentEvent[] {
  let held = "";
  return (text) => {
    const [, attempt, status, words] = /^Attempt (\d{1,6}) failed(?: with status (\d{3}))?[.:] (.*)/.exec(text) ?? [];
    held = attempt === undefined ? `${held} ${text}`.slice(-MAX_WORDS) : text;
    if (status !== undefined) {
      const failure = failureInWords(words ?? "", 0);
      return [retryEvent({ attempt, status, reason: failure.message })];
    }
    const [, number, reason, delayMs] = /^Attempt (\d+) failed: (.*)\. Retrying after (\d{1,12})ms/.exec(held) ?? [];
    if (delayMs === undefined) return [];
    held = "";
    return [retryEvent({ attempt: number, status: LIMIT_STATUS, delayMs, reason })];
  };
}

const MAX_WORDS = 2000;
/** It waits for the time that the server names only at a limit. */
const LIMIT_STATUS = 429;

/** The line that names what is missing; the last one only says to try again. */
function loginWords(stderr: string): string {
  const lines = stderr.trim().split("\n");
  return (lines.find((line) => /_API_KEY|auth/i.test(line)) ?? lines.at(-1) ?? "").trim();
}
