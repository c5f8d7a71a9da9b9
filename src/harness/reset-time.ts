import { asNumber } from "./json-line.ts";

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

/** Since 1970, as a field of raw JSON or after a bar: 2001 to 2286. */
function epochIn(text: string): number | undefined {
  return serverTime(/(?:"resets?_?at"\s*:\s*"?|reached\|)(\d{10}(?:\d{3})?)\b/i.exec(text)?.[1]);
}

const ISO = String.raw`(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|UTC|GMT|[+-]\d{2}:?\d{2})?`;
const DATE = new RegExp(String.raw`(?:resets?|again|until)(?:_?at)?\W{1,5}(?:(?:at|on|after)\s+)?${ISO}`, "i");

/** "try again at 2026-11-18T07:53:00Z", "resets at 2026-11-18 07:53 UTC", `"resets_at":"2026-11-18T07:53:00+01:00"`. */
function dateIn(text: string): number | undefined {
  const [, day, time, zone = ""] = DATE.exec(text) ?? [];
  return serverTime(day === undefined ? undefined : `${day}T${time}${/^(?:UTC|GMT)$/i.test(zone) ? "Z" : zone}`);
}

/** The longer units first, so that none is cut short; another part may follow at once, but no letter. */
const PART = String.raw`\d+(?:\.\d+)?\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)(?![a-z])`;
const SPAN_TEXT = String.raw`\b(?:in|after):?\s(?:about\s)?((?:${PART}[\s,]{0,2}(?:and\s)?){1,4})`;
const SPAN = new RegExp(SPAN_TEXT, "i");
/** Only a span next to the reset: "50 messages in 3 hours; try again at 9 PM" names another span. */
const SPAN_TO_RESET = new RegExp(String.raw`\b(?:again|retry|resets?|wait)\b[^.;\n]{0,40}?${SPAN_TEXT}`, "i");
const SPAN_WORDS = /\b(?:again|retry|resets?|wait)\b/i;
const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };

/** "try again in 1.2s", "reset after 2h5m", "in 3 days 4 hours". */
function spanIn(text: string, nowMs: number, pattern: RegExp): number | undefined {
  const seconds = /"resets?_in_seconds"\s*:\s*(\d{1,9})/i.exec(text)?.[1];
  if (seconds !== undefined) return nowMs + Number(seconds) * 1000;
  const span = pattern.exec(text)?.[1];
  if (span === undefined) return undefined;
  const parts = [...span.matchAll(/(\d+(?:\.\d+)?)\s?([a-z]+)/gi)];
  return nowMs + parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs(unit!.toLowerCase()), 0);
}

const unitMs = (unit: string): number => (unit.startsWith("ms") || unit.startsWith("mil") ? 1 : UNIT_MS[unit[0]!]!);

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const CLOCK = new RegExp(
  String.raw`\b(?:resets?|again)\s+(?:at\s+|on\s+)?` +
    String.raw`(?:(${MONTHS.join("|")})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4}),?\s+)?(?:at\s+)?)?` +
    String.raw`(\d{1,2})(?::(\d{2})(?::\d{2})?)?(?:\s?([ap])\.?m\b\.?)?` +
    String.raw`(?:\s*\(([A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)*)\)|\s(UTC|GMT|[A-Za-z_]+\/[A-Za-z_+\-0-9/]+))?`,
  "i",
);

/** "resets 9:26pm (UTC)", "try again at Nov 18th, 2026 7:53 PM", "reset on April 20, 2026 at 2:00 AM", "resets 21:26". */
function clockIn(text: string, nowMs: number): number | undefined {
  const [, month, day, year, hour, minute, half, zone, bareZone] = CLOCK.exec(text) ?? [];
  const hours = hourOf(hour, half, minute !== undefined);
  if (hours === undefined) return undefined;
  const here = zoneOf(zone ?? bareZone);
  const today = wallOf(nowMs, here);
  const at = (date: Partial<Wall>): number =>
    instantOf({ ...today, hours, minutes: Number(minute ?? 0), ...date }, here);
  if (month === undefined) {
    const soon = at({});
    // A clock that has passed is tomorrow's; one that passed a moment ago is now.
    return soon > nowMs - 60_000 ? soon : at({ day: today.day + 1 });
  }
  const date = { month: MONTHS.indexOf(month.toLowerCase()), day: Number(day) };
  if (year !== undefined) return at({ ...date, year: Number(year) });
  const thisYear = at(date);
  return thisYear > nowMs - DAY_MS ? thisYear : at({ ...date, year: today.year + 1 });
}

/** Of a clock with two halves, or of one with 24 hours, which is one only with its minutes. */
function hourOf(hour: string | undefined, half: string | undefined, hasMinutes: boolean): number | undefined {
  const number = hour === undefined ? Number.NaN : Number(hour);
  if (half === undefined) return hasMinutes && number < 24 ? number : undefined;
  return number <= 12 ? (number % 12) + (half.toLowerCase() === "p" ? 12 : 0) : undefined;
}

interface Wall {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly hours: number;
  readonly minutes: number;
}

/** A zone that the system knows; undefined: the machine's own. */
function zoneOf(name: string | undefined): string | undefined {
  try {
    return name === undefined
      ? undefined
      : new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // a name that nobody knows says nothing
  }
}

/** The wall clock of a time zone at an instant. */
function wallOf(ms: number, timeZone: string | undefined): Wall {
  if (timeZone === undefined) {
    const here = new Date(ms);
    const [year, month, day] = [here.getFullYear(), here.getMonth(), here.getDate()];
    return { year, month, day, hours: here.getHours(), minutes: here.getMinutes() };
  }
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(ms);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  const [year, month, day] = [part("year"), part("month") - 1, part("day")];
  return { year, month, day, hours: part("hour"), minutes: part("minute") };
}

/** The instant at which clocks in a zone show this; twice corrected, for the zone's offset may change in between. */
function instantOf(wall: Wall, timeZone: string | undefined): number {
  const wanted = utcOf(wall);
  const first = wanted - (utcOf(wallOf(wanted, timeZone)) - wanted);
  return first + (wanted - utcOf(wallOf(first, timeZone)));
}

const utcOf = ({ year, month, day, hours, minutes }: Wall): number => Date.UTC(year, month, day, hours, minutes);
