import { describe, expect, test } from "vitest";
import type { AgentOutcome } from "../domain/agent-event.ts";
import { failureInWords, failureOutcome } from "./api-failure.ts";

const NOW = Date.UTC(2026, 10, 15, 19, 40);

/** What a failure comes to that is told in words alone, in the few words that decide. */
function read(words: string): string {
  return brief(failureOutcome(failureInWords(words, NOW)));
}

function brief(outcome: AgentOutcome): string {
  if (outcome.kind === "api-error") return outcome.retryable ? "outage" : "no use";
  if (outcome.kind !== "limit") return outcome.kind;
  return outcome.resetsAtMs === undefined ? outcome.limit : `${outcome.limit} ${(outcome.resetsAtMs - NOW) / 1000} s`;
}

describe("P-43 what a failure means that is told in words", () => {
  test.each([
    // Statuses, as servers, gateways and clients write them.
    ['{"error":{"message":"slow down","type":"None","code":"429"}}', "rate_limit"],
    ["Request failed with status code 429", "rate_limit"],
    ["HTTP/1.1 529 Overloaded", "outage"],
    ["API Error: 529 Overloaded", "outage"],
    ["Error code: 401 - no", "login"],
    ["API Error: Request rejected (429) · later", "rate_limit"],
    ["statusCode=503", "outage"],
    ["It ended after 429 lines", "outage"],
    // Bills: no waiting pays them.
    ["402 This request requires more credits, or fewer max_tokens", "billing"],
    ["402 status code (no body)", "billing"],
    ['{"error":{"message":"Insufficient Balance","type":"unknown_error"}}', "billing"],
    ["You exceeded your current quota, please check your plan and billing details.", "billing"],
    ["Your credit balance is too low", "billing"],
    // A quota that begins anew is none, though it speaks of bills.
    [
      "429 You exceeded your current quota, please check your plan and billing details. Please retry in 33s.",
      "rate_limit 33 s",
    ],
    ["402 You have used all of your usage limit, try again in 2 hours", "usage 7200 s"],
    // Logins.
    ['{"type":"error","error":{"type":"permission_error","message":"Not for this key"}}', "login"],
    ["OAuth token has expired. Please obtain a new one", "login"],
    ["No API key found for provider x", "login"],
    ["No auth credentials found", "login"],
    // What is too long stays too long.
    ["413 Request too large for the model", "context-too-long"],
    ["400 prompt is too long: 210000 tokens", "context-too-long"],
    // What will be refused again.
    ["ProviderModelNotFoundError: model not found: a/b", "no use"],
    ["Unexpected token < in JSON", "outage"],
  ])("%j", (words, expected) => {
    expect(read(words)).toBe(expected);
  });

  test.each([
    ["seconds", 1_794_777_999],
    ["milliseconds", 1_794_777_999_000],
    ["text", "1794777999"],
    ["a date", "2026-11-15T21:26:39Z"],
  ])("a limit's end beside the words, in %s", (_, resets_at) => {
    const words = `429 ${JSON.stringify({ error: { type: "usage_limit_reached", message: "Later", resets_at } })}`;
    expect(failureOutcome(failureInWords(words, NOW))).toEqual({
      kind: "limit",
      limit: "usage",
      resetsAtMs: 1_794_777_999_000,
      message: "Later",
    });
  });

  test.each(["x", null, {}, -1, 1e300])("an end that is no time is none: %j", (resets_at) => {
    const words = `429 ${JSON.stringify({ error: { type: "usage_limit_reached", message: "Later", resets_at } })}`;
    expect(read(words)).toBe("usage");
  });

  test.each([0, 200, 999])("a status that no failure has (%d) says nothing: the words do", (status) => {
    expect(brief(failureOutcome({ message: "Connection error", status, atMs: NOW }))).toBe("outage");
    expect(brief(failureOutcome({ message: "Invalid API key", status, atMs: NOW }))).toBe("login");
  });
});
