import { everyPermission } from "./permissions.ts";
import { join } from "node:path";
import type { AgentEvent, AgentExit, AgentOutcome, AgentReader, OwnFile, Usage } from "../domain/agent-event.ts";
import { addUsage, NO_USAGE } from "../domain/usage.ts";
import { type ApiFailure, failureInWords, failureOutcome } from "./api-failure.ts";
import { retryEvent, spoken, toolEvent, toolResult } from "./events.ts";
import { firstWords, type Harness, option, type Session, wholePrompt } from "./harness.ts";
import { asNumber, asObject, asText, count, jsonIn, type JsonObject } from "./json-line.ts";
import { byType, sessionEvent, createLineReader, type ReadLine, usageEvents } from "./line-reader.ts";
import { copilotFiles, copilotServers } from "./tool-servers.ts";

/** GitHub's Copilot CLI: prompt on standard input, events as NDJSON, and what it took in a file. */
export const copilot: Harness = {
  start: (session) => {
    const { settings } = session;
    const usage = usageFile(session);
    return {
      file: settings.bin ?? "copilot",
      args: [
        "--output-format",
        "json",
        "--allow-all",
        "--no-ask-user",
        "--no-auto-update",
        "--no-color",
        ...modelAndId(session),
        "--usage-output-file",
        usage,
        ...settings.args,
      ],
      env: { COPILOT_AUTO_UPDATE: "false", ...settings.env },
      stdin: wholePrompt(session),
      files: [],
      collect: [usage],
    };
  },

  attended: (session) => {
    const { settings } = session;
    const words = firstWords(session, "copilot", wholePrompt(session));
    return {
      file: settings.bin ?? "copilot",
      args: [...modelAndId(session), ...settings.args, "--interactive", words.text],
      env: settings.env,
      files: words.files,
    };
  },

  reader: createCopilotReader,

  ownFiles: copilotFiles,

  servers: ({ own = {} }) => copilotServers(own),

  facts: {
    title: "GitHub Copilot CLI",
    program: "copilot",
    package: "@github/copilot",
    minimumVersion: "1.0.102",
    testedVersion: "1.0.102",
    // The program that npm installs starts another one: both are in the group that is signalled.
    stopOrder: [
      { signal: "SIGTERM", waitMs: 5000 },
      { signal: "SIGINT", waitMs: 2000 },
    ],
    usage: "session",
    cost: "estimated",
    takesSystemPrompt: false,
    takesSessionId: true,
    permissions: () => everyPermission("--allow-all"),
    reopen: (id) => [`--resume=${id}`],
    login: "Run copilot and /login there, or set GH_TOKEN",
    places: [{ variable: "COPILOT_HOME", otherwise: ".copilot" }],
    quirks: [
      "With `-p` it ignores standard input, so the prompt comes only on standard input.",
      "It reports tokens only in a file at the end, which ralphctl requests; for a budget, ralphctl reads them from its session file before.",
      "It reports the session id only in its last line, so ralphctl chooses the id.",
      "It retries a refused key, so ralphctl stops it after the second refusal in a row.",
      "ralphctl turns its questions off.",
      "The program that npm installs leaves a child behind on a signal; ralphctl ends it.",
      "It accepts no system prompt, so that is the first section of the prompt.",
    ],
  },
};

const usageFile = ({ folder }: Pick<Session, "folder">): string => join(folder, "copilot-usage.json");

const modelAndId = ({ model, sessionId }: Session): string[] => [
  ...option("--model", model),
  ...(sessionId === undefined ? [] : [`--session-id=${sessionId}`]),
];

interface State {
  model: string | undefined;
  sessionId: string | undefined;
  /** Its exit code by the last line. */
  exitCode?: number | undefined;
  isAborted: boolean;
  failure?: JsonObject | undefined;
  /** What the server said of the last request that failed. */
  call?: JsonObject | undefined;
  /** What its requests took by its own file, by model. */
  readonly requests: Map<string, Usage>;
}

function createCopilotReader(session: Pick<Session, "model" | "sessionId" | "folder">): AgentReader {
  const state: State = { model: session.model, sessionId: session.sessionId, isAborted: false, requests: new Map() };
  const readData = byType(DATA, state);
  return createLineReader({
    read: (type, line) => {
      if (QUIET.has(type)) return [];
      return type === "result" ? readResult(line, state) : readData(type, asObject(line["data"]) ?? {});
    },
    hasResult: () => state.exitCode !== undefined,
    outcome: (exit) => outcomeOf(state, exit),
    // All of it, also where a signal ended the session.
    last: ({ files }) => {
      const events = usageIn(jsonIn(files[usageFile(session)] ?? ""));
      if (events.length > 0) state.requests.clear();
      return events;
    },
    wants: () => ownFile(state),
    own: (line) => noteRequest(asObject(asObject(line["data"])?.["usage"]) ?? {}, state),
    ownWords: ['"session.usage_record"'],
    unreported: () => [...state.requests].flatMap(([model, usage]) => usageEvents(usage, model, { isEstimated: true })),
    progress: (type) => (type.endsWith("_delta") ? "answered" : undefined),
  });
}

/** By type, what the `data` of a line means. */
const DATA: Readonly<Record<string, ReadLine<State>>> = {
  "session.tools_updated": (data, state) => {
    state.model = asText(data["model"]) ?? state.model;
    return [sessionEvent(state)];
  },
  "assistant.turn_start": (_, state) => void (state.failure = undefined),
  "assistant.message": ({ reasoningText, content, parentToolCallId: parent }, state) => {
    // Answered: what failed before is over.
    state.call = undefined;
    return [...spoken("agent.thinking", reasoningText, parent), ...spoken("agent.text", content, parent)];
  },
  "tool.execution_start": ({ toolCallId: id, toolName: name, arguments: input, parentToolCallId: parent }, state) => {
    state.call = undefined;
    return [toolEvent({ id, name, input }, parent)];
  },
  "tool.execution_complete": (data) => [
    toolResult(
      {
        id: data["toolCallId"],
        ok: data["success"] === true && (asNumber(asObject(data["shellExecution"])?.["exitCode"]) ?? 0) === 0,
        output: asObject(data["result"])?.["content"] ?? asObject(data["error"])?.["message"],
      },
      data["parentToolCallId"],
    ),
  ],
  "model.call_failure": (data, state) => void (state.call = data),
  "assistant.turn_retry": (data, { call }) => [
    retryEvent({ status: call?.["statusCode"], reason: serverSaid(call, 0)?.message ?? data["reason"] }),
  ],
  "session.error": (data, state) => void (state.failure = data),
  abort: (_, state) => void (state.isAborted = true),
};

/** Known, and about its own affairs or said again elsewhere. */
const QUIET: ReadonlySet<string> = new Set([
  "user.message",
  "assistant.idle",
  "assistant.message_delta",
  "assistant.message_start",
  "assistant.reasoning",
  "assistant.reasoning_delta",
  "assistant.tool_call_delta",
  "assistant.turn_end",
  "model.call_final_result",
  "model.call_finished",
  "model.call_start",
  "session.background_tasks_changed",
  "session.info",
  "session.mcp_servers_loaded",
  "session.skills_loaded",
  "tool.execution_partial_result",
  "tool.shell_output",
]);

/** The last line, which is of another shape than all others. */
function readResult(line: JsonObject, state: State): AgentEvent[] {
  state.exitCode = asNumber(line["exitCode"]) ?? 1;
  const told = asText(line["sessionId"]);
  if (told === undefined || told === state.sessionId) return [];
  state.sessionId = told;
  return [sessionEvent(state)];
}

function outcomeOf({ exitCode, isAborted, failure, call }: State, exit: AgentExit): AgentOutcome | undefined {
  if (exitCode === undefined) return undefined;
  if (isAborted) return { kind: "aborted" };
  if (exitCode === 0 && failure === undefined) return { kind: "done" };
  if (failure === undefined) return undefined;
  const said = failureInWords(asText(failure["message"]) ?? "unknown", exit.atMs);
  const server = serverSaid(call, exit.atMs);
  const status = asNumber(failure["statusCode"]) ?? said.status ?? asNumber(call?.["statusCode"]);
  // It calls each 401 and 403 a login, also a bill, a refused question and a model that is not for this account.
  const told = server && failureOutcome({ ...server, status });
  if (told !== undefined && (OTHERS.has(told.kind) || (told.kind === "login" && told.why !== undefined))) return told;
  const code = [asText(failure["errorType"]), server?.code].filter((part) => part !== undefined).join(" ");
  return failureOutcome({ ...said, status, code });
}

const OTHERS: ReadonlySet<AgentOutcome["kind"]> = new Set(["limit", "model", "refused"]);

/** The server's own words about the last request that failed: whether it is a bill, and when a limit ends. */
function serverSaid(call: JsonObject | undefined, atMs: number): ApiFailure | undefined {
  const words = asText(call?.["errorMessage"]);
  return words === undefined || words === "" ? undefined : failureInWords(words, atMs);
}

/** The file that it writes at our wish comes at the end, its own after each request. The id becomes part of a path. */
function ownFile({ sessionId = "" }: State): OwnFile | undefined {
  if (!/^[\w-]{8,64}$/.test(sessionId)) return undefined;
  const folder = `session-state/${sessionId}`;
  return { variable: "COPILOT_HOME", otherwise: ".copilot", folder, endsWith: "events.jsonl" };
}

function noteRequest(usage: JsonObject, { requests }: State): void {
  const model = asText(usage["model"]) ?? "";
  requests.set(model, addUsage(requests.get(model) ?? NO_USAGE, tokensOf(usage)));
}

/** Tokens by model, from the file that we asked for. */
function usageIn(file: JsonObject | undefined): AgentEvent[] {
  const models = Object.entries(asObject(file?.["modelMetrics"]) ?? {});
  return models.flatMap(([model, metrics]) => {
    return usageEvents(tokensOf(asObject(asObject(metrics)?.["usage"]) ?? {}), model);
  });
}

/** Those of the input are all of them, cached or not. */
function tokensOf(usage: JsonObject): Usage {
  const cacheRead = count(usage["cacheReadTokens"]);
  const cacheWrite = count(usage["cacheWriteTokens"]);
  const input = Math.max(0, count(usage["inputTokens"]) - cacheRead - cacheWrite);
  return { input, output: count(usage["outputTokens"]), cacheRead, cacheWrite };
}
