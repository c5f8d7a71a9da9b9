// What the servers of models say when they refuse a request.

export const TWO_HOURS = { "retry-after": "7200" };

export const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } });

export const openaiError = (type: string, message: string, more: object = {}) => ({
  error: { message, type, code: null, param: null, ...more },
});

/** What most servers say. */
export const openai = {
  refusesLogin: {
    status: 401,
    body: openaiError("invalid_request_error", "Incorrect API key provided", { code: "invalid_api_key" }),
  },
  isOverloaded: { status: 529, body: openaiError("server_error", "Overloaded") },
  isLimited: { status: 429, headers: TWO_HOURS, body: openaiError("rate_limit_exceeded", "Rate limit reached") },
  isTooLong: {
    status: 400,
    body: openaiError("invalid_request_error", "This model's maximum context length is 128000 tokens.", {
      code: "context_length_exceeded",
    }),
  },
  hasNoCredit: { status: 402, body: openaiError("payment_required", "Insufficient credits. Add more to go on.") },
  isElsewhere: {
    status: 403,
    body: openaiError("request_forbidden", "Country, region, or territory not supported", {
      code: "unsupported_country_region_territory",
    }),
  },
  forbids: { status: 403, body: openaiError("permission_error", "This key is not one of the organization") },
  knowsNoModel: {
    status: 404,
    body: openaiError(
      "invalid_request_error",
      "The model `fake-model` does not exist or you do not have access to it.",
      {
        code: "model_not_found",
      },
    ),
  },
};

export const googleError = (
  code: number,
  status: string,
  more: { readonly message: string; readonly details?: unknown },
) => ({
  error: { code, status, ...more },
});

/** What Anthropic's says. */
export const anthropic = {
  refusesLogin: { status: 401, body: anthropicError("authentication_error", "invalid x-api-key") },
  isOverloaded: { status: 529, body: anthropicError("overloaded_error", "Overloaded") },
  isLimited: { status: 429, headers: TWO_HOURS, body: anthropicError("rate_limit_error", "Too many requests") },
  isTooLong: {
    status: 400,
    body: anthropicError("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
  },
  hasNoCredit: {
    status: 400,
    body: anthropicError("invalid_request_error", "Your credit balance is too low to access the API."),
  },
  isElsewhere: { status: 403, body: anthropicError("forbidden", "Claude is not available in your region") },
  forbids: { status: 403, body: anthropicError("permission_error", "Your key has no permission for this") },
  knowsNoModel: { status: 404, body: anthropicError("not_found_error", "model: claude-sonnet-4-5") },
};

/** What Google's says. */
export const google = {
  refusesLogin: {
    status: 400,
    body: googleError(400, "INVALID_ARGUMENT", {
      message: "API key not valid. Please pass a valid API key.",
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
    }),
  },
  isOverloaded: { status: 503, body: googleError(503, "UNAVAILABLE", { message: "The model is overloaded." }) },
  // Without details it tries again by itself.
  isLimited: {
    status: 429,
    headers: TWO_HOURS,
    body: googleError(429, "RESOURCE_EXHAUSTED", { message: "Too many requests" }),
  },
  isTooLong: {
    status: 400,
    body: googleError(400, "INVALID_ARGUMENT", {
      message: "The input token count (1203000) exceeds the maximum number of tokens allowed (1048576).",
    }),
  },
  hasNoCredit: {
    status: 403,
    body: googleError(403, "PERMISSION_DENIED", {
      message: "This API method requires billing to be enabled. Please check your plan and billing details.",
    }),
  },
  isElsewhere: {
    status: 400,
    body: googleError(400, "FAILED_PRECONDITION", { message: "User location is not supported for the API use." }),
  },
  forbids: {
    status: 403,
    body: googleError(403, "PERMISSION_DENIED", { message: "Generative Language API has not been used in project 1" }),
  },
  knowsNoModel: {
    status: 404,
    body: googleError(404, "NOT_FOUND", { message: "models/gemini-2.5-pro is not found for API version v1beta." }),
  },
};
