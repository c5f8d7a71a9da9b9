import type { AgentOutcome } from "../domain/agent-event.ts";
import { asNumber, asObject, asText, jsonIn, type JsonObject, present } from "./json-line.ts";
import { resetTime, serverTime } from "./reset-time.ts";

/** A request that failed for good, as the CLI reports it. */
export interface ApiFailure {
  /** As it is shown. */
  readonly message: string;
  readonly status?: number | undefined;
  /** The CLI's or the server's own name for it. */
  readonly code?: string | undefined;
  /** From a structured source: when a limit ends. */
  readonly resetsAtMs?: number | undefined;
  /** When it was said. */
  readonly atMs: number;
}

/**
 * The outcome of a session whose request failed. Structured facts decide first, then the text of the error. Never called
 * for a session that succeeded, so its prose cannot look like a limit (P-43).
 */
export function failureOutcome(failure: ApiFailure): AgentOutcome {
  const { message, code = "" } = failure;
  // Some give 0 or 200 for a request that had no answer, or whose answer broke off.
  const status = httpStatus(failure.status);
  const text = `${code} ${message}`;
  const isClient = status === undefined || status < 500;
  if (isClient && (status === 413 || TOO_LONG.test(text))) return { kind: "context-too-long", message };
  if (isClient && status !== 401 && isBill({ ...failure, status }, text)) return limit(failure, "billing");
  if (USAGE.test(text)) return limit(failure, "usage");
  if (status === 429 || RATE.test(text)) return limit(failure, "rate_limit");
  if (status === 401 || status === 403 || (isClient && LOGIN.test(text))) return { kind: "login", message };
  const retryable = status === undefined ? !isRequestsFault(text) : status >= 500 || status === 408 || status === 409;
  return present({ kind: "api-error", status, error: code === "" ? "unknown" : code, message, retryable });
}

function limit({ message, resetsAtMs, atMs }: ApiFailure, name: string): AgentOutcome {
  const resets = name === "billing" ? undefined : instant(resetsAtMs ?? resetTime(message, atMs));
  return present({ kind: "limit", limit: name, resetsAtMs: resets, message });
}

const LAST_INSTANT_MS = 8.64e15;

/** A time that calendars have; a server may send any number. */
export const instant = (ms: number | undefined): number | undefined =>
  ms !== undefined && ms > 0 && ms <= LAST_INSTANT_MS ? ms : undefined;

/** A quota with a reset time is a limit, even if the message mentions plans and bills. */
const isBill = ({ status, message, atMs }: ApiFailure, text: string): boolean =>
  BILLING.test(text) || ((status === 402 || PLAN.test(text)) && resetTime(message, atMs) === undefined);

const TOO_LONG =
  /context[_ ](?:length|window|overflow)|ContextOverflow|prompt[ _](?:is )?too[ _]long|prompt as too long|token count .{0,40}exceeds|maximum number of tokens|room in the model['’]s context/i;
const BILLING =
  /insufficient_quota|billing_error|credit balance|payment required|insufficient (?:credits?|balance|funds)|out of credits|requires more credits/i;
const PLAN = /current quota, please check|billing details/i;
const USAGE = /usage[_ ]limit|hit your .{0,20}limit|daily quota|weekly (?:rate )?limit|exhausted your/i;
const RATE = /rate[_ -]?limit|RESOURCE_EXHAUSTED|too many requests|exceeded your current quota/i;
const LOGIN =
  /invalid_api_key|API_KEY_INVALID|api key (?:not valid|provided|expired)|(?:no|missing|invalid) (?:api key|x-api-key|bearer token)|authenticat(?:ion|ed)|no auth credentials|unauthori[sz]ed|PERMISSION_DENIED|permission_error|not logged in|please (?:run \/login|log ?in)|sign in again|(?:token|session|login) (?:has |is )?(?:expired|been revoked)/i;

/** Asking the same again cannot help. */
const isRequestsFault = (text: string): boolean =>
  /invalid_request|INVALID_ARGUMENT|model[_ ]?not[_ ]?found|not_found_error|unknown model|unsupported/i.test(text);

/** A failure out of the words that wrap it: "429: {json}", "[API Error: 529 Overloaded]", "unexpected status 401 …". */
export function failureInWords(words: string, atMs: number): ApiFailure {
  const json = jsonIn(words);
  const error = asObject(json?.["error"]) ?? json ?? {};
  const own = words.startsWith("[API Error: ") ? words.replace(/^\[API Error: (.*?)\](?:\n|$).*/s, "$1") : words;
  return {
    message: asText(error["message"]) ?? own,
    status: statusIn(error, own),
    code: codeIn(error),
    resetsAtMs: resetIn(error, atMs),
    atMs,
  };
}

/** Some servers say when a limit ends beside the words. */
function resetIn(error: JsonObject, atMs: number): number | undefined {
  const span = asNumber(error["resets_in_seconds"]);
  return serverTime(error["resets_at"]) ?? (span === undefined ? undefined : atMs + span * 1000);
}

const statusIn = (error: JsonObject, words: string): number | undefined =>
  httpStatus(asNumber(error["status"])) ??
  httpStatus(asNumber(error["code"])) ??
  httpStatus(Number(STATUS.exec(words)?.slice(1).find(Boolean)));

/** "429 …", "API Error: 529 …", "status: 401", "status code 502", "Error code: 429", "HTTP/1.1 503", "rejected (429)". */
const STATUS =
  /^(?:API )?(?:Error:? )?(\d{3})\b|\b(?:status(?:[ _]?code)?|error code|HTTP(?:\/[\d.]+)?)[:=]? ?(\d{3})\b|\((\d{3})\)/i;

const httpStatus = (value: number | undefined): number | undefined =>
  value !== undefined && value >= 400 && value < 600 ? value : undefined;

function codeIn(error: JsonObject): string | undefined {
  return asText(error["code"]) ?? asText(error["status"]) ?? asText(error["type"]);
}
