import { ACP_VERSION } from "../domain/acp.ts";
import type { AgentEvent, AgentExit, AgentOutcome, AgentReader, Usage } from "../domain/agent-event.ts";
import {
  type AcpTurn,
  closeAllTexts,
  newTurn,
  readCall,
  readInnerUpdate,
  readUpdate,
  tokensOf,
} from "./acp-updates.ts";
import { isNoUsage } from "../domain/usage.ts";
import { claudeRetry } from "./events.ts";
import { failureInWords, failureOutcome } from "./api-failure.ts";
import { createRetryReader } from "./gemini.ts";
import type { Session } from "./harness.ts";
import { readOpencodeLog } from "./opencode.ts";
import { readQwenWait } from "./qwen.ts";
import { asList, asNumber, asObject, asText, count, type JsonObject } from "./json-line.ts";
import { byType, createLineReader, nothing, type ReadLine, sessionEvent, usageEvents } from "./line-reader.ts";

interface State {
  readonly turn: AcpTurn;
  /** Methods of our requests by their ids. */
  readonly asked: Map<unknown, string>;
  /** What the agent asks permission for, by the ids of its requests. */
  readonly permissions: Map<unknown, JsonObject>;
  model: string | undefined;
  sessionId: string | undefined;
  version: string | undefined;
  /** The agent's own name. */
  name: string | undefined;
  /** How one can log in, in the agent's words. */
  logins: readonly string[];
  /** The answer to the prompt, or the reason why there is none. */
  end: { readonly answer: JsonObject } | Failed | undefined;
}

/** The agent, or our own program, said why it cannot go on. */
type Failed = RequestFailure | { readonly outcome: AgentOutcome };

interface RequestFailure {
  readonly error: JsonObject;
  readonly method: string;
}

/** Reads a conversation by the Agent Client Protocol: the agent's lines, and those of our program (`AcpNote`). */
export function createAcpReader({ model }: Pick<Session, "model">): AgentReader {
  const state: State = {
    turn: newTurn(model),
    asked: new Map(),
    permissions: new Map(),
    model,
    sessionId: undefined,
    version: undefined,
    name: undefined,
    logins: [],
    end: undefined,
  };
  const readOwn = byType(NOTES, state);
  const readGemini = createRetryReader();
  const readTheirs = byType(MESSAGES, state);
  return createLineReader({
    typeOf: (line) => (line["jsonrpc"] === "2.0" ? (line["method"] ?? "") : Object.keys(line)[0]),
    read: (type, line) => {
      if (line["jsonrpc"] !== "2.0") return readOwn(type, line);
      if (type === "session/update") return readSessionUpdate(line, state);
      return readTheirs(type, line) ?? (isKnown(type, line) ? [] : undefined);
    },
    hasResult: () => state.end !== undefined,
    outcome: (exit) => outcomeOf(state, exit),
    last: () => closeAllTexts(state.turn),
    // Where these three tell of retries, and nowhere else.
    readError: (text) => [...readGemini(text), ...readQwenWait(text), ...readOpencodeLog(text)],
  });
}

/** An extension of the agent's own, or a request that our program has answered: there is no such method. */
const isKnown = (method: string, { id }: JsonObject): boolean => method.startsWith("_") || id !== undefined;

/** Lines of our program. */
const NOTES: Readonly<Record<string, ReadLine<State>>> = {
  sent: ({ sent }, state) => readSent(asObject(sent) ?? {}, state),
  problem: ({ problem }, state) => {
    const { about, message } = asObject(problem) ?? {};
    const words = asText(message) ?? "unknown";
    state.end ??= { outcome: about === "model" ? noModel(words) : broken(words) };
    return [];
  },
};

/** Messages of the agent, by their method; answers have none. */
const MESSAGES: Readonly<Record<string, ReadLine<State>>> = {
  "": readAnswer,
  "session/request_permission": ({ id, params }, { turn, permissions }) => {
    const request = asObject(params) ?? {};
    permissions.set(id, request);
    return readCall(asObject(request["toolCall"]) ?? {}, turn, true);
  },
  "_claude/sdkMessage": ({ params }) => {
    const message = asObject(asObject(params)?.["message"]) ?? {};
    return message["subtype"] === "api_retry" ? [claudeRetry(message)] : [];
  },
  "$/cancel_request": nothing,
};

function readSessionUpdate({ params }: JsonObject, { turn, sessionId }: State): AgentEvent[] | undefined {
  const { update, sessionId: session } = asObject(params) ?? {};
  const given = asObject(update) ?? {};
  const isInner = typeof session === "string" && sessionId !== undefined && session !== sessionId;
  return isInner ? readInnerUpdate(given, session, turn) : readUpdate(given, turn);
}

/** A message of ours: a request, or the answer to one of the agent's. */
function readSent({ id, method, result }: JsonObject, { asked, permissions }: State): AgentEvent[] {
  if (typeof method === "string") {
    if (id !== undefined) asked.set(id, method);
    return [];
  }
  const request = permissions.get(id);
  if (request === undefined) return [];
  permissions.delete(id);
  return [{ type: "agent.notice", text: permissionText(request, asObject(result) ?? {}) }];
}

function permissionText({ toolCall, options }: JsonObject, { outcome }: JsonObject): string {
  const { title, kind, toolCallId } = asObject(toolCall) ?? {};
  const what = asText(title) ?? asText(kind) ?? asText(toolCallId) ?? "something";
  const { optionId } = asObject(outcome) ?? {};
  const chosen = asList(options)
    .map(asObject)
    .find((option) => option?.["optionId"] === optionId && optionId !== undefined);
  const name = asText(chosen?.["name"]) ?? asText(optionId);
  if (chosen?.["kind"] === "allow_once") return `Allowed once: ${what} (${name})`;
  if (chosen?.["kind"] === "reject_once") return `Not allowed: ${what} (${name})`;
  return `Not allowed: ${what} (no option for this once was offered)`;
}

/** The agent's answer to a request of ours. */
function readAnswer(line: JsonObject, state: State): AgentEvent[] {
  const method = state.asked.get(line["id"]);
  if (method === undefined) return [];
  if (!("result" in line)) {
    state.end ??= { error: asObject(line["error"]) ?? {}, method };
    return closeAllTexts(state.turn);
  }
  // Where there is nothing to tell, some say null.
  return Object.hasOwn(ANSWERS, method) ? ANSWERS[method]!(asObject(line["result"]) ?? {}, state) : [];
}

const ANSWERS: Readonly<Record<string, (result: JsonObject, state: State) => AgentEvent[]>> = {
  initialize: (result, state) => {
    state.logins = asList(result["authMethods"]).flatMap((one) => asText(asObject(one)?.["name"]) ?? []);
    const { name, version: own } = asObject(result["agentInfo"]) ?? {};
    state.name = asText(name);
    // Codex's adapter says warnings and errors in the same way as the words of the model.
    state.turn.marksModel = state.name?.endsWith("/codex-acp") === true;
    state.version = asText(own);
    const version = result["protocolVersion"];
    if (version !== ACP_VERSION) {
      state.end ??= {
        outcome: broken(`speaks version ${JSON.stringify(version)} of ACP, and ralphctl version ${ACP_VERSION}`),
      };
    }
    return [];
  },
  "session/new": (result, state) => {
    state.sessionId = asText(result["sessionId"]);
    const { version } = state;
    return [{ ...sessionEvent(state), ...(version !== undefined && { version }) }];
  },
  "session/prompt": (result, state) => {
    state.end ??= { answer: result };
    const { turn, model } = state;
    const usage = turn.hasTokens ? undefined : usageOf(result);
    const hasCost = turn.costUsd > 0 && usage !== undefined && !isNoUsage(usage);
    const events: AgentEvent[] = hasCost ? [{ type: "agent.usage", ...usage }] : usageEvents(usage, model);
    return [...closeAllTexts(turn), ...events];
  },
};

/** In the protocol's place, or beside it as some do. */
function usageOf({ usage, _meta }: JsonObject): Usage | undefined {
  const told = asObject(usage);
  if (told !== undefined) return tokensOf(told);
  const tokens = asObject(asObject(asObject(_meta)?.["quota"])?.["token_count"]);
  return (
    tokens && {
      input: count(tokens["input_tokens"]),
      output: count(tokens["output_tokens"]),
      cacheRead: 0,
      cacheWrite: 0,
    }
  );
}

function outcomeOf(state: State, exit: AgentExit): AgentOutcome | undefined {
  const { end, logins } = state;
  if (end === undefined) return undefined;
  if ("outcome" in end) return end.outcome;
  if ("error" in end) return failureOf(end, logins, exit);
  const silence = silenceOf(end.answer, state, exit);
  if (silence !== undefined) return silence;
  const reason = asText(end.answer["stopReason"]) ?? "";
  return Object.hasOwn(REASONS, reason)
    ? REASONS[reason]
    : broken(`ended its turn for a reason that is not known: ${JSON.stringify(reason)}`);
}

/**
 * Some agents end a turn well although the model's server refused it, with its words as their own text. They report no
 * tokens then. The words of a model are never read (P-43).
 */
function silenceOf(answer: JsonObject, { turn, name }: State, { atMs }: AgentExit): AgentOutcome | undefined {
  const { stopReason, usage } = answer;
  const tokens = usageOf(answer);
  const isZero = tokens !== undefined && isNoUsage(tokens);
  const isUnused = !turn.hasTools && !turn.hasTokens && (isZero || usage === null);
  // By these two it is known also in the middle of a session: one has a form for it, one marks the model's words.
  const hasError = usage === undefined ? turn.words.includes("Error: ") : COPILOTS_ERROR.test(turn.words);
  const isCopilots = name === "Copilot" && hasError;
  const isOwn = isCopilots || (turn.marksModel && turn.words.trim() !== "");
  if (stopReason !== "end_turn" || !(isUnused || isOwn)) return undefined;
  // Warnings may stand before.
  const words = turn.words
    .trim()
    .split(/\n\n|(?=\bError: )/)
    .at(-1)!;
  if (words === "" && isZero) return failureOutcome({ message: "The model gave no answer", atMs });
  // A model without a meter may have said them.
  const outcome = failureOutcome(failureInWords(words, atMs));
  return outcome.kind !== "api-error" || outcome.status !== undefined ? outcome : undefined;
}

/** All that Copilot says after its last tool: that it tries again, and with which status it gave up. */
const COPILOTS_ERROR = /^\s*(?:Info: [^\n]{0,200}?\.\.\.\s*)*Error: [^\n]{0,400}\(HTTP [45]\d\d\)/;

const REASONS: Readonly<Record<string, AgentOutcome>> = {
  end_turn: { kind: "done" },
  max_tokens: { kind: "turn-limit", isOutput: true },
  max_turn_requests: { kind: "turn-limit" },
  refusal: { kind: "refused", message: "The agent refused to go on" },
  cancelled: { kind: "aborted" },
};

const LOGIN_REQUIRED = -32000;

/** What a request failed with: by the words first, since agents use the code of a login for other failures, too. */
function failureOf({ error, method }: RequestFailure, logins: readonly string[], { atMs }: AgentExit): AgentOutcome {
  const parts = wordsOf(error);
  const words = parts.join(": ");
  const said = failureInWords(words, atMs);
  const status = said.status ?? parts.map((part) => failureInWords(part, atMs).status).find(Boolean);
  const code = asNumber(error["code"]) ?? 0;
  // 500 is what Gemini CLI gives to any failure.
  const outcome = failureOutcome({ ...said, status: status ?? (code < 500 ? code : undefined) });
  const isVague = outcome.kind === "api-error" && outcome.status === undefined;
  const isLogin = outcome.kind === "login" && outcome.why !== "region";
  if (error["code"] === LOGIN_REQUIRED && (isVague || isLogin)) {
    return { kind: "login", message: logins.length === 0 ? words : `${words}; it offers: ${logins.join(", ")}` };
  }
  if (!isVague) return outcome;
  return method === "session/prompt" ? outcome : broken(`answered ${method} with an error: ${words}`);
}

/** The message, and what stands beside it. */
function wordsOf({ message, data }: JsonObject): readonly string[] {
  const { details, message: inner, error } = asObject(data) ?? {};
  const more = asText(data) ?? asText(details) ?? asText(inner) ?? asText(error);
  return [...new Set([asText(message) ?? "unknown", ...(more === undefined ? [] : [more])])];
}

const noModel = (message: string): AgentOutcome => failureOutcome({ message, code: "model_not_found", atMs: 0 });

/** The subject is the agent. */
const broken = (detail: string): AgentOutcome => ({ kind: "crashed", code: null, signal: null, detail });
