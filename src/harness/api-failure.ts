import type { AgentOutcome } from "../domain/agent-event.ts";
import { asNumber, asObject, asText, jsonIn, type JsonObject, present } from "./json-line.ts";
import { stripAnsi } from "../domain/printable.ts";
import { resetInFields, resetTime } from "./reset-time.ts";

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
  const text = `${code} ${message}`.trim();
  const isClient = status === undefined || status < 500;
  if (isClient && CUT.test(text)) return { kind: "turn-limit", isOutput: true };
  if (isClient && (status === 413 || TOO_LONG.test(text))) return { kind: "context-too-long", message };
  if (isClient && isBill({ ...failure, status }, text)) return limit(failure, "billing");
  if (USAGE.test(text)) return limit(failure, "usage");
  if (status === 429 || RATE.test(text)) return limit(failure, "rate_limit");
  if (isClient && saysReset(failure)) return limit(failure, "usage");
  if (isClient && REGION.test(text)) return { kind: "login", message, why: "region" };
  if (isClient && CONTENT.test(text)) return { kind: "refused", message };
  if (isClient && isModel(text, status)) return { kind: "model", message };
  if (isClient && MISSING.test(text)) return { kind: "login", message, why: "missing" };
  if (status === 401 || status === 403 || (isClient && LOGIN.test(text) && !PASSING.test(text)))
    return { kind: "login", message };
  const retryable = status === undefined ? !isRequestsFault(text) : status >= 500 || PASSING_STATUSES.has(status);
  return present({ kind: "api-error", status, error: code === "" ? "unknown" : code, message, retryable });
}

/** Too slow, in each other's way, too early, given up by the server itself. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 499]);

/** Whatever else it is called: a limit that says when it begins anew. */
const saysReset = ({ message, atMs }: ApiFailure): boolean =>
  /\b(?:limit|quota|allowance|usage|credits?)\b[^\n]{0,80}\b(?:resets?|renews?)\b/i.test(message) &&
  resetTime(message, atMs) !== undefined;

function limit({ message, resetsAtMs, atMs }: ApiFailure, name: string): AgentOutcome {
  const resets = name === "billing" ? undefined : instant(resetsAtMs ?? resetTime(message, atMs));
  return present({ kind: "limit", limit: name, resetsAtMs: resets, message });
}

const LAST_INSTANT_MS = 8.64e15;

/** A time that calendars have; a server may send any number. */
export const instant = (ms: number | undefined): number | undefined =>
  ms !== undefined && ms > 0 && ms <= LAST_INSTANT_MS ? ms : undefined;

/** A quota with a reset time is a limit, even if the message mentions plans and bills. */
function isBill({ status, message, atMs }: ApiFailure, text: string): boolean {
  if (BILLING.test(text)) return true;
  return status !== 401 && (status === 402 || PLAN.test(text)) && resetTime(message, atMs) === undefined;
}

/** Of what a server does not have, only a model is the model's name: others are an address or a lost item. */
function isModel(text: string, status?: number): boolean {
  const isNamed = MODEL.test(text) || (status === 404 && /\b(?:models?|deployment)\b/i.test(text));
  return isNamed && !PASSING.test(text) && !AGAIN.test(text);
}

/**
 * What CLIs write to their standard error when they cannot begin, without any line of their own: no login, or no such
 * model. Nothing else in it means anything: servers of tools write there, too.
 */
export function startFailure(stderr: string): AgentOutcome | undefined {
  for (const line of stripAnsi(stderr).split("\n")) {
    const message = line.trim().replace(/^(?:fatal |Error)(?:error)?: /i, "");
    if (message.length > LONGEST_LINE || NO_FAILURE.test(message)) continue;
    if (isModel(message)) return { kind: "model", message };
    if (MISSING.test(message)) return { kind: "login", message, why: "missing" };
  }
  return undefined;
}

/** Servers of tools, and what still works. */
const NO_FAILURE = /\bmcp\b|\bwarn(?:ing)?\b|deprecat|will be (?:removed|retired|decommissioned)/i;

/** More than a sentence: a trace, or the source of a program. */
const LONGEST_LINE = 500;

/** Of the answer, not of a request for more tokens than one may have. */
const CUT =
  /OutputLengthError|incomplete response[^\n]{0,60}\bmax_(?:output_)?tokens|response (?:was (?:cut|truncated)|exceeded)[^\n]{0,60}(?:max_(?:output_)?tokens|output token)/i;
const TOO_LONG =
  /context[_ ](?:length|window|overflow)|ContextOverflow|prompt[ _](?:is )?too[ _]long|prompt as too long|token count .{0,40}exceeds|maximum number of tokens|room in the model['’]s context|exceeds? (?:the )?(?:available )?context (?:limit|size)|input is too long for (?:the |this )?(?:requested )?model|maximum prompt length|reduce the length of (?:the|your) (?:messages|prompt|input)|exceeded model token limit|request too large|session token limit exceeded|input token count is \d+ but|tokens must be reduced|range of input length|prompt exceeds max|payload size exceeds|too many tokens: |longer than the maximum model length|tokens? \+ .{0,20}max_new_tokens/i;
const BILLING =
  /insufficient_quota|billing_error|credit balance|payment required|insufficient (?:credits?|balance|funds)|out of credits?\b|no (?:credits|balance) (?:left|remaining)|requires more credits|credits?_?error|spending limit|payment (?:method|is) required|add (?:credits|funds)|balance is (?:too low|exhausted|insufficient)|spend(?:ing)?[ _]cap|over budget|budget[ _](?:has been )?exceeded|credits? (?:are|is|have been|has been) (?:depleted|exhausted|used up)|billing[ _](?:hard[ _]limit|not[ _]active)|billing (?:to be|must be|is not|has not been) (?:enabled|active)|credits[_ ]required|requires_usage_credits|key limit exceeded \((?:total|lifetime)|\barrear|FreeTierOnly/i;
const PLAN = /current quota, please check|billing details/i;
/** Of an account, for hours and longer. */
const USAGE =
  /(?<!not your )usage[_ ]limit|hit your .{0,20}limit|\b(?:hour(?:ly)?|daily|weekly|monthly|session|premium)[ -](?:\w+ ){0,2}(?:limit|quota|allowance)\b|exhausted your|(?:exceeded|reached) your (?![^.\n]{0,30}\b(?:current|rate|minute|second)\b)[^.\n]{0,30}\b(?:quota|allowance|limit)\b/i;
const RATE =
  /rate[_ -]?limit|RESOURCE_EXHAUSTED|too many requests|throttl|exceeded your current quota|(?<!disk )quota[ _]?exceeded|exceeds? the [^.\n]{0,30}\bquota\b/i;
/** What was asked or answered, not who asked. */
const CONTENT =
  /\bcontent[_ ](?:filter|management policy|policy)|flagged (?:this|your|the|for|as|by)|(?:input|prompt|message|request) was flagged|violat\w+ [^.\n]{0,40}\bpolic|policy violation|prohibited_content/i;
/** The model is named, and there is none of that name, or not for this account. */
const MODEL = new RegExp(
  [
    // Codes and names of errors.
    "model_?not_?(?:found|supported|available|exists?)|model_(?:decommissioned|deprecated|access_denied)|DeploymentNotFound",
    // "The model `x` does not exist", "Model not found: x", "models/x is not found", "The 'x' model is not supported".
    String.raw`\bmodels?(?:[/:= ]+["'\x60(]*[\w./:@+-]+["'\x60)]*)?(?: from --\S+ flag)?,? (?:(?:was|is|has|have|had|been|does|do|could|currently) ){0,2}(?:not (?:found|exist|supported|available|recogni[sz]ed|enabled|allowed|a valid)|no longer (?:available|supported|exists?)|retired|decommissioned|deprecated|removed|doesn[’']t exist|isn[’']t (?:available|supported))`,
    String.raw`\b(?:unknown|invalid|unsupported|unrecogni[sz]ed|no such|no matching) model\b(?! (?:response|output|answer|state))|not a valid model|model identifier is invalid|no models? (?:match|found|loaded)`,
    String.raw`(?:^|not_found\w* |\d{3}:? )model: ?\S+$`,
    "issue with the selected model|no endpoints found|from the provided model identifier|LLM Provider NOT provided|model unavailable: ",
    // It is too old, too new, or cannot do this work.
    String.raw`model version has reached the end|marked by provider as legacy|model requires a newer version|model ID \S+ with on-demand throughput|does not (?:work with the specified model|support tools\b)`,
    // Not for this account.
    String.raw`(?:access|entitled|permission|allowed|authori[sz]ed|permitted|subscribed)(?: to)?(?: use| access| call| invoke)? (?:the |this |that |requested |foundation )*(?:model\b|["'\x60][^"'\x60]+["'\x60] model\b)`,
    String.raw`must be verified to (?:use|stream) (?:the|this) model|\b(?:model|opus|sonnet|haiku)\b[^.\n]{0,30} is not available (?:with|on|in|for|under) [^.\n]{0,40}\b(?:plan|subscription|tier)\b`,
  ].join("|"),
  "i",
);
/** Another time it may be there. */
const PASSING =
  /overload|capacity|temporar|currently experiencing|high demand|transient|another [\w ]{1,30}process|try again (?:later|in|soon)|right now|at the moment/i;
/** Said of a model, but not of a login, it means the same. */
const AGAIN = /(?:please|[.,;!]) try again(?! with| using)/i;
const REGION =
  /unsupported_country|(?:country|region|territory|location)[^.\n]{0,40} (?:is )?not (?:supported|available|allowed|permitted)|not (?:currently |yet )?(?:available|supported|offered) in your (?:current )?(?:country|region|location|area)/i;
const MISSING =
  /missing environment variable|not logged in|no (?:api[ -]key|auth(?:entication)? (?:type|method|information|credentials?|token)|credentials?|access token|login)\b[^.\n]{0,40}(?:found|selected|set|configured|provided|available|is)\b|set an auth method|missing (?:api[ -]key|credentials|x-api-key|bearer)|api[_ -]?key (?:is )?(?:required|missing|not (?:set|found|configured|provided))|(?:could not|couldn[’']t|cannot|can[’']t|unable to) (?:find|load|resolve) (?:any |the |default |your )*(?:credentials|api key|authentication)|(?:login|sign-?in|authentication) (?:is )?required/i;
const LOGIN =
  /invalid_api_key|API_KEY_INVALID|api key (?:not valid|provided|expired)|(?:no|missing|invalid) (?:api key|x-api-key|(?:bearer|auth) token)|authenticat(?:ion|ed)|no auth credentials|unauthori[sz]ed|PERMISSION_DENIED|permission_error|not logged in|please (?:run \/login|log ?in)|sign in again|(?:token|session|login) (?:has |is )?(?:expired|(?:been )?revoked)|(?:token|session|login|credentials?|api[ _-]?key)(?: (?!deadline|time|lease|because)\w+){0,8} (?:has|have|is|are|was)(?: been)? (?:expired|revoked|invalidated)|security token [^.\n]{0,40} is invalid|ExpiredToken|invalid_grant|AccessDenied|access denied (?:by|due to)|not authorized to perform|not (?:eligible|entitled|licensed) (?:for|to)\b|(?:organization|account|project|key|user)\b[^.\n]{0,30} (?:has been|is|was) (?:disabled|suspended|deactivated|banned)|(?:organization|administrator|admin) (?:has )?disabled|disabled organization|with your \w+ plan, upgrade|verification_required|account_on_hold|oauth_org_not_allowed/i;

/** Asking the same again cannot help. */
const isRequestsFault = (text: string): boolean =>
  /invalid_request|INVALID_ARGUMENT|model[_ ]?not[_ ]?found|not_found_error|unknown model|unsupported/i.test(text);

/** A failure out of the words that wrap it: "429: {json}", "[API Error: 529 Overloaded]", "unexpected status 401 …". */
export function failureInWords(words: string, atMs: number): ApiFailure {
  const json = jsonIn(words) ?? {};
  const error = asObject(json["error"]) ?? json;
  const own = words.startsWith("[API Error: ") ? words.replace(/^\[API Error: (.*?)\](?:\n|$).*/s, "$1") : words;
  const failure: ApiFailure = {
    message: asText(error["message"]) ?? own,
    status: statusOf(error) ?? statusOf(json) ?? statusIn(own),
    code: codeIn(error),
    // Some servers say when a limit ends beside the words.
    resetsAtMs: resetInFields(json, atMs),
    atMs,
  };
  const passedOn = passedOnIn(error);
  if (passedOn === undefined) return failure;
  const { status, code, resetsAtMs, ...inner } = failureInWords(passedOn, atMs);
  return {
    ...inner,
    status: failure.status ?? status,
    code: code ?? failure.code,
    resetsAtMs: resetsAtMs ?? failure.resetsAtMs,
  };
}

/** The words of the server behind a proxy: as they came, or in place of a message. */
function passedOnIn({ metadata, message }: JsonObject): string | undefined {
  const raw = asText(asObject(metadata)?.["raw"]) ?? "";
  if (raw.trim() !== "") return raw;
  const words = asText(message)?.trim() ?? "";
  return words.startsWith("{") && jsonIn(words) !== undefined ? words : undefined;
}

const statusOf = ({ status, statusCode, status_code, code }: JsonObject): number | undefined =>
  [status, statusCode, status_code, code].map((value) => httpStatus(asNumber(value))).find(Boolean);

const statusIn = (words: string): number | undefined => httpStatus(Number(STATUS.exec(words)?.slice(1).find(Boolean)));

/** "429 …", "API Error: 529 …", "status: 401", "status code 502", "Error code: 429", "HTTP/1.1 503", "rejected (429)". */
const STATUS =
  /^(?:API )?(?:Error(?: \([^)\n]{0,120}\))?:? )?(\d{3})\b|\b(?:status(?:[ _]?code)?|error code|HTTP(?:\/[\d.]+)?)[:=]? ?(\d{3})\b|\((\d{3})\)/i;

const httpStatus = (value: number | undefined): number | undefined =>
  value !== undefined && value >= 400 && value < 600 ? value : undefined;

/** A name says more than a number, which is the status again or the server's own. */
function codeIn({ code, status, type }: JsonObject): string | undefined {
  const names = [code, status, type].flatMap((value) => asText(value) ?? []);
  return names.find((name) => !/^\d+$/.test(name)) ?? names[0];
}
