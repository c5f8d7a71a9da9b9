/**
 * When a limit ends, from the words of an error; undefined when they do not say. Never asked about a session that
 * succeeded (P-43). `nowMs` is when the words were said. A time without a zone is of the machine that said it: this one.
 */
export function resetTime(text: string, nowMs: number): number | undefined {
  return epochIn(text) ?? spanIn(text, nowMs) ?? clockIn(text, nowMs);
}

/** Seconds since 1970, as a field of raw JSON or after a bar: 2001 to 2286. */
function epochIn(text: string): number | undefined {
  const seconds = /(?:"resets?_?at"\s*:\s*|reached\|)(\d{10})\b/i.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** The longer units first, so that none is cut short; another part may follow at once, but no letter. */
const PART = String.raw`\d+(?:\.\d+)?\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)(?![a-z])`;
const SPAN = new RegExp(String.raw`\b(?:in|after)\s((?:${PART}[\s,]{0,2}(?:and\s)?){1,4})`, "i");
const SPAN_WORDS = /\b(?:again|retry|resets?|wait)\b/i;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** "try again in 1.2s", "reset after 2h5m", "in 3 days 4 hours". */
function spanIn(text: string, nowMs: number): number | undefined {
  const seconds = /"resets?_in_seconds"\s*:\s*(\d{1,9})/i.exec(text)?.[1];
  if (seconds !== undefined) return nowMs + Number(seconds) * 1000;
  const span = SPAN_WORDS.test(text) ? SPAN.exec(text)?.[1] : undefined;
  if (span === undefined) return undefined;
  const parts = [...span.matchAll(/(\d+(?:\.\d+)?)\s?([a-z]+)/gi)];
  return nowMs + parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs(unit!.toLowerCase()), 0);
}

const unitMs = (unit: string): number => (unit.startsWith("ms") || unit.startsWith("mil") ? 1 : UNIT_MS[unit[0]!]!);

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY_MS = 86_400_000;

const CLOCK = new RegExp(
  String.raw`\b(?:resets?|again)\s+(?:at\s+|on\s+)?` +
    String.raw`(?:(${MONTHS.join("|")})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4}),?\s+)?(?:at\s+)?)?` +
    String.raw`(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b\.?(?:\s*\(([A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)*)\))?`,
  "i",
);

/** "resets 9:26pm (UTC)", "try again at Nov 18th, 2026 7:53 PM", "reset on April 20, 2026 at 2:00 AM". */
function clockIn(text: string, nowMs: number): number | undefined {
  const [, month, day, year, hour, minute = "0", half, zone] = CLOCK.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 12) return undefined;
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0);
  const here = zoneOf(zone);
  const today = wallOf(nowMs, here);
  const at = (date: Partial<Wall>): number => instantOf({ ...today, hours, minutes: Number(minute), ...date }, here);
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

/** What clocks show in a zone at an instant. */
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
  return {
    year: part("year"),
    month: part("month") - 1,
    day: part("day"),
    hours: part("hour"),
    minutes: part("minute"),
  };
}

/** The instant at which clocks in a zone show this; twice corrected, for the zone's offset may change in between. */
function instantOf(wall: Wall, timeZone: string | undefined): number {
  const wanted = utcOf(wall);
  const first = wanted - (utcOf(wallOf(wanted, timeZone)) - wanted);
  return first + (wanted - utcOf(wallOf(first, timeZone)));
}

const utcOf = ({ year, month, day, hours, minutes }: Wall): number => Date.UTC(year, month, day, hours, minutes);
