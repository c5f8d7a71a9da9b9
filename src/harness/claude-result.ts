import type { AgentExit, AgentOutcome, OwnFile, Usage } from "../domain/agent-event.ts";
import { addUsage, isNoUsage, NO_USAGE } from "../domain/usage.ts";
import { failureOutcome } from "./api-failure.ts";
import { asList, asNumber, asObject, asText, dollars, type JsonObject, tokensIn } from "./json-line.ts";
import type { LineDialect } from "./line-reader.ts";

/** What was learnt before the result. */
export interface Before {
  readonly limit: { readonly kind: string; readonly resetsAtMs?: number } | undefined;
  readonly error: string | undefined;
}

/** How a CLI with Claude Code's format differs from it. */
export interface ClaudeDialect extends Pick<LineDialect, "readError"> {
  readonly outcome: (result: JsonObject, before: Before, exit: AgentExit) => AgentOutcome;
  /** What an exit code alone tells. */
  readonly withoutResult?: (exit: AgentExit) => AgentOutcome | undefined;
  readonly usage: (result: JsonObject) => Usage | undefined;
  /** Dollars that a result adds; undefined: it does not say, and the price list is asked. */
  readonly cost: (result: JsonObject, totalBefore: number) => number | undefined;
  readonly messageUsage: (usage: unknown) => Usage | undefined;
  /** Its own file has the true usage of each message, where its output has the one with which a message began. */
  readonly ownFile?: (session: { readonly id: string; readonly cwd: string }) => OwnFile;
  /** Whether a message is made up by the CLI to show a failure that its result repeats. */
  readonly isFailure?: (message: JsonObject | undefined) => boolean;
}

/**
 * What a `result` line means. `subtype` is "success" for failures of the API too, so `is_error` decides; words are
 * looked at only in a session that failed (P-43).
 */
export function claudeOutcome(result: JsonObject, before: Before, atMs: number): AgentOutcome {
  const subtype = asText(result["subtype"]) ?? "";
  const reason = asText(result["terminal_reason"]) ?? "";
  if (subtype === "error_max_budget_usd" || reason === "budget_exhausted")
    return { kind: "turn-limit", isBudget: true };
  if (subtype === "error_max_turns" || reason === "max_turns") return { kind: "turn-limit" };
  if (isGood(result)) return { kind: "done" };
  const message = asText(result["result"]) ?? asList(result["errors"]).map(String).join("\n");
  if (reason.startsWith("aborted")) return { kind: "aborted" };
  if (reason === "prompt_too_long") return { kind: "context-too-long", message };
  if (before.error === "max_output_tokens") return { kind: "turn-limit", isOutput: true };
  if (result["stop_reason"] === "refusal") return { kind: "refused", message };
  // If nothing failed, the text is the agent's own.
  if (result["is_error"] !== true) return unknownResult(subtype);
  return failed(result, before, { message, atMs });
}

export function unknownResult(subtype: string): AgentOutcome {
  const message = `It ended with an unknown kind of result: ${JSON.stringify(subtype)}`;
  return { kind: "api-error", error: "unknown", message, retryable: false };
}

/** Reasons to end that are failures, whatever else a result says. */
const FAILED = /^(?:api_error|prompt_too_long|max_turns|budget_exhausted|aborted)/;

/** Only an explicit success counts: neither an error without its mark nor half of a result does. */
export function isGood(result: JsonObject): boolean {
  if (FAILED.test(asText(result["terminal_reason"]) ?? "")) return false;
  return result["subtype"] === "success"
    ? result["is_error"] !== true
    : result["subtype"] === undefined && result["is_error"] === false;
}

const CREDITS = /credits_required|requires_usage_credits/;

function failed(
  result: JsonObject,
  { limit, error }: Before,
  { message, atMs }: { readonly message: string; readonly atMs: number },
): AgentOutcome {
  // Structured first: what the API called it, and the event that tells when a limit ends.
  const more = asText(result["api_error"]);
  const isLimit = error === "rate_limit" || more === "usage_limit_reached";
  const name = isLimit ? "rate_limit" : (error ?? asText(result["api_error_type"]) ?? asText(result["subtype"]));
  // A model that costs extra is told as a limit, too. It is one if it has an end.
  const isExtra = more !== undefined && CREDITS.test(more) && limit?.resetsAtMs === undefined;
  const code = isExtra ? more : name;
  const outcome = failureOutcome({
    message,
    status: asNumber(result["api_error_status"]),
    // The login that older versions tell in words alone is among the words that are known.
    code,
    resetsAtMs: limit?.resetsAtMs,
    atMs,
  });
  const isNamed = outcome.kind === "limit" && outcome.limit !== "billing" && limit !== undefined;
  return isNamed ? { ...outcome, limit: limit.kind } : outcome;
}

/** Tokens that this result adds. By model since the last result where the CLI says so, for `usage` may leave some out. */
export function claudeUsage(result: JsonObject): Usage | undefined {
  const models = modelsIn(result);
  return models.length === 0
    ? messageUsage(result["usage"])
    : models.map((model) => tokensIn(model, MODEL_TOKENS)).reduce(addUsage, NO_USAGE);
}

const modelsIn = (result: JsonObject): JsonObject[] =>
  Object.values(asObject(result["model_usage_since_last_result"]) ?? {})
    .map(asObject)
    .filter((model) => model !== undefined);

/** Dollars that this result adds: `total_cost_usd` is that of the whole session, resumed or not. */
export function claudeCost(result: JsonObject, totalBefore: number): number | undefined {
  const costs = modelsIn(result).flatMap((model) => dollars(model["costUSD"]) ?? []);
  if (costs.length > 0) return costs.reduce((sum, cost) => sum + cost, 0);
  const total = dollars(result["total_cost_usd"]);
  return total === undefined ? undefined : Math.max(0, total - totalBefore);
}

export function messageUsage(value: unknown): Usage | undefined {
  const usage = asObject(value);
  return usage && tokensIn(usage, MESSAGE_TOKENS);
}

const MESSAGE_TOKENS = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
] as const;
const MODEL_TOKENS = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"] as const;

/** More messages than are ever under way at once. */
const MAX_OPEN = 256;
/** A token is about as many characters. */
const TOKEN_LENGTH = 4;

interface OpenMessage {
  /** As its output said last: the numbers are repeated with each part of a message. */
  readonly said: Usage;
  /** Characters of its parts. */
  readonly written: number;
}

/**
 * Sums up what messages took until a result reports it, in bounded memory: the numbers of one that is long over are kept
 * in the sum alone. The output often is that of a message which has only begun; then the parts that came are estimated,
 * unless the CLI's own file is exact about it.
 */
export function trackUnbilledUsage() {
  const open = new Map<string, OpenMessage>();
  const exact = new Map<string, Usage>();
  let over = NO_USAGE;
  const usageOf = (id: string, { said, written }: OpenMessage): Usage => {
    const known = exact.get(id);
    if (known !== undefined && known.output >= said.output) return known;
    return isNoUsage(said) ? said : { ...said, output: Math.max(said.output, Math.ceil(written / TOKEN_LENGTH)) };
  };
  return {
    note: (id: string, said: Usage | undefined, written = 0): void => {
      if (said !== undefined) open.set(id, { said, written: written + (open.get(id)?.written ?? 0) });
      const [oldest] = open;
      if (oldest === undefined || open.size <= MAX_OPEN) return;
      over = addUsage(over, usageOf(...oldest));
      open.delete(oldest[0]);
    },
    /** Never adds a message: which of them a result has covered is known from the output alone. */
    correct: (id: string, usage: Usage | undefined): void => {
      if (usage === undefined) return;
      exact.set(id, usage);
      const [oldest] = exact.keys();
      if (exact.size > MAX_OPEN && oldest !== undefined) exact.delete(oldest);
    },
    clear: (): void => {
      open.clear();
      over = NO_USAGE;
    },
    isNone: (): boolean => open.size === 0,
    total: (): Usage => [...open].reduce((sum, one) => addUsage(sum, usageOf(...one)), over),
  };
}

/** A part of an answer that is not whole yet. */
export const isPiece = (type: string, line: JsonObject): boolean =>
  type === "stream_event"
    ? asText(asObject(line["event"])?.["type"])?.startsWith("content_block") === true
    : type === "system" && line["subtype"] === "thinking_tokens";
