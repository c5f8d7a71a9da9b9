import { asNumber, type JsonObject } from "./json-line.ts";
import { clockIn, RESET_WORDS } from "./reset-clock.ts";

/**
 * When a limit ends, from the words of an error; undefined when they do not say. Never asked about a session that
 * succeeded (P-43). `nowMs` is when the words were said. A time without a zone is of the machine that said it: this one.
 */
export function resetTime(text: string, nowMs: number): number | undefined {
  return (
    epochIn(text) ??
    dateIn(text) ??
    spanIn(text, nowMs, SPAN_TO_RESET) ??
    clockIn(text, nowMs) ??
    (SPAN_WORDS.test(text) ? spanIn(text, nowMs, SPAN) : undefined)
  );
}

/** The largest number that is taken for seconds, in the year 5138; as milliseconds it is in 1973. */
const MAX_SECONDS = 1e11;

/** An instant as servers write it: seconds or milliseconds since 1970, as a number or its text, or a date of ISO 8601. */
export function serverTime(value: unknown): number | undefined {
  const number = asNumber(value);
  if (number !== undefined) return number > MAX_SECONDS ? number : number * 1000;
  const ms = typeof value === "string" && new RegExp(`^${ISO}$`).test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The smallest number that is an instant and no span: in seconds the year 2001. */
const MIN_EPOCH = 1e9;

/** An instant or a span from now on, as fields and headers have them: "30", 1794777999, "6m0s", a date, "Sun, 15 Nov …". */
export function toldTime(value: unknown, nowMs: number, unit: "s" | "ms" = "s"): number | undefined {
  const number = asNumber(value);
  if (number === undefined) {
    if (typeof value !== "string" || value.length > LONGEST_FIELD) return undefined;
    const date = /^[A-Z][a-z]{2}, \d/.test(value) ? Date.parse(value) : Number.NaN;
    if (date > nowMs) return date;
    return serverTime(value) ?? spanIn(`in ${value.trim()}`, nowMs, WHOLE_SPAN);
  }
  if (number < 0) return undefined;
  if (unit === "ms" && number < MIN_EPOCH * 100) return nowMs + number;
  return number < MIN_EPOCH ? nowMs + number * 1000 : serverTime(number);
}

const LONGEST_FIELD = 60;
/** Names of fields, without what separates their words: `resets_at`, `X-RateLimit-Reset`, `retryDelay`, `retry_after_ms`. */
const RESET_FIELD = /^(?:xratelimit)?resets?(?:at|on|time|date|in|after)?(ms|milliseconds)?(?:seconds|secs?)?$/;
const RETRY_FIELD = /^retry(?:after|delay|in)(ms|milliseconds)?(?:seconds|secs?)?$/;
const DEEPEST = 5;

/** When a limit ends, from the fields of what a server sent. What names a reset is more exact than when to try again. */
export function resetInFields(json: JsonObject, nowMs: number): number | undefined {
  const fields = fieldsIn(json, 0);
  const timeBy = (names: RegExp): number | undefined => {
    for (const [name, value] of fields) {
      const match = names.exec(name);
      const found = match === null ? undefined : toldTime(value, nowMs, match[1] === undefined ? "s" : "ms");
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return timeBy(RESET_FIELD) ?? timeBy(RETRY_FIELD);
}

const fieldsIn = (value: object, depth: number): [string, unknown][] =>
  Object.entries(value).flatMap(([key, held]: [string, unknown]) =>
    typeof held === "object" && held !== null
      ? depth < DEEPEST
        ? fieldsIn(held, depth + 1)
        : []
      : [[key.replaceAll(/[_-]/g, "").toLowerCase(), held] satisfies [string, unknown]],
  );

/** Since 1970, as a field of raw JSON or after a bar: 2001 to 2286. */
function epochIn(text: string): number | undefined {
  return serverTime(/(?:"resets?_?at"\s*:\s*"?|reached\|)(\d{10}(?:\d{3})?)\b/i.exec(text)?.[1]);
}

const TIME = String.raw`(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|UTC|GMT|[+-]\d{2}:?\d{2})?`;
const ISO = String.raw`(\d{4}-\d{2}-\d{2})[T ]${TIME}`;
const DATE = new RegExp(
  String.raw`${RESET_WORDS}\W{1,5}(?:(?:at|on|after)\s+)?(\d{4}-\d{2}-\d{2})(?!\d)(?:(?:T|\s(?:at\s)?)${TIME})?`,
  "i",
);

/** "try again at 2026-11-18T07:53:00Z", "regain access on 2026-12-01 at 00:00 UTC", `"resets_at":"2026-11-18T07:53:00+01:00"`. */
function dateIn(text: string): number | undefined {
  const [, day, time = "00:00", zone = ""] = DATE.exec(text) ?? [];
  return serverTime(day === undefined ? undefined : `${day}T${time}${/^(?:UTC|GMT)$/i.test(zone) ? "Z" : zone}`);
}

/** The longer units first, so that none is cut short; another part may follow at once, but no letter. */
const PART = String.raw`(?:\d+(?:\.\d+)?|an?\s|one\s)\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)(?![a-z])`;
const PARTS = String.raw`(?:about\s)?((?:${PART}[\s,]{0,2}(?:and\s)?){1,4})`;
const SPAN_TEXT = String.raw`\b(?:in|after):?\s${PARTS}`;
const SPAN = new RegExp(SPAN_TEXT, "i");
const WHOLE_SPAN = new RegExp(`^${SPAN_TEXT}$`, "i");
/** Only a span next to the reset: "50 messages in 3 hours; try again at 9 PM" names another span. */
const SPAN_TO_RESET = new RegExp(
  String.raw`\b(?:(?:again|retry|resets?|renews?|wait)\b[^.;\n]{0,40}?\b(?:in|after|for)|wait):?\s${PARTS}`,
  "i",
);
const SPAN_WORDS = /\b(?:again|retry|resets?|wait)\b/i;
/** The header itself, which has no unit. */
const RETRY_AFTER = /\bretry[-_ ]?after["']?\s?[:=]?\s?(\d{1,7})(?![\d.:-]|\s?[a-z])/i;
const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };

/** "try again in 1.2s", "reset after 2h5m", "in 3 days 4 hours", "wait 20 seconds", "in an hour", "Retry-After: 30". */
function spanIn(text: string, nowMs: number, pattern: RegExp): number | undefined {
  const seconds = (/"resets?_in_seconds"\s*:\s*(\d{1,9})/i.exec(text) ?? RETRY_AFTER.exec(text))?.[1];
  if (seconds !== undefined) return nowMs + Number(seconds) * 1000;
  const span = pattern.exec(text)?.[1];
  if (span === undefined) return undefined;
  const parts = [...span.matchAll(/(\d+(?:\.\d+)?|\ban?\s|\bone\s)\s?([a-z]+)/gi)];
  return nowMs + parts.reduce((sum, [, count, unit]) => sum + numberOf(count!) * unitMs(unit!.toLowerCase()), 0);
}

/** "an" and "one" are 1. */
const numberOf = (count: string): number => (/^\d/.test(count) ? Number(count) : 1);

const unitMs = (unit: string): number => (unit.startsWith("ms") || unit.startsWith("mil") ? 1 : UNIT_MS[unit[0]!]!);
