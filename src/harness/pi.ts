import { everyPermission } from "./permissions.ts";
import type { AgentEvent, AgentExit, AgentOutcome, AgentReader } from "../domain/agent-event.ts";
import { failureInWords, failureOutcome } from "./api-failure.ts";
import { retryEvent, spoken, toolEvent, toolResult } from "./events.ts";
import { appendSystemPrompt, firstWords, type Harness, option, type Session } from "./harness.ts";
import { asList, asObject, asText, dollars, type JsonObject, tokensIn } from "./json-line.ts";
import { sessionEvent, byType, createLineReader, nothing, type ReadLine, usageEvents } from "./line-reader.ts";

/** Pi, in its mode for programs: prompt on standard input, events as NDJSON. */
export const pi: Harness = {
  start: (session) => {
    const { settings, model, prompt } = session;
    // The option takes a text or the path of one.
    const system = appendSystemPrompt(session);
    return {
      file: settings.bin ?? "pi",
      args: ["-p", "--mode", "json", ...option("--model", model), ...system.args, ...settings.args],
      env: { PI_SKIP_VERSION_CHECK: "1", ...settings.env },
      stdin: prompt,
      files: system.files,
    };
  },

  attended: (session) => {
    const { settings, model, prompt } = session;
    const system = appendSystemPrompt(session);
    const words = firstWords(session, "pi", prompt);
    return {
      file: settings.bin ?? "pi",
      args: [...option("--model", model), ...system.args, ...settings.args, words.text],
      env: settings.env,
      files: [...system.files, ...words.files],
    };
  },

  reader: createPiReader,

  facts: {
    title: "Pi",
    program: "pi",
    package: "@earendil-works/pi-coding-agent",
    minimumVersion: "0.87.1",
    testedVersion: "0.87.1",
    // At SIGINT it leaves its tools running; at SIGTERM it ends them.
    stopOrder: [{ signal: "SIGTERM", waitMs: 5000 }],
    usage: "session",
    cost: "reported",
    takesSystemPrompt: true,
    takesSessionId: false,
    permissions: () => everyPermission("it has no permissions"),
    reopen: (id) => ["--session", id],
    login: "Run pi and /login there, or set the key of your provider",
    places: [{ variable: "PI_CODING_AGENT_DIR", otherwise: ".pi/agent" }],
    quirks: [
      "It exits with 0 even if the server fails; the last message says whether it did.",
      "Like pi itself, ralphctl discards the text before a retried request.",
      "ralphctl stops it with SIGTERM, because on SIGINT it leaves its tools running.",
      "It asks neither questions nor for permissions. ralphctl switches off its check for updates.",
      "If the system prompt is too long for an argument, it reads it from a file.",
    ],
  },
};

interface State {
  sessionId: string | undefined;
  model: string | undefined;
  /** The assistant's last message. */
  message: JsonObject | undefined;
  isOver: boolean;
}

function createPiReader({ model }: Pick<Session, "model">): AgentReader {
  const state: State = { sessionId: undefined, model, message: undefined, isOver: false };
  return createLineReader({
    read: byType(LINES, state),
    hasResult: () => state.isOver && state.message !== undefined,
    outcome: (exit) => outcomeOf(state, exit),
    progress: (type) => (type === "message_update" ? "answered" : undefined),
  });
}

const LINES: Readonly<Record<string, ReadLine<State>>> = {
  session: (line, state) => {
    state.sessionId = asText(line["id"]);
    return [sessionEvent(state)];
  },
  agent_start: (_, state) => void (state.isOver = false),
  agent_end: (line, state) => void (state.isOver = line["willRetry"] !== true),
  agent_settled: (_, state) => void (state.isOver = true),
  turn_start: nothing,
  turn_end: nothing,
  message_start: nothing,
  // Repeats in pieces what comes whole at its end.
  message_update: nothing,
  message_end: (line, state) => readMessage(asObject(line["message"]) ?? {}, state),
  tool_execution_start: (line) => [toolEvent({ id: line["toolCallId"], name: line["toolName"], input: line["args"] })],
  tool_execution_update: nothing,
  tool_execution_end: ({ toolCallId: id, isError, result }) => [
    toolResult({ id, ok: isError !== true, output: asObject(result)?.["content"] }),
  ],
  auto_retry_start: (line) => [retried(line)],
  auto_retry_end: nothing,
  entry_appended: nothing,
  compaction_start: nothing,
  compaction_end: nothing,
  queue_update: nothing,
};

function readMessage(message: JsonObject, state: State): AgentEvent[] {
  if (message["role"] !== "assistant") return [];
  state.message = message;
  const model = asText(message["model"]) ?? state.model;
  const isNews = model !== state.model;
  state.model = model;
  // Text before an error is discarded: the request is retried.
  const blocks = message["stopReason"] === "error" ? [] : asList(message["content"]);
  return [
    ...(isNews ? [sessionEvent(state)] : []),
    ...blocks.flatMap((block) => blockEvents(asObject(block) ?? {})),
    ...usageOf(asObject(message["usage"]), model),
  ];
}

function blockEvents({ type, text, thinking }: JsonObject): AgentEvent[] {
  if (type === "thinking") return spoken("agent.thinking", thinking);
  return type === "text" ? spoken("agent.text", text) : [];
}

function usageOf(usage: JsonObject | undefined, model: string | undefined): AgentEvent[] {
  if (usage === undefined) return [];
  const usd = dollars(asObject(usage["cost"])?.["total"]);
  // A request that failed took nothing, which is not worth telling.
  return usageEvents(tokensIn(usage, ["input", "output", "cacheRead", "cacheWrite"]), model, { usd: usd || undefined });
}

function retried(line: JsonObject): AgentEvent {
  const { status, message } = failureInWords(asText(line["errorMessage"]) ?? "unknown", 0);
  const { attempt, maxAttempts: of, delayMs } = line;
  return retryEvent({ attempt, of, delayMs, status, reason: message });
}

function outcomeOf({ isOver, message }: State, exit: AgentExit): AgentOutcome | undefined {
  const reason = isOver ? message?.["stopReason"] : undefined;
  if (reason === "stop") return { kind: "done" };
  if (reason === "length") return { kind: "turn-limit", isOutput: true };
  if (reason === "aborted") return { kind: "aborted" };
  if (reason !== "error") return undefined;
  return failureOutcome(failureInWords(asText(message?.["errorMessage"]) ?? "unknown", exit.atMs));
}
