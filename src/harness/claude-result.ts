import type { AgentOutcome, Usage } from "../domain/agent-event.ts";
import { addUsage, NO_USAGE } from "../domain/usage.ts";
import { asList, asNumber, asObject, asText, type JsonObject, present } from "./json-line.ts";

export interface ClaudeLimit {
  readonly kind: string;
  readonly resetsAtMs?: number;
}

/** What was learnt before the result. */
export interface Before {
  readonly limit: ClaudeLimit | undefined;
  readonly error: string | undefined;
}

/**
 * What a `result` line means. `subtype` is "success" for failures of the API too, so `is_error` decides; words are
 * looked at only in a session that failed (P-43).
 */
export function claudeOutcome(result: JsonObject, before: Before): AgentOutcome {
  const subtype = asText(result["subtype"]) ?? "";
  const reason = asText(result["terminal_reason"]) ?? "";
  if (subtype === "error_max_turns" || subtype === "error_max_budget_usd") return { kind: "turn-limit" };
  if (result["is_error"] !== true) return { kind: "done" };
  const message = asText(result["result"]) ?? asList(result["errors"]).map(String).join("\n");
  if (reason.startsWith("aborted")) return { kind: "aborted" };
  if (reason === "prompt_too_long") return { kind: "context-too-long", message };
  if (result["stop_reason"] === "refusal") return { kind: "refused", message };
  return limitOutcome(result, before, message) ?? errorOutcome(result, before, message);
}

function limitOutcome(result: JsonObject, { limit, error }: Before, message: string): AgentOutcome | undefined {
  const isLimit =
    error === "rate_limit" || result["api_error"] === "usage_limit_reached" || result["api_error_status"] === 429;
  if (isLimit)
    return present({ kind: "limit", limit: limit?.kind ?? "rate_limit", resetsAtMs: limit?.resetsAtMs, message });
  if (error === "billing_error") return { kind: "limit", limit: "billing", message };
  // Older versions have no other sign, and the reset in seconds at its end.
  const seconds = /^Claude AI usage limit reached\|(\d{9,11})$/.exec(message)?.[1];
  return seconds === undefined
    ? undefined
    : { kind: "limit", limit: "usage", resetsAtMs: Number(seconds) * 1000, message };
}

function errorOutcome(result: JsonObject, { error }: Before, message: string): AgentOutcome {
  const status = asNumber(result["api_error_status"]);
  const isLogin = error === "authentication_failed" || status === 401 || message.endsWith("Please run /login");
  if (isLogin) return { kind: "login", message };
  const type = error ?? asText(result["api_error_type"]) ?? asText(result["subtype"]) ?? "unknown";
  return present({ kind: "api-error", status, error: type, message });
}

/** Tokens that this result adds. By model since the last result where the CLI says so, for `usage` may leave some out. */
export function claudeUsage(result: JsonObject): Usage | undefined {
  const models = asObject(result["model_usage_since_last_result"]);
  return models === undefined
    ? messageUsage(result["usage"])
    : Object.values(models)
        .map((model) => modelUsage(asObject(model) ?? {}))
        .reduce(addUsage, NO_USAGE);
}

/** Dollars that this result adds: `total_cost_usd` is that of the whole session, resumed or not. */
export function claudeCost(result: JsonObject, totalBefore: number): number | undefined {
  const models = asObject(result["model_usage_since_last_result"]);
  if (models !== undefined) {
    return Object.values(models).reduce<number>((sum, model) => sum + (asNumber(asObject(model)?.["costUSD"]) ?? 0), 0);
  }
  const total = asNumber(result["total_cost_usd"]);
  return total === undefined ? undefined : Math.max(0, total - totalBefore);
}

export function messageUsage(value: unknown): Usage | undefined {
  const usage = asObject(value);
  return (
    usage && {
      input: asNumber(usage["input_tokens"]) ?? 0,
      output: asNumber(usage["output_tokens"]) ?? 0,
      cacheRead: asNumber(usage["cache_read_input_tokens"]) ?? 0,
      cacheWrite: asNumber(usage["cache_creation_input_tokens"]) ?? 0,
    }
  );
}

const modelUsage = (usage: JsonObject): Usage => ({
  input: asNumber(usage["inputTokens"]) ?? 0,
  output: asNumber(usage["outputTokens"]) ?? 0,
  cacheRead: asNumber(usage["cacheReadInputTokens"]) ?? 0,
  cacheWrite: asNumber(usage["cacheCreationInputTokens"]) ?? 0,
});
