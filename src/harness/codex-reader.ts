import type { AgentEvent, AgentExit, AgentOutcome, AgentReader, OwnFile, Usage } from "../domain/agent-event.ts";
import { addUsage, NO_USAGE } from "../domain/usage.ts";
import { failureInWords, failureOutcome } from "./api-failure.ts";
import { briefInput, briefOutput } from "./brief.ts";
import type { Session } from "./harness.ts";
import { asList, asNumber, asObject, asText, count, type JsonObject, present } from "./json-line.ts";
import { byType, createLineReader, nothing, type ReadLine, usageEvents, sessionEvent } from "./line-reader.ts";
import type { Met } from "./request-watch.ts";
import { serverTime } from "./reset-time.ts";

interface State {
  readonly model: string | undefined;
  thread?: string | undefined;
  /** How the last turn ended; a text is an error. */
  ended?: { readonly error: string | undefined } | undefined;
  /** The last error that no `turn.failed` has followed yet. */
  error?: string | undefined;
  /** All that the thread took so far, as its events and as its own file tell. */
  billed: Usage;
  known: Usage;
  /** The last rate limits in its own file. */
  limits?: JsonObject | undefined;
  readonly tools: Set<string>;
}

/** Reads `codex exec --json`: items as they begin and end, and one `turn.completed` or `turn.failed`. */
export function createCodexReader({ model }: Pick<Session, "model">): AgentReader {
  const state: State = { model, billed: NO_USAGE, known: NO_USAGE, tools: new Set() };
  return createLineReader({
    read: byType(LINES, state),
    hasResult: () => state.ended !== undefined,
    outcome: (exit) => outcomeOf(state, exit),
    wants: () => ownFile(state),
    own: (line) => readOwn(line, state),
    ownWords: ['_token_usage"', '"rate_limits"'],
    // Of a turn that is under way, failed or was cut short. A lower bound: a request may be under way.
    unreported: () =>
      isComplete(state) ? [] : usageEvents(beyond(state.known, state.billed), state.model, { isEstimated: true }),
    // Items that are not told of otherwise are the model's doing, too; a tool that is through is told of.
    progress: (type, line) => (/^item\.(?:started|updated)$/.test(type) && !isOwn(line) ? "answered" : undefined),
    readError: deniedCommand,
    met: (type, line) => (type === "error" ? metError(asText(line["message"]) ?? "") : undefined),
  });
}

const LINES: Readonly<Record<string, ReadLine<State>>> = {
  "thread.started": (line, state) => {
    state.thread = asText(line["thread_id"]);
    return [sessionEvent({ sessionId: state.thread, model: state.model })];
  },
  "turn.started": (_, state) => void (state.ended = undefined),
  "item.started": (line, state) => readItem(line, state, "started"),
  "item.updated": nothing,
  "item.completed": (line, state) => readItem(line, state, "completed"),
  error: (line, state) => readError(asText(line["message"]) ?? "", state),
  "turn.completed": (line, state) => {
    state.ended = { error: undefined };
    return usageEvents(newUsage(totalIn(asObject(line["usage"])), state), state.model);
  },
  "turn.failed": (line, state) => {
    state.ended = { error: asText(asObject(line["error"])?.["message"]) ?? state.error ?? "unknown" };
    return [];
  },
};

type ReadItem = (item: JsonObject) => { readonly name: string; readonly input: string; readonly output: string };

/** Items that are tool calls. Other unknown items are ignored. */
const TOOLS: Readonly<Record<string, ReadItem>> = {
  command_execution: (item) => ({
    name: "shell",
    input: briefInput(commandOf(item)),
    output: briefOutput(item["aggregated_output"]),
  }),
  file_change: (item) => ({
    name: "file_change",
    input: briefInput(asList(item["changes"]).map(changeText).join(" ")),
    output: "",
  }),
  mcp_tool_call: (item) => ({
    name: [item["server"], item["tool"]].filter((part) => typeof part === "string").join("."),
    input: briefInput(item["arguments"]),
    output: briefOutput(asObject(item["result"])?.["content"] ?? asObject(item["error"])?.["message"]),
  }),
  web_search: (item) => ({ name: "web_search", input: briefInput(item["query"]), output: "" }),
};

const changeText = (change: unknown): string =>
  [asObject(change)?.["kind"], asObject(change)?.["path"]].filter((part) => typeof part === "string").join(" ");

/** Without the shell that it is wrapped in. */
function commandOf(item: JsonObject): string {
  const command = asText(item["command"]) ?? "";
  const inner = /^\S*\/(?:ba|z|)sh -l?c (?:'([^']*)'|"([^"\\$`]*)")$/.exec(command);
  return inner?.[1] ?? inner?.[2] ?? command;
}

function readItem(line: JsonObject, state: State, when: "started" | "completed"): AgentEvent[] {
  const item = asObject(line["item"]) ?? {};
  const type = asText(item["type"]) ?? "";
  state.error = undefined;
  if (Object.hasOwn(TOOLS, type)) return toolEvents(item, TOOLS[type]!(item), { state, when });
  const text = asText(item["text"]) ?? "";
  if (when === "started") return [];
  if (type === "agent_message" && text !== "") return [{ type: "agent.text", text }];
  if (type === "reasoning" && text !== "") return [{ type: "agent.thinking", text }];
  // A warning of the CLI about itself.
  const message = type === "error" ? (asText(item["message"]) ?? "") : "";
  return message === "" ? [] : [{ type: "agent.notice", text: message }];
}

function toolEvents(
  item: JsonObject,
  { name, input, output }: ReturnType<ReadItem>,
  { state, when }: { readonly state: State; readonly when: "started" | "completed" },
): AgentEvent[] {
  const id = asText(item["id"]);
  const isNew = id === undefined || !state.tools.has(id);
  if (id !== undefined) state.tools.add(id);
  const start = isNew ? [present({ type: "agent.tool" as const, id, name, input })] : [];
  if (when === "started") return start;
  if (id !== undefined) state.tools.delete(id);
  const ok = (asNumber(item["exit_code"]) ?? 0) === 0 && item["status"] !== "failed";
  return [...start, present({ type: "agent.tool-result" as const, id, ok, output })];
}

/** A warning of the CLI about itself. */
const isOwn = (line: JsonObject): boolean => asObject(line["item"])?.["type"] === "error";

/** An error that is no announcement of another try. */
const metError = (words: string): Met | undefined =>
  words.startsWith("Reconnecting...")
    ? undefined
    : { text: words, outcome: (atMs) => failureOutcome(failureInWords(words, atMs)) };

/** Of a command that a person's rules forbid nothing is told elsewhere. */
function deniedCommand(line: string): AgentEvent[] {
  const words = /codex_core::tools.{0,200}?Rejected\(\\?"(.+?)\\?"\)/.exec(line)?.[1];
  return words === undefined ? [] : [{ type: "agent.notice", text: words }];
}

/** Most are announcements of another try; the others stand before the end of the turn, which repeats them. */
function readError(message: string, state: State): AgentEvent[] {
  const [, attempt, of, why] = /^Reconnecting\.\.\. (\d{1,6})\/(\d{1,6})(?: \((.*)\))?$/s.exec(message) ?? [];
  if (attempt === undefined) {
    state.error = message;
    return [];
  }
  const { status, message: reason } = failureInWords(why ?? message, 0);
  return [present({ type: "agent.retry" as const, attempt: Number(attempt), of: Number(of), status, reason })];
}

function totalIn(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const cacheRead = count(usage["cached_input_tokens"]);
  const cacheWrite = count(usage["cache_write_input_tokens"]);
  const input = Math.max(0, count(usage["input_tokens"]) - cacheRead - cacheWrite);
  return { input, output: count(usage["output_tokens"]), cacheRead, cacheWrite };
}

/** A thread's numbers grow with each of its turns: what is new is the difference. Smaller ones are of another thread. */
function newUsage(total: Usage | undefined, state: State): Usage | undefined {
  if (total === undefined) return undefined;
  const { billed } = state;
  const isMore = (Object.keys(total) as (keyof Usage)[]).every((name) => total[name] >= billed[name]);
  const news = isMore ? beyond(total, billed) : total;
  state.billed = addUsage(billed, news);
  return news;
}

const beyond = (total: Usage, before: Usage): Usage => ({
  input: Math.max(0, total.input - before.input),
  output: Math.max(0, total.output - before.output),
  cacheRead: Math.max(0, total.cacheRead - before.cacheRead),
  cacheWrite: Math.max(0, total.cacheWrite - before.cacheWrite),
});

function outcomeOf(state: State, exit: AgentExit): AgentOutcome | undefined {
  const { ended } = state;
  if (isComplete(state)) return { kind: "done" };
  // An error that ends the process without ending the turn.
  const words = ended?.error ?? (exit.code === 0 ? undefined : state.error);
  if (words === undefined) return undefined;
  const said = failureInWords(words, exit.atMs);
  return failureOutcome({ ...said, resetsAtMs: resetIn(state.limits) ?? said.resetsAtMs });
}

const isComplete = ({ ended }: State): boolean => ended !== undefined && ended.error === undefined;

/** Output has the usage of complete turns only, and no end of a limit: its session file has both. The name becomes part of a path. */
function ownFile(state: State): OwnFile | undefined {
  const { thread } = state;
  if (isComplete(state) || thread === undefined || !/^[\w-]{8,64}$/.test(thread)) return undefined;
  return { variable: "CODEX_HOME", otherwise: ".codex", folder: "sessions", endsWith: `-${thread}.jsonl` };
}

/** What the thread took is recorded after each request, and again after its tools. Only the latter tells of limits. */
function readOwn(line: JsonObject, state: State): void {
  const payload = asObject(line["payload"]);
  const info = asObject(payload?.["info"]);
  state.known = totalIn(asObject(payload?.["thread_token_usage"] ?? info?.["total_token_usage"])) ?? state.known;
  state.limits = asObject(payload?.["rate_limits"]) ?? asObject(info?.["rate_limits"]) ?? state.limits;
}

/** When the exhausted rate limit windows reset; the latest one counts. */
function resetIn(limits: JsonObject | undefined): number | undefined {
  const windows = ["primary", "secondary"].map((name) => asObject(limits?.[name]));
  const full = windows.filter((window) => (asNumber(window?.["used_percent"]) ?? 0) >= 100);
  const resets = full.flatMap((window) => serverTime(window?.["resets_at"]) ?? []);
  return resets.length === 0 ? undefined : Math.max(...resets);
}
