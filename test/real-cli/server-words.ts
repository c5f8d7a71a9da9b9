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
