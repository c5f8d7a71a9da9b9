import type { AgentEvent, AgentExit, AgentOutcome, AgentReader, OwnFile } from "../domain/agent-event.ts";
import { isNoUsage } from "../domain/usage.ts";
import { instant } from "./api-failure.ts";
import { claudeRetry, retryEvent, toolEvent, toolResult } from "./events.ts";
import {
  type Before,
  claudeCost,
  type ClaudeDialect,
  claudeOutcome,
  claudeUsage,
  isGood,
  isPiece,
  messageUsage,
  trackUnbilledUsage,
} from "./claude-result.ts";
import { asList, asNumber, asObject, asText, dollars, type JsonObject, present } from "./json-line.ts";
import { createLineReader, usageEvents } from "./line-reader.ts";
import { serverTime } from "./reset-time.ts";

const CLAUDE: ClaudeDialect = {
  outcome: (result, before, { atMs }) => claudeOutcome(result, before, atMs),
  usage: claudeUsage,
  cost: claudeCost,
  messageUsage,
  ownFile: ({ id, cwd }) => ({
    variable: "CLAUDE_CONFIG_DIR",
    otherwise: ".claude",
    folder: `projects/${cwd.replaceAll(/[^a-zA-Z0-9]/g, "-")}`,
    endsWith: `${id}.jsonl`,
  }),
};

/** Reads Claude Code's stream-json: one `assistant` line per content block, one `result` (or two) at the end. */
export function createClaudeReader(dialect: ClaudeDialect = CLAUDE): AgentReader {
  const state: State = {
    isInterrupted: false,
    isOver: false,
    totalCost: 0,
    unbilled: trackUnbilledUsage(),
    running: new Map(),
    session: "",
    own: undefined,
    hasSpoken: false,
  };
  return createLineReader({
    read: (type, line) => {
      const readLine = entry(LINES, type);
      return readLine && (readLine(line, state, dialect) ?? []);
    },
    hasResult: () => state.isOver && !hasAgents(state) && !isWaiting(state),
    isWaiting: () => isWaiting(state),
    outcome: (exit) => reported(state, exit, dialect),
    wants: () => (state.unbilled.isNone() ? undefined : state.own),
    own: ({ message: said }) => {
      const message = asObject(said);
      state.unbilled.correct(asText(message?.["id"]) ?? "", dialect.messageUsage(message?.["usage"]));
    },
    ownWords: ['"usage"'],
    // Of messages that no result covers.
    unreported: () => usageEvents(state.unbilled.total(), state.model, { isEstimated: true }),
    progress: (type, line) => (isPiece(type, line) ? "answered" : undefined),
    ...(dialect.readError && { readError: dialect.readError }),
  });
}

function reported(state: State, exit: AgentExit, dialect: ClaudeDialect): AgentOutcome | undefined {
  if (state.result !== undefined) return dialect.outcome(state.result.line, state.result.before, exit);
  return state.isInterrupted ? { kind: "aborted" } : dialect.withoutResult?.(exit);
}

interface State {
  /** The last `result`, with what was known when it came. */
  result?: { readonly line: JsonObject; readonly before: Before } | undefined;
  isInterrupted: boolean;
  /** A `result` was there and nothing of substance after it. */
  isOver: boolean;
  limit?: Before["limit"];
  /** The `error` of the last message that the CLI made up itself. */
  error?: string | undefined;
  totalCost: number;
  readonly unbilled: ReturnType<typeof trackUnbilledUsage>;
  /** Work in the background, which ends in another result. */
  readonly running: Map<string, BackgroundWork>;
  /** The last session that was told of. */
  session: string;
  own: OwnFile | undefined;
  model?: string | undefined;
  /** The agent itself said something since its last tool result. */
  hasSpoken: boolean;
}

interface BackgroundWork {
  readonly name: string;
  /** An agent prints what it does; a command and a time to wake up are silent. */
  readonly isSilent: boolean;
}

const hasAgents = ({ running }: State): boolean => [...running.values()].some(({ isSilent }) => !isSilent);

/** After a failure nothing in the background can help. */
const isWaiting = (state: State): boolean =>
  state.isOver && state.running.size > 0 && !hasAgents(state) && isGood(state.result?.line ?? {});

type ReadLine = (message: JsonObject, state: State, dialect: ClaudeDialect) => AgentEvent[] | undefined;

/** Own entries only: a line may call its subtype `constructor`. */
const entry = (table: Readonly<Record<string, ReadLine>>, name: unknown): ReadLine | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;

const LINES: Readonly<Record<string, ReadLine>> = {
  system: (message, state, dialect) => entry(SYSTEM, message["subtype"])?.(message, state, dialect),
  assistant: readAssistant,
  user: readUser,
  rate_limit_event: readLimit,
  result: readResult,
  // Repeats in parts what comes whole in `assistant`; only what a message took is news.
  stream_event: (message, state, dialect) => {
    const event = asObject(message["event"]);
    const id = asText(message["api_message_id"]);
    if (event?.["type"] === "message_delta" && id !== undefined) {
      state.unbilled.note(id, dialect.messageUsage(event["usage"]));
    }
    return [];
  },
};

/** Of the many kinds of `system` lines, those that matter; the rest are about the CLI's own affairs. */
const SYSTEM: Readonly<Record<string, ReadLine>> = {
  init: (message, state, dialect) => {
    // A turn begins, the first or one more: only its own result speaks for it.
    state.result = undefined;
    state.isInterrupted = false;
    state.isOver = false;
    state.running.delete(WAKEUP);
    state.model = asText(message["model"]) ?? state.model;
    state.own = ownFile(message, dialect);
    const session = present({
      type: "agent.session" as const,
      sessionId: asText(message["session_id"]),
      model: asText(message["model"]),
      version: asText(message["claude_code_version"]),
    });
    // A background agent's answer begins with the same line again.
    const key = JSON.stringify(session);
    if (key === state.session) return [];
    state.session = key;
    return [session];
  },
  api_retry: (message) => [claudeRetry(message)],
  // As Qwen Code says it.
  retry: (message) => {
    const { attempt, maxRetries: of, delayMs, reason } = asObject(message["data"]) ?? {};
    return [retryEvent({ attempt, of, delayMs, reason })];
  },
  task_started: (message, state) => {
    if (message["is_backgrounded"] === true) noteRunning(message, state);
    return [];
  },
  // All of them, with those that were moved to the background.
  background_tasks_changed: (message, state) => {
    for (const id of state.running.keys()) if (id !== WAKEUP) state.running.delete(id);
    for (const task of asList(message["tasks"])) noteRunning(asObject(task) ?? {}, state);
    return [];
  },
  task_notification: (message, state) => void state.running.delete(asText(message["task_id"]) ?? ""),
  informational: (message) => notice(asText(message["content"])),
  model_fallback: () => notice("The model was unavailable; another one answers"),
  permission_denied: (message) => notice(asText(message["message"])),
};

const noteRunning = (task: JsonObject, { running }: State): void =>
  void running.set(asText(task["task_id"]) ?? "", {
    name: asText(task["description"]) ?? "a command",
    isSilent: task["task_type"] === "local_bash",
  });

/** Its tool to be woken up, after which it is silent until then. */
const WAKEUP = "ScheduleWakeup";

/** The id becomes part of a path. */
function ownFile(init: JsonObject, dialect: ClaudeDialect): OwnFile | undefined {
  const [id, cwd] = [asText(init["session_id"]) ?? "", asText(init["cwd"]) ?? ""];
  return /^[\w-]{8,64}$/.test(id) && cwd !== "" ? dialect.ownFile?.({ id, cwd }) : undefined;
}

const notice = (text: string | undefined): AgentEvent[] => (text ? [{ type: "agent.notice", text }] : []);

function readAssistant(line: JsonObject, state: State, dialect: ClaudeDialect): AgentEvent[] {
  const message = asObject(line["message"]);
  const parent = asText(line["parent_tool_use_id"]);
  if (parent === undefined) state.isOver = false;
  // Made up by the CLI to show a failure: the `result` that follows says the same. Never the agent's own words.
  const isMadeUp = message?.["model"] === "<synthetic>" || line["is_api_error_message"] === true;
  if (isMadeUp || dialect.isFailure?.(message) === true) {
    state.error = asText(line["error"]) ?? "unknown";
    return [];
  }
  state.model = asText(message?.["model"]) ?? state.model;
  const written = JSON.stringify(message?.["content"] ?? "").length;
  state.unbilled.note(asText(message?.["id"]) ?? "", dialect.messageUsage(message?.["usage"]), written);
  const events = asList(message?.["content"]).flatMap((block) => blockEvents(asObject(block) ?? {}, parent));
  if (parent === undefined && events.some(({ type }) => type === "agent.text")) state.hasSpoken = true;
  if (events.some((event) => event.type === "agent.tool" && event.name === WAKEUP)) {
    state.running.set(WAKEUP, { name: "the time at which it wakes up", isSilent: true });
  }
  return events;
}

function blockEvents(block: JsonObject, parent: string | undefined): AgentEvent[] {
  const text = asText(block["text"]);
  if (block["type"] === "text" && text !== undefined) return [present({ type: "agent.text" as const, text, parent })];
  const thinking = asText(block["thinking"]);
  if (block["type"] === "thinking" && thinking !== undefined) {
    return [present({ type: "agent.thinking" as const, text: thinking, parent })];
  }
  const { id, name, input } = block;
  return block["type"] === "tool_use" ? [toolEvent({ id, name, input }, parent)] : [];
}

function readUser(line: JsonObject, state: State): AgentEvent[] {
  const parent = asText(line["parent_tool_use_id"]);
  if (parent === undefined) state.isOver = false;
  const blocks = asList(asObject(line["message"])?.["content"]).map((block) => asObject(block) ?? {});
  // The CLI's own words for SIGINT, after which it exits with 0.
  const isInterrupted = blocks.some(
    (block) => asText(block["text"])?.startsWith("[Request interrupted by user") === true,
  );
  if (isInterrupted && line["isSynthetic"] !== true && parent === undefined) {
    state.isInterrupted = true;
    state.result = undefined;
  }
  const results = blocks.filter((block) => block["type"] === "tool_result");
  if (parent === undefined && results.length > 0) state.hasSpoken = false;
  return results.map(({ tool_use_id: id, is_error: isError, content }) =>
    toolResult({ id, ok: isError !== true, output: content }, parent),
  );
}

function readLimit(line: JsonObject, state: State): AgentEvent[] {
  const info = asObject(line["rate_limit_info"]);
  const limit = present({
    kind: asText(info?.["rateLimitType"]) ?? "usage",
    resetsAtMs: instant(serverTime(info?.["resetsAt"])),
  });
  if (info?.["status"] === "rejected") state.limit = limit;
  if (info?.["status"] !== "allowed_warning") return [];
  const utilization = asNumber(info["utilization"]);
  return [present({ type: "agent.limit-warning" as const, ...limit, utilization })];
}

function readResult(line: JsonObject, state: State, dialect: ClaudeDialect): AgentEvent[] {
  // The last one counts: an agent in the background is answered by a second.
  state.result = { line, before: { limit: state.limit, error: state.error } };
  state.isInterrupted = false;
  state.isOver = true;
  state.error = undefined;
  const usage = dialect.usage(line);
  // One that says nothing of what was taken accounts for nothing.
  if (usage !== undefined && !isNoUsage(usage)) state.unbilled.clear();
  const usd = dialect.cost(line, state.totalCost);
  state.totalCost = dollars(line["total_cost_usd"]) ?? state.totalCost;
  return [
    ...finalWords(line, state),
    ...usageEvents(usage, state.model, { usd }),
    ...(isWaiting(state) ? notice(`It waits for ${namesOf(state)}, in the background`) : []),
  ];
}

const namesOf = ({ running }: State): string => [...running.values()].map(({ name }) => name).join(", ");

/** The result repeats the last message. When nothing was said after the last tool, it is the only place of the answer. */
function finalWords(line: JsonObject, state: State): AgentEvent[] {
  const text = asText(line["result"]) ?? "";
  if (!isGood(line) || state.hasSpoken || text.trim() === "") return [];
  state.hasSpoken = true;
  return [{ type: "agent.text", text }];
}
