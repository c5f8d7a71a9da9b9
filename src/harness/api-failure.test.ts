import { describe, expect, test } from "vitest";
import type { AgentOutcome } from "../domain/agent-event.ts";
import { failureInWords, failureOutcome, startFailure } from "./api-failure.ts";

const NOW = Date.UTC(2026, 10, 15, 19, 40);

/** What a failure comes to that is told in words alone, in the few words that decide. */
function read(words: string): string {
  return brief(failureOutcome(failureInWords(words, NOW)));
}

function brief(outcome: AgentOutcome): string {
  if (outcome.kind === "api-error") return outcome.retryable ? "outage" : "no use";
  if (outcome.kind === "login") return outcome.why ?? "login";
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
    // An answer that was cut, and a request for more than one may have.
    ["stream disconnected before completion: Incomplete response returned, reason: max_output_tokens", "turn-limit"],
    ["API Error: Claude's response exceeded the 32000 output token maximum.", "turn-limit"],
    ["400 max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens", "no use"],
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
    ["401 No cookie auth credentials found", "login"],
    ["403 Request not allowed", "login"],
    // No login at all.
    ["No API key found for provider x", "missing"],
    ["No auth credentials found", "missing"],
    ["Missing environment variable: `ACME_TOKEN`.", "missing"],
    ["No auth type is selected. Please configure an auth type (e.g. via settings) before running", "missing"],
    ["Missing API key for OpenAI-compatible auth. Set settings.security.auth.apiKey or OPENAI_API_KEY", "missing"],
    ["Not logged in · Please run /login", "missing"],
    ["Could not load the default credentials. Browse to https://cloud.google.com/docs", "missing"],
    // Wherever that is, no login helps.
    ["403 Country, region, or territory not supported", "region"],
    ["400 User location is not supported for the API use.", "region"],
    ["403 Claude is not available in your region", "region"],
    ["Your account is not eligible because it is not currently available in your location.", "region"],
    // A conversation that is too long.
    ["400 input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", "context-too-long"],
    ["Input is too long for requested model.", "context-too-long"],
    ["400 the request exceeds the available context size, try increasing it", "context-too-long"],
    ["400 This model's maximum prompt length is 131072 but the request contains 537812 tokens.", "context-too-long"],
    ["Please reduce the length of the messages or completion.", "context-too-long"],
    ["Invalid request: Your request exceeded model token limit: 262144", "context-too-long"],
    // Bills that are told as logins.
    [
      '401 {"type":"error","error":{"type":"CreditsError","message":"Insufficient balance. Manage your billing"}}',
      "billing",
    ],
    ["403 Your account has no credits left. Add credits at x.example", "billing"],
    // What is too long stays too long.
    ["413 Request too large for the model", "context-too-long"],
    ["400 prompt is too long: 210000 tokens", "context-too-long"],
    // The model's name, or what this account may use.
    ["ProviderModelNotFoundError: model not found: a/b", "model"],
    ['404 {"error":{"message":"The model `gpt-9` does not exist or you do not have access to it."}}', "model"],
    ["The 'gpt-5.2-pro' model is not supported when using Codex with a ChatGPT account.", "model"],
    ["models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.", "model"],
    ["This model models/gemini-1.5-pro is no longer available to new users.", "model"],
    ["There's an issue with the selected model (x-9). It may not exist or you may not have access to it.", "model"],
    ['Error: Model "x" from --model flag is not available.', "model"],
    ["model: claude-nonexistent-9", "model"],
    ["400 The requested model is not supported.", "model"],
    ["400 Model Not Exist", "model"],
    ["400 x/y-9 is not a valid model ID", "model"],
    ["404 No endpoints found for x/y-9.", "model"],
    ['404 {"error":"model \\"llama9\\" not found, try pulling it first"}', "model"],
    ["400 Invalid model name passed in model=x-9. Call `/v1/models` to view available models", "model"],
    ["The model `mixtral-8x7b` has been decommissioned and is no longer supported.", "model"],
    ["403 Your organization does not have access to the model 'big-9'.", "model"],
    ["403 Project `p` does not have access to model `gpt-9`", "model"],
    ["400 The provided model identifier is invalid.", "model"],
    ["404 This API deployment does not exist", "model"],
    ["Model x-9 not found. Please try again with a different model.", "model"],
    ['{"type":"error","error":{"type":"not_found_error","message":"model: x-9"}}', "model"],
    // Another time it may be there.
    ["The model is overloaded. Please try again later.", "outage"],
    ["Selected model is at capacity. Please try a different model.", "outage"],
    ["503 The model x is currently not available", "outage"],
    ["404 The model is not available right now", "no use"],
    ["400 max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for this model", "no use"],
    ["400 Unsupported parameter: 'temperature' is not supported with this model", "no use"],
    ["The model produced an invalid tool call: the function was not found", "outage"],
    ["Model is currently not available. Please try again.", "outage"],
    ["Authentication service is temporarily unavailable", "outage"],
    ["401 Authentication is temporarily locked", "login"],
    ["Authentication failed. Please try again.", "login"],
    // An address or an item that is not there is no model.
    ["404 page not found", "no use"],
    [
      "404 Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` true",
      "no use",
    ],
    // Limits by other names, and those that only say when they begin anew.
    ["5-hour limit reached ∙ resets 9pm (UTC)", "usage 4800 s"],
    ["You're out of extra usage · resets 9:26pm (UTC)", "usage 6360 s"],
    ["You have exceeded your premium request allowance.", "usage"],
    ["You've reached your monthly chat messages quota. Upgrade to go on.", "usage"],
    ["403 Key limit exceeded (daily limit). Manage it in your settings", "usage"],
    ["ThrottlingException: Too many tokens, please wait before trying again.", "rate_limit"],
    ["ServiceQuotaExceededException: Your request exceeds the service quota for your account.", "rate_limit"],
    ["Quota exceeded for quota metric 'Requests' and limit 'Requests per day per user' of service 'x'.", "rate_limit"],
    ["API Error (us.anthropic.claude-9): 429 Too many tokens, please wait", "rate_limit"],
    ["exceeded retry limit, last status: 503 Service Unavailable", "outage"],
    ["EDQUOT: disk quota exceeded, write", "outage"],
    [
      "API Error: Request rejected (429) · Server is temporarily limiting requests (not your usage limit)",
      "rate_limit",
    ],
    // A request that is larger than the limit is never granted.
    [
      "429 Request too large for x-9 on tokens per min (TPM): Limit 30000, Requested 51234. The input or output tokens must be reduced in order to run successfully.",
      "context-too-long",
    ],
    ["400 the input token count is 2000000 but model only supports up to 1048576.", "context-too-long"],
    ["400 InvalidParameter: Range of input length should be [1, 129024]", "context-too-long"],
    ["Session token limit exceeded: 120000 tokens > 100000 limit.", "context-too-long"],
    // Budgets that somebody set, and accounts without money.
    ["400 Budget has been exceeded! Current cost: 12.5, Max budget: 10.0", "billing"],
    ["429 ExceededBudget: User=x over budget. Spend=12, Budget=10", "billing"],
    ["429 Your project has exceeded its monthly spending cap.", "billing"],
    ["429 Usage credits required for 1M context · run /model to switch to standard context", "billing"],
    ["429 Your prepayment credits are depleted.", "billing"],
    ["403 This API method requires billing to be enabled. Please enable billing on project #p", "billing"],
    ["400 Billing hard limit has been reached", "billing"],
    ["403 Key limit exceeded (total limit). Manage it in your settings", "billing"],
    [
      '400 {"error":{"code":"Arrearage","message":"Access denied, please keep your account in good standing."}}',
      "billing",
    ],
    ["403 AllocationQuota.FreeTierOnly: The free tier of the model has been exhausted.", "billing"],
    // Logins of clouds and companies, without a status.
    ["ExpiredTokenException: The security token included in the request is expired", "login"],
    ["UnrecognizedClientException: The security token included in the request is invalid.", "login"],
    ["The SSO session associated with this profile has expired. Run aws sso login", "login"],
    ["invalid_grant: Token has been expired or revoked.", "login"],
    ['{"error":"invalid_grant","error_description":"reauth related error (invalid_rapt)"}', "login"],
    ["AccessDeniedException: User: arn:x is not authorized to perform: bedrock:InvokeModel on resource: y", "login"],
    ["This organization has been disabled.", "login"],
    ["Your ANTHROPIC_API_KEY belongs to a disabled organization · Update or unset the environment variable", "login"],
    ["To use Codex with your ChatGPT plan, upgrade to Plus: https://x.example.", "login"],
    ["Invalid auth token · Fix external auth token", "login"],
    ["account_on_hold Your account needs a look", "login"],
    // Several sessions at once share a login.
    [
      "Failed to refresh OAuth token: another Claude Code process is refreshing it or exited mid-refresh. This is usually transient; retry in a minute, and if it persists close other Claude Code processes or sign in again",
      "outage",
    ],
    ["Your current account is not eligible for this service", "login"],
    ["Your organization has disabled Claude subscription access for Claude Code", "login"],
    ["Access denied by policy settings. Your policy for this CLI is disabled", "login"],
    ["The session was closed because the time for its answer has expired", "outage"],
    // Models that are too old, too new, not for this plan, or cannot do the work.
    ["Claude Opus is not available with the Claude Pro plan. Run /logout and /login after an upgrade.", "model"],
    [
      "400 Invocation of model ID x.y-9 with on-demand throughput isn’t supported. Retry with the ID of a profile",
      "model",
    ],
    ["ResourceNotFoundException: This model version has reached the end of its life.", "model"],
    ["The 'x-9' model requires a newer version of Codex. Please upgrade to the latest CLI and try again.", "model"],
    ["403 Your organization must be verified to use the model `x-9`. Please go to: https://x.example", "model"],
    ["400 litellm.BadRequestError: LLM Provider NOT provided. You passed model=x-9", "model"],
    ["400 The chatCompletion operation does not work with the specified model, x-9.", "model"],
    ["400 x.example/library/y:latest does not support tools", "model"],
    // What was asked is refused, not who asked.
    ['403 x/y-9 requires moderation. Your input was flagged for "violence"', "refused"],
    ['400 {"error":{"code":"content_filter","message":"The response was filtered"}}', "refused"],
    ["Incomplete response returned, reason: content_filter", "refused"],
    ["misalignment policy violation", "refused"],
    ["400 Output blocked by content filtering policy", "refused"],
    ["It is unable to respond to this request, which appears to violate our Usage Policy", "refused"],
    // The server gave up, not the request.
    ["499 The operation was cancelled.", "outage"],
    // What will be refused again.
    ["400 invalid_request: nothing fits", "no use"],
    ["Unexpected token < in JSON", "outage"],
  ])("%j", (words, expected) => {
    expect(read(words)).toBe(expected);
  });

  test.each([
    // A proxy that passes on what another server said, beside its own words or in their place.
    [
      {
        message: "Provider returned error",
        code: 400,
        metadata: { raw: '{"error":{"message":"maximum context length"}}' },
      },
      "context-too-long",
    ],
    [{ message: "Provider returned error", code: 429, metadata: { raw: "x is rate-limited upstream" } }, "rate_limit"],
    [{ message: "Provider returned error", code: 502, metadata: { raw: "" } }, "outage"],
    [
      { message: '{"error":{"code":429,"details":[{"retryDelay":"34s"}]}}', code: 429, status: "Too Many Requests" },
      "rate_limit 34 s",
    ],
    [{ message: "No", type: "key_model_access_denied", code: "401" }, "model"],
  ])("what a proxy tells: %j", (error, expected) => {
    expect(read(JSON.stringify({ error }))).toBe(expected);
  });

  test("a status beside the error counts", () => {
    expect(read('{"type":"error","status":401,"error":{"message":"No"}}')).toBe("login");
    expect(read('{"statusCode":529,"message":"No"}')).toBe("outage");
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

describe("P-44 X-77 X-78 a CLI that cannot begin says so on its standard error", () => {
  test.each([
    [
      "No API key found for anthropic.\n\nUse /login to log into a provider",
      "missing",
      "No API key found for anthropic.",
    ],
    [
      "Error: No authentication information found.\n\nTo authenticate, you can",
      "missing",
      "No authentication information found.",
    ],
    [
      'Warning: x\n\u001b[31mError: Model "a/b" not found. Use --list-models\u001b[39m',
      "model",
      'Model "a/b" not found. Use --list-models',
    ],
  ])("%j", (stderr, expected, message) => {
    const outcome = startFailure(stderr);
    expect([outcome && brief(outcome), outcome && "message" in outcome && outcome.message]).toEqual([
      expected,
      message,
    ]);
  });

  test.each([
    "TypeError: Cannot read properties of undefined",
    "MCP server tracker: no API key found",
    `No API key found ${"x".repeat(600)}`,
    "401 Unauthorized",
    "Error: Model x-9 is currently not available. Please try again.",
    "Warning: the model gemini-2.5-pro is deprecated and will be removed",
    "The model `x-9` has been deprecated; use x-10.",
  ])("and says nothing with %j", (stderr) => {
    expect(startFailure(stderr)).toBe(undefined);
  });
});
