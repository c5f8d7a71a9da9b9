import type { AgentEvent, Usage } from "../domain/agent-event.ts";
import { isTelling } from "./brief.ts";
import { costEvents, retryEvent, toolEvent, toolResult } from "./events.ts";
import { asList, asNumber, asObject, asText, count, dollars, type JsonObject } from "./json-line.ts";
import { usageEvents } from "./line-reader.ts";
import { createTextLines } from "./text-lines.ts";

/** What an agent has said and done in its turn. */
export interface AcpTurn {
  readonly model: string | undefined;
  readonly text: TextLines;
  readonly thought: TextLines;
  readonly calls: Map<string, Call>;
  /** Words of agents that it started, by their sessions. */
  readonly inner: Map<string, TextLines>;
  messageId: unknown;
  /** Texts without an id are the agent's own: no answer of the model, and no claim. */
  marksModel: boolean;
  /** The beginning of its texts since the last tool; if texts of the model are marked, of its own since the model's. */
  words: string;
  hasTools: boolean;
  /** Reported so far. */
  costUsd: number;
  hasTokens: boolean;
}

type TextLines = ReturnType<typeof createTextLines>;

/** A tool call that is not over, as far as it was told. */
interface Call {
  readonly told: JsonObject;
  readonly isShown: boolean;
}

export const newTurn = (model: string | undefined): AcpTurn => ({
  model,
  text: createTextLines(),
  thought: createTextLines("agent.thinking"),
  calls: new Map(),
  inner: new Map(),
  messageId: undefined,
  marksModel: false,
  words: "",
  hasTools: false,
  costUsd: 0,
  hasTokens: false,
});

/** The rest of a text. */
export const closeTexts = ({ text, thought }: AcpTurn): AgentEvent[] => [...thought.close(), ...text.close()];

/** The rest of all texts. */
export const closeAllTexts = (turn: AcpTurn): AgentEvent[] => [
  ...[...turn.inner.values()].flatMap((text) => text.close()),
  ...closeTexts(turn),
];

/** Events of a `session/update`; undefined: of a kind that is not known. */
export function readUpdate(update: JsonObject, turn: AcpTurn): AgentEvent[] | undefined {
  const kind = asText(update["sessionUpdate"]) ?? "";
  return Object.hasOwn(KINDS, kind) ? KINDS[kind]!(update, turn) : QUIET.has(kind) ? [] : undefined;
}

/** The same from an agent that this one started, in a session of its own. */
export function readInnerUpdate({ sessionUpdate, content }: JsonObject, session: string, turn: AcpTurn): AgentEvent[] {
  const text = turn.inner.get(session) ?? createTextLines("agent.text", session);
  turn.inner.set(session, text);
  return sessionUpdate === "agent_message_chunk" ? text.add(asText(asObject(content)?.["text"]) ?? "") : text.close();
}

const KINDS: Readonly<Record<string, (update: JsonObject, turn: AcpTurn) => AgentEvent[]>> = {
  agent_message_chunk: (update, turn) => [...turn.thought.close(), ...readChunk(update, turn, turn.text)],
  agent_thought_chunk: (update, turn) => [...turn.text.close(), ...readChunk(update, turn, turn.thought)],
  tool_call: (update, turn) => readCall(update, turn),
  tool_call_update: (update, turn) => readCall(update, turn),
  usage_update: (update, turn) => {
    const cost = asObject(update["cost"]);
    // Of the session so far. 0 is what some say who do not know the price.
    const sum = cost?.["currency"] === "USD" ? (dollars(cost["amount"]) ?? 0) : 0;
    const more = sum - turn.costUsd;
    turn.costUsd = Math.max(turn.costUsd, sum);
    return more > 0 ? costEvents(more) : [];
  },
  session_info_update: ({ _meta }) => codexRetry(asObject(asObject(asObject(_meta)?.["codex"])?.["error"]) ?? {}),
};

/** A request that Codex's adapter repeats. */
function codexRetry({ willRetry, message, additionalDetails, codexErrorInfo }: JsonObject): AgentEvent[] {
  if (willRetry !== true) return [];
  const words = asText(message) ?? "";
  const [, attempt, of] = (/(\d{1,6})\/(\d{1,6})/.exec(words) ?? []).map(Number);
  const statuses = Object.values(asObject(codexErrorInfo) ?? {}).map((info) => asObject(info)?.["httpStatusCode"]);
  const reason = asText(additionalDetails) ?? words;
  return [retryEvent({ attempt, of, status: statuses.find((status) => asNumber(status) !== undefined), reason })];
}

const MOST_WORDS = 4096;

function readChunk({ messageId, content, _meta }: JsonObject, turn: AcpTurn, lines: TextLines): AgentEvent[] {
  const isOwn = turn.marksModel && messageId === undefined;
  const rest = messageId === turn.messageId ? [] : lines.close();
  turn.messageId = messageId;
  const words = asText(asObject(content)?.["text"]) ?? "";
  if (turn.marksModel && !isOwn) turn.words = "";
  else if (lines === turn.text && turn.words.length < MOST_WORDS) turn.words += words;
  if (isOwn) return words.trim() === "" ? rest : [...rest, { type: "agent.notice", text: words.trim() }];
  const tokens = asObject(asObject(_meta)?.["usage"]);
  turn.hasTokens ||= tokens !== undefined;
  return [...rest, ...lines.add(words), ...usageEvents(tokens && tokensOf(tokens), turn.model)];
}

/** A tool call, or more about one. Asking for permission tells of one, too, as far as it will be told. */
export function readCall(given: JsonObject, turn: AcpTurn, isAsked = false): AgentEvent[] {
  const id = asText(given["toolCallId"]) ?? "";
  const before = turn.calls.get(id);
  turn.hasTools = true;
  turn.words = "";
  const told = { ...before?.told, ...withValues(given) };
  const { status, rawInput } = told;
  const isOver = status === "completed" || status === "failed";
  const wasShown = before?.isShown === true;
  // Its arguments may arrive in parts.
  const isShown = wasShown || isOver || isAsked || status === "in_progress" || isTelling(rawInput);
  if (isOver) turn.calls.delete(id);
  else turn.calls.set(id, { told, isShown });
  return [
    ...closeTexts(turn),
    ...(isShown && !wasShown ? [callEvent(id, told)] : []),
    ...(isOver ? [toolResult({ id, ok: status === "completed", output: outputOf(told) })] : []),
  ];
}

/** Known, and about the agent's own affairs. */
const QUIET: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "plan",
  "plan_update",
  "plan_removed",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
]);

const withValues = (call: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(call).filter(([, value]) => value !== null && value !== undefined));

/** By its name, or by its kind: `execute`, `edit`. Its title stands for an input that is not told. */
function callEvent(id: string, { name, kind, title, rawInput }: JsonObject): AgentEvent {
  const input = isTelling(rawInput) ? rawInput : (asText(title) ?? rawInput);
  return toolEvent({ id: id === "" ? undefined : id, name: asText(name) ?? asText(kind) ?? asText(title), input });
}

/** Words for a person, or what the tool returned. */
function outputOf({ content, rawOutput }: JsonObject): unknown {
  const shown = asList(content).map((part) => asObject(asObject(part)?.["content"]));
  const words = shown.filter((part) => asText(part?.["text"]) !== undefined);
  if (words.length > 0) return words;
  const raw = asObject(rawOutput);
  return raw === undefined ? rawOutput : (raw["output"] ?? raw["content"] ?? JSON.stringify(raw));
}

/** Tokens by the names of the protocol. Some count those of the cache as input, and thinking as output, too. */
export function tokensOf(usage: JsonObject): Usage {
  const [cacheRead, cacheWrite] = [count(usage["cachedReadTokens"]), count(usage["cachedWriteTokens"])];
  const [input, output] = [count(usage["inputTokens"]), count(usage["outputTokens"])];
  const cached = cacheRead + cacheWrite;
  const total = asNumber(usage["totalTokens"]) ?? Infinity;
  const isApart = total >= input + output + cached;
  const rest = total - input - output - (isApart ? cached : 0);
  const thought = count(usage["thoughtTokens"]);
  return {
    input: isApart ? input : Math.max(0, input - cached),
    output: thought > 0 && rest >= thought && total !== Infinity ? output + thought : output,
    cacheRead,
    cacheWrite,
  };
}
