import type { AgentEvent, AgentOutcome, AgentReader } from "../domain/agent-event.ts";
import { agentEnding } from "../domain/agent-ending.ts";
import { isNoUsage } from "../domain/usage.ts";
import { briefInput, briefOutput } from "./brief.ts";
import { claudeCost, claudeOutcome, claudeUsage, messageUsage, type ClaudeLimit } from "./claude-result.ts";
import { asList, asNumber, asObject, asText, jsonLine, type JsonObject, present } from "./json-line.ts";
import { sumUnbilled, type UnbilledUsage } from "./unbilled-usage.ts";
import { countUnknownLines } from "./unknown-lines.ts";

/** Reads Claude Code's stream-json: one `assistant` line per content block, one `result` (or two) at the end. */
export function createClaudeReader(): AgentReader {
  const state: State = {
    reported: undefined,
    isOver: false,
    limit: undefined,
    error: undefined,
    totalCost: 0,
    unbilled: sumUnbilled(),
    running: new Set(),
    session: "",
  };
  const unknown = countUnknownLines();
  return {
    line: (text) => {
      const message = jsonLine(text);
      const read = entry(LINES, message?.["type"]);
      return message === undefined || read === undefined ? unknown.add(text) : read(message, state);
    },
    hasResult: () => state.isOver && state.running.size === 0,
    end: (exit) => [
      ...unbilledUsage(state),
      ...unknown.events(),
      // No result is no claim, whatever the text says.
      { type: "agent.ended", outcome: agentEnding(state.reported, exit) },
    ],
  };
}

interface State {
  /** What the last `result` says, or an interruption. */
  reported: AgentOutcome | undefined;
  /** A `result` was there and nothing of substance after it. */
  isOver: boolean;
  limit: ClaudeLimit | undefined;
  /** The `error` of the last message that the CLI made up itself. */
  error: string | undefined;
  totalCost: number;
  readonly unbilled: UnbilledUsage;
  /** Agents in the background, which end in another result. */
  readonly running: Set<string>;
  /** The last session that was told of. */
  session: string;
}

type ReadLine = (message: JsonObject, state: State) => AgentEvent[];

/** Own entries only: a line may call its type `constructor`. */
const entry = (table: Readonly<Record<string, ReadLine>>, name: unknown): ReadLine | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;

const LINES: Readonly<Record<string, ReadLine>> = {
  system: (message, state) => entry(SYSTEM, message["subtype"])?.(message, state) ?? [],
  assistant: readAssistant,
  user: readUser,
  rate_limit_event: readLimit,
  result: readResult,
  // Repeats in parts what comes whole in `assistant`; only what a message took is news.
  stream_event: (message, state) => {
    const event = asObject(message["event"]);
    const id = asText(message["api_message_id"]);
    if (event?.["type"] === "message_delta" && id !== undefined) noteUsage(state, id, event["usage"]);
    return [];
  },
};

/** Of the many kinds of `system` lines, those that matter; the rest are about the CLI's own affairs. */
const SYSTEM: Readonly<Record<string, ReadLine>> = {
  init: (message, state) => {
    // A turn begins, the first or one more: only its own result speaks for it.
    state.reported = undefined;
    state.isOver = false;
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
  api_retry: (message) => [
    present({
      type: "agent.retry" as const,
      attempt: asNumber(message["attempt"]),
      of: asNumber(message["max_retries"]),
      delayMs: asNumber(message["retry_delay_ms"]),
      status: asNumber(message["error_status"]),
      reason: asText(message["error"]) ?? "unknown",
    }),
  ],
  task_started: (message, state) => {
    const isAgent = message["is_backgrounded"] === true && message["task_type"] !== "local_bash";
    if (isAgent) state.running.add(asText(message["task_id"]) ?? "");
    return [];
  },
  task_notification: (message, state) => {
    state.running.delete(asText(message["task_id"]) ?? "");
    return [];
  },
  informational: (message) => notice(asText(message["content"])),
  model_fallback: () => notice("The model was not available: another one answers"),
  permission_denied: (message) => notice(asText(message["message"])),
};

const notice = (text: string | undefined): AgentEvent[] => (text ? [{ type: "agent.notice", text }] : []);

function readAssistant(line: JsonObject, state: State): AgentEvent[] {
  const message = asObject(line["message"]);
  const parent = asText(line["parent_tool_use_id"]);
  if (parent === undefined) state.isOver = false;
  // Made up by the CLI to show a failure: the `result` that follows says the same. Never the agent's own words.
  if (message?.["model"] === "<synthetic>" || line["is_api_error_message"] === true) {
    state.error = asText(line["error"]) ?? "unknown";
    return [];
  }
  const id = asText(message?.["id"]) ?? "";
  noteUsage(state, id, message?.["usage"]);
  return asList(message?.["content"]).flatMap((block) => blockEvents(asObject(block) ?? {}, parent));
}

function blockEvents(block: JsonObject, parent: string | undefined): AgentEvent[] {
  const text = asText(block["text"]);
  if (block["type"] === "text" && text !== undefined) return [present({ type: "agent.text" as const, text, parent })];
  const thinking = asText(block["thinking"]);
  if (block["type"] === "thinking" && thinking !== undefined) {
    return [present({ type: "agent.thinking" as const, text: thinking, parent })];
  }
  if (block["type"] !== "tool_use") return [];
  const name = asText(block["name"]) ?? "tool";
  const input = briefInput(block["input"]);
  return [present({ type: "agent.tool" as const, id: asText(block["id"]), name, input, parent })];
}

function readUser(line: JsonObject, state: State): AgentEvent[] {
  const parent = asText(line["parent_tool_use_id"]);
  if (parent === undefined) state.isOver = false;
  const blocks = asList(asObject(line["message"])?.["content"]).map((block) => asObject(block) ?? {});
  // The CLI's own words for SIGINT, after which it exits with 0.
  const isInterrupted = blocks.some(
    (block) => asText(block["text"])?.startsWith("[Request interrupted by user") === true,
  );
  if (isInterrupted && line["isSynthetic"] !== true && parent === undefined) state.reported = { kind: "aborted" };
  return blocks
    .filter((block) => block["type"] === "tool_result")
    .map((block) =>
      present({
        type: "agent.tool-result" as const,
        id: asText(block["tool_use_id"]),
        ok: block["is_error"] !== true,
        output: briefOutput(block["content"]),
        parent,
      }),
    );
}

function readLimit(line: JsonObject, state: State): AgentEvent[] {
  const info = asObject(line["rate_limit_info"]);
  const seconds = asNumber(info?.["resetsAt"]);
  const limit = present({
    kind: asText(info?.["rateLimitType"]) ?? "usage",
    resetsAtMs: seconds === undefined ? undefined : seconds * 1000,
  });
  if (info?.["status"] === "rejected") state.limit = limit;
  if (info?.["status"] !== "allowed_warning") return [];
  const utilization = asNumber(info["utilization"]);
  return [present({ type: "agent.limit-warning" as const, ...limit, utilization })];
}

function readResult(line: JsonObject, state: State): AgentEvent[] {
  // The last one counts: an agent in the background is answered by a second.
  state.reported = claudeOutcome(line, state);
  state.isOver = true;
  state.error = undefined;
  state.unbilled.clear();
  const usage = claudeUsage(line);
  const usd = claudeCost(line, state.totalCost);
  state.totalCost = asNumber(line["total_cost_usd"]) ?? state.totalCost;
  return [
    ...(usage === undefined || isNoUsage(usage) ? [] : [{ type: "agent.usage" as const, ...usage }]),
    ...(usd === undefined ? [] : [{ type: "agent.cost" as const, usd }]),
  ];
}

function noteUsage(state: State, id: string, usage: unknown): void {
  const known = messageUsage(usage);
  if (known !== undefined) state.unbilled.note(id, known);
}

/** What messages took that no result accounts for: the least it can be, for it is said before a message is complete. */
function unbilledUsage(state: State): AgentEvent[] {
  const usage = state.unbilled.total();
  return isNoUsage(usage) ? [] : [{ type: "agent.usage", ...usage, estimated: true }];
}
