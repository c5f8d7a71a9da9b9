import { everyPermission } from "./permissions.ts";
import type { AgentEvent, AgentExit, AgentOutcome, AgentReader } from "../domain/agent-event.ts";
import { failureInWords, failureOutcome } from "./api-failure.ts";
import { retryEvent, spoken, toolEvent, toolResult } from "./events.ts";
import { firstWords, type Harness, option, type Session, wholePrompt } from "./harness.ts";
import { asNumber, asObject, asText, count, dollars, type JsonObject } from "./json-line.ts";
import { byType, createLineReader, type ReadLine, sessionEvent, usageEvents } from "./line-reader.ts";
import type { Met } from "./request-watch.ts";
import { toldTime } from "./reset-time.ts";
import { opencodeFiles, opencodeServers } from "./tool-servers.ts";

/** OpenCode, by `opencode run`: prompt on standard input, parts of messages as NDJSON when they are whole. */
export const opencode: Harness = {
  start: (session) => {
    const { settings } = session;
    return {
      file: settings.bin ?? "opencode",
      args: [
        "run",
        "--format",
        "json",
        // Without a title it asks a model for one.
        "--title",
        "ralphctl",
        "--thinking",
        // Allows everything. No one can answer, and a question would end the session with 0.
        "--auto",
        // While it tries again or waits for a limit it prints nothing else, nor why its own server failed.
        "--print-logs",
        "--log-level",
        "ERROR",
        ...option("-m", session.model),
        ...settings.args,
      ],
      env: { ...QUIET, OPENCODE_PERMISSION: JSON.stringify({ question: "deny" }), ...settings.env },
      stdin: wholePrompt(session),
      files: [],
    };
  },

  attended: (session) => {
    const { settings } = session;
    const words = firstWords(session, "opencode", wholePrompt(session));
    return {
      file: settings.bin ?? "opencode",
      args: [...option("-m", session.model), ...settings.args, "--prompt", words.text],
      env: { ...QUIET, ...settings.env },
      files: words.files,
    };
  },

  reader: createOpencodeReader,

  ownFiles: opencodeFiles,

  servers: ({ own = {} }) => opencodeServers(own),

  facts: {
    title: "OpenCode",
    program: "opencode",
    package: "opencode-ai",
    minimumVersion: "1.18.33",
    testedVersion: "1.18.33",
    stopOrder: [
      { signal: "SIGINT", waitMs: 3000 },
      { signal: "SIGTERM", waitMs: 3000 },
    ],
    usage: "session",
    cost: "reported",
    takesSystemPrompt: false,
    takesSessionId: false,
    permissions: () => everyPermission("it allows all that would need a permission"),
    reopen: (id) => ["--session", id],
    login: "Run opencode auth login",
    places: [
      { variable: "XDG_DATA_HOME", otherwise: ".local/share", below: "opencode" },
      { variable: "XDG_STATE_HOME", otherwise: ".local/state", below: "opencode" },
      { variable: "XDG_CONFIG_HOME", otherwise: ".config", below: "opencode" },
    ],
    quirks: [
      "It has no final event: its last step must end with `stop`, and the process with 0.",
      "While it retries or waits for a limit, sometimes for hours, only its log says so; ralphctl reads it on standard error.",
      "If the context is too long, it may compact and retry without end; ralphctl stops it at the third time.",
      "It calls a missing login or model a failure of its server, so ralphctl has it print its log and reads the words there.",
      "ralphctl denies its question tool and allows everything that needs a permission.",
      "After a refused permission it exits with 0; that is no result.",
      "The messages of its sub-agents are not its own, but their cost counts.",
      "On a signal its tools keep running; ralphctl ends them.",
      "It accepts no system prompt, so that is the first section of the prompt.",
    ],
  },
};

const QUIET = { OPENCODE_DISABLE_AUTOUPDATE: "1" };

type Report = (exit: AgentExit) => AgentOutcome;

interface State {
  readonly model: string | undefined;
  /** What the last step came to. */
  reported: Report | undefined;
}

function createOpencodeReader({ model }: Pick<Session, "model">): AgentReader {
  const state: State = { model, reported: undefined };
  const read = byType(LINES, state);
  const readOther = byType(LINES, { model, reported: undefined } satisfies State);
  let own: string | undefined;
  return createLineReader({
    read: (type, line) => {
      const sessionId = asText(line["sessionID"]);
      // An agent that it started has a session of its own, and speaks neither for it nor in its name.
      if (own !== undefined && sessionId !== undefined && sessionId !== own) {
        return readOther(type, line)?.map((event) => ofOther(event, sessionId));
      }
      const events = read(type, line);
      if (events === undefined || sessionId === undefined || own !== undefined) return events;
      own = sessionId;
      return [sessionEvent({ sessionId, model }), ...events];
    },
    hasResult: () => state.reported !== undefined,
    outcome: (exit) => state.reported?.(exit),
    // A tool is told of only when it is through, and others may run beside it until the step ends.
    progress: (type) => (type === "error" ? undefined : type === "step_finish" ? "asked" : "answered"),
    met: (type, line) => (type === "error" ? metError(line) : undefined),
    readError: readOpencodeLog,
  });
}

const WORDS = new Set<string>(["agent.text", "agent.thinking", "agent.tool", "agent.tool-result"]);

const ofOther = (event: AgentEvent, parent: string): AgentEvent =>
  WORDS.has(event.type) ? ({ ...event, parent } as AgentEvent) : event;

const partOf = (line: JsonObject): JsonObject => asObject(line["part"]) ?? {};

const LINES: Readonly<Record<string, ReadLine<State>>> = {
  // Only the last step speaks for the session.
  step_start: (_, state) => void (state.reported = undefined),
  text: (line) => spoken("agent.text", partOf(line)["text"]),
  reasoning: (line) => spoken("agent.thinking", partOf(line)["text"]),
  tool_use: (line) => toolEvents(partOf(line)),
  step_finish: (line, state) => {
    const part = partOf(line);
    state.reported = stepOutcome(part["reason"]);
    return stepUsage(part, state.model);
  },
  error: (line, state) => void (state.reported = (exit) => errorOutcome(line, exit)),
};

/** A tool is told of when it is through: call and result at once. */
function toolEvents({ callID: id, tool: name, ...part }: JsonObject): AgentEvent[] {
  const state = asObject(part["state"]) ?? {};
  const ok = state["status"] === "completed" && (asNumber(asObject(state["metadata"])?.["exit"]) ?? 0) === 0;
  return [
    toolEvent({ id, name, input: state["input"] }),
    toolResult({ id, ok, output: state["output"] ?? state["error"] }),
  ];
}

/** A step that ends otherwise, as with tool calls, is followed by another one, or the session was cut. */
function stepOutcome(reason: unknown): Report | undefined {
  if (reason === "stop") return () => ({ kind: "done" });
  if (reason === "length") return () => ({ kind: "turn-limit", isOutput: true });
  if (reason === "content-filter") return () => ({ kind: "refused", message: "The provider filtered the answer" });
  return undefined;
}

function stepUsage(part: JsonObject, model: string | undefined): AgentEvent[] {
  const usd = dollars(part["cost"]);
  const tokens = asObject(part["tokens"]) ?? {};
  const output = count(tokens["output"]) + count(tokens["reasoning"]);
  const cache = asObject(tokens["cache"]);
  const [cacheRead, cacheWrite] = [count(cache?.["read"]), count(cache?.["write"])];
  return usageEvents({ input: count(tokens["input"]), output, cacheRead, cacheWrite }, model, { usd });
}

function errorOutcome(line: JsonObject, exit: Pick<AgentExit, "atMs" | "stderr">): AgentOutcome {
  const error = asObject(line["error"]) ?? {};
  const data = asObject(error["data"]) ?? {};
  const name = asText(error["name"]) ?? "unknown";
  if (name === "MessageAbortedError") return { kind: "aborted" };
  const atMs = asNumber(line["timestamp"]) ?? exit.atMs;
  const logged = inLog(asText(data["ref"]), exit.stderr);
  if (logged !== undefined) return withoutLogin(logged) ?? failureOutcome(failureInWords(logged, atMs));
  const sent = asText(data["responseBody"]) ?? "";
  const body = failureInWords(sent, atMs);
  const said = failureInWords(asText(data["message"]) ?? asText(error["message"]) ?? name, atMs);
  return failureOutcome({
    // What a proxy passed on stands in the body alone.
    message: body.message === sent ? said.message : body.message,
    status: asNumber(data["statusCode"]) ?? said.status,
    code: name === "ProviderAuthError" ? "authentication" : name === "APIError" ? (body.code ?? name) : name,
    resetsAtMs: headerReset(asObject(data["responseHeaders"]) ?? {}, atMs) ?? body.resetsAtMs,
    atMs,
  });
}

/** One that it may go on after: it makes room when the context is full. */
function metError(line: JsonObject): Met {
  const { name, data } = asObject(line["error"]) ?? {};
  const text = `${asText(name)} ${asText(asObject(data)?.["message"])}`;
  return { text, outcome: (atMs) => errorOutcome(line, { atMs, stderr: "" }) };
}

/** A request that failed, in its log, without status and headers. What cannot help to try again ends with an event. */
export function readOpencodeLog(text: string): AgentEvent[] {
  if (!/\blevel=ERROR\b.*\bmessage="stream error"/.test(text)) return [];
  const words = /\berror\.error="((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? "";
  const reason = words.replaceAll(/\\(.)/g, "$1").replace(/^\w*Error: /, "");
  const outcome = failureOutcome(failureInWords(reason, 0));
  const isTriedAgain =
    outcome.kind === "limit" ||
    // It makes room, and asks again.
    outcome.kind === "context-too-long" ||
    (outcome.kind === "api-error" && outcome.retryable);
  return isTriedAgain ? [retryEvent({ reason })] : [];
}

/** An error that it tells by a number: its log has the words. */
function inLog(ref: string | undefined, log: string): string | undefined {
  if (ref === undefined) return undefined;
  const line = log.split("\n").findLast((one) => one.includes(`ref=${ref}`));
  return /\berror="((?:[^"\\]|\\.)*)"/.exec(line ?? "")?.[1];
}

/** It suggests the very model that was asked for: it has none of the provider's, because it has no login there. */
function withoutLogin(words: string): AgentOutcome | undefined {
  const [, provider, model, meant = ""] = /Model not found: ([^/\s]+)\/(\S+)\. Did you mean: ([^?]*)/.exec(words) ?? [];
  if (model === undefined || !meant.split(", ").includes(model)) return undefined;
  return { kind: "login", message: `OpenCode has no login for the provider ${provider}`, why: "missing" };
}

/** When a limit ends, from the headers of the answer that told of it. The names are in lower case. */
function headerReset(headers: JsonObject, nowMs: number): number | undefined {
  const told = (name: string, unit?: "ms"): number | undefined => toldTime(headers[name], nowMs, unit);
  const said = told("anthropic-ratelimit-unified-reset") ?? told("retry-after-ms", "ms") ?? told("retry-after");
  if (said !== undefined) return said;
  const spans = ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset"].flatMap(
    (name) => told(name) ?? [],
  );
  return spans.length === 0 ? undefined : Math.max(...spans);
}
