import type { AgentOutcome } from "../domain/agent-event.ts";
import { asNumber, asObject, asText, jsonIn, type JsonObject, present } from "./json-line.ts";
import { resetTime } from "./reset-time.ts";

/** What a CLI says of a request that failed for good. */
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
 * What a failed request means for the session. Structured facts decide first, then the words of the error; only a
 * session that failed is ever asked, so prose of one that succeeded is no limit (P-43).
 */
export function failureOutcome(failure: ApiFailure): AgentOutcome {
  const { message, status, code = "" } = failure;
  const text = `${code} ${message}`;
  const isClient = status === undefined || (status >= 400 && status < 500);
  if (isClient && TOO_LONG.test(text)) return { kind: "context-too-long", message };
  if (isClient && status !== 401 && BILLING.test(text)) return limit(failure, "billing");
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

const TOO_LONG =
  /context[_ ](?:length|window|overflow)|ContextOverflow|prompt[ _](?:is )?too[ _]long|prompt as too long|token count .{0,40}exceeds|maximum number of tokens|room in the model['’]s context/i;
const BILLING = /insufficient_quota|billing_error|credit balance|current quota, please check|billing details/i;
const USAGE = /usage[_ ]limit|hit your .{0,20}limit|daily quota|weekly (?:rate )?limit|exhausted your/i;
const RATE = /rate[_ -]?limit|RESOURCE_EXHAUSTED|too many requests|exceeded your current quota/i;
const LOGIN =
  /invalid_api_key|API_KEY_INVALID|api key (?:not valid|provided)|invalid (?:api key|x-api-key)|authentication|unauthori[sz]ed|PERMISSION_DENIED|not logged in|please run \/login|sign in again/i;

/** Asking the same again cannot help. */
const isRequestsFault = (text: string): boolean =>
  /invalid_request|INVALID_ARGUMENT|model_not_found|not_found_error|unknown model|unsupported/i.test(text);

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
  const [at, span] = [asNumber(error["resets_at"]), asNumber(error["resets_in_seconds"])];
  return at === undefined ? span && atMs + span * 1000 : at * 1000;
}

const statusIn = (error: JsonObject, words: string): number | undefined =>
  asNumber(error["status"]) ??
  httpStatus(asNumber(error["code"])) ??
  httpStatus(Number(/^(\d{3})\b|\bstatus:? (\d{3})\b|\(HTTP (\d{3})\)/.exec(words)?.slice(1).find(Boolean)));

const httpStatus = (value: number | undefined): number | undefined =>
  value !== undefined && value >= 400 && value < 600 ? value : undefined;

function codeIn(error: JsonObject): string | undefined {
  return asText(error["code"]) ?? asText(error["status"]) ?? asText(error["type"]);
}
