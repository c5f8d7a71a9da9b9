// Times as people write them: a clock, a day or both, with or without a zone.

/** The short form first; other words that begin like these, such as "monthly" and "maybe", are none. */
const MONTHS =
  "jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)? may june? july? aug(?:ust)? sept?(?:ember)? oct(?:ober)? nov(?:ember)? dec(?:ember)?".split(
    " ",
  );
const WEEKDAYS =
  "sun(?:day)? mon(?:day)? tue(?:s(?:day)?)? wed(?:nesday)? thu(?:rs?(?:day)?)? fri(?:day)? sat(?:urday)?".split(" ");
/** Which of them a name is. */
const placeIn = (names: readonly string[], name: string): number =>
  names.findIndex((one) => one.slice(0, 3) === name.slice(0, 3).toLowerCase());
const DAY_MS = 86_400_000;

/** The words that a time follows, also in `"resets_at": …`. */
export const RESET_WORDS = String.raw`\b(?:resets?|again|until|renews?|regain access)(?:[_ ]?(?:at|time|on))?`;

const WHEN = new RegExp(String.raw`${RESET_WORDS}:?\s+(?:(?:at|on|after)\s+)?`, "gi");
/** More than any message has. */
const MOST_WORDS = 20;
const LONGEST_TIME = 80;

const NEAR_DAY = new RegExp(String.raw`^(?:(today)|(tomorrow)|(${WEEKDAYS.join("|")}))\b,?\s*`, "i");
const YEAR = String.raw`(?:,?\s+(\d{4})\b)?`;
const MONTH = String.raw`(${MONTHS.join("|")})\b\.?`;
const MONTH_FIRST = new RegExp(String.raw`^${MONTH}\s+(\d{1,2})(?:st|nd|rd|th)?\b${YEAR}`, "i");
const DAY_FIRST = new RegExp(String.raw`^(\d{1,2})(?:st|nd|rd|th)?\s+${MONTH}${YEAR}`, "i");
const CLOCK = /^[\s,]*(?:at\s+)?(?:(midnight)|(noon)|(\d{1,2})(?::(\d{2})(?::\d{2})?)?(?:\s?([ap])\.?m\b\.?)?)/i;
const ZONE =
  /^\s*(?:\(([A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)*)\)|\(?(?:UTC|GMT)([+-]\d{1,2})(?::?00)?\b|([A-Za-z_]+(?:\/[A-Za-z_+\-0-9/]+)?))/;

/** "resets 9:26pm (UTC)", "again at Nov 18th, 2026 7:53 PM", "resets Mon 7am", "until 21:26 CET", "renews on December 1". */
export function clockIn(text: string, nowMs: number): number | undefined {
  let seen = 0;
  for (const match of text.matchAll(WHEN)) {
    const start = match.index + match[0].length;
    const found = timeAt(text.slice(start, start + LONGEST_TIME), nowMs);
    if (found !== undefined || ++seen === MOST_WORDS) return found;
  }
  return undefined;
}

interface Day {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  readonly weekday?: number;
  readonly isTomorrow?: boolean;
}

function timeAt(words: string, nowMs: number): number | undefined {
  const { day, rest } = dayIn(words);
  const [all = "", midnight, noon, hour, minute, half] = CLOCK.exec(rest) ?? [];
  const isNamed = midnight !== undefined || noon !== undefined;
  const hours = isNamed ? (noon === undefined ? 0 : 12) : hourOf(hour, half, minute !== undefined);
  // A day alone begins at its midnight.
  if (hours === undefined && day === undefined) return undefined;
  const zone = hours === undefined ? undefined : zoneIn(rest.slice(all.length));
  return next(
    { day: day ?? {}, hours: hours ?? 0, minutes: hours === undefined ? 0 : Number(minute ?? 0) },
    nowMs,
    zone,
  );
}

function dayIn(words: string): { readonly day: Day | undefined; readonly rest: string } {
  const [near = "", , tomorrow, weekday] = NEAR_DAY.exec(words) ?? [];
  const rest = words.slice(near.length);
  const first = MONTH_FIRST.exec(rest);
  const [all, month, day, year] = first ?? reordered(DAY_FIRST.exec(rest)) ?? [];
  if (all !== undefined) {
    const date = { month: placeIn(MONTHS, month!), day: Number(day) };
    return { day: year === undefined ? date : { ...date, year: Number(year) }, rest: rest.slice(all.length) };
  }
  if (tomorrow !== undefined) return { day: { isTomorrow: true }, rest };
  return { day: weekday === undefined ? undefined : { weekday: placeIn(WEEKDAYS, weekday) }, rest };
}

const reordered = (match: RegExpExecArray | null): (string | undefined)[] | undefined =>
  match === null ? undefined : [match[0], match[2], match[1], match[3]];

/** Of a clock with two halves, or of one with 24 hours, which is one only with its minutes. */
function hourOf(hour: string | undefined, half: string | undefined, hasMinutes: boolean): number | undefined {
  const number = hour === undefined ? Number.NaN : Number(hour);
  if (half === undefined) return hasMinutes && number < 24 ? number : undefined;
  return number <= 12 ? (number % 12) + (half.toLowerCase() === "p" ? 12 : 0) : undefined;
}

interface Said {
  readonly day: Day;
  readonly hours: number;
  readonly minutes: number;
}

/** The next instant that is meant: what has passed is tomorrow's, next week's or next year's. */
function next({ day, hours, minutes }: Said, nowMs: number, zone: string | undefined): number {
  const today = wallOf(nowMs, zone);
  const at = (date: Partial<Wall>): number => instantOf({ ...today, hours, minutes, ...date }, zone);
  const { month, year, weekday, isTomorrow } = day;
  if (month !== undefined) {
    const date = { month, day: day.day! };
    if (year !== undefined) return at({ ...date, year });
    const thisYear = at(date);
    return thisYear > nowMs - DAY_MS ? thisYear : at({ ...date, year: today.year + 1 });
  }
  if (isTomorrow === true) return at({ day: today.day + 1 });
  const isNow = new Date(utcOf(today)).getUTCDay();
  const days = weekday === undefined ? 0 : (weekday - isNow + 7) % 7;
  const soon = at({ day: today.day + days });
  // One that passed a moment ago is now.
  return soon > nowMs - 60_000 ? soon : at({ day: today.day + days + (weekday === undefined ? 1 : 7) });
}

/** Short names that say which clocks are meant, summer or winter. */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^(?:PS?D?T|Pacific)$/, "America/Los_Angeles"],
  [/^(?:MS?D?T|Mountain)$/, "America/Denver"],
  [/^(?:CS?D?T|Central)$/, "America/Chicago"],
  [/^(?:ES?D?T|Eastern)$/, "America/New_York"],
  [/^CES?T$/, "Europe/Berlin"],
  [/^BST$/, "Europe/London"],
  [/^JST$/, "Asia/Tokyo"],
  [/^(?:UTC|GMT|Z)$/i, "UTC"],
];

/** The zone that the words begin with; undefined: the machine's own. */
function zoneIn(words: string): string | undefined {
  const [, inBrackets, offset, bare] = ZONE.exec(words) ?? [];
  // The signs of these names are those of their distance to Greenwich, turned round.
  if (offset !== undefined) return zoneOf(`Etc/GMT${offset.startsWith("-") ? "+" : "-"}${Number(offset.slice(1))}`);
  const name = inBrackets ?? bare;
  const known = name && PLACES.find(([pattern]) => pattern.test(name))?.[1];
  // A word without brackets may be anything.
  return known ?? (inBrackets !== undefined || bare?.includes("/") === true ? zoneOf(name) : undefined);
}

/** A zone that the system knows. */
function zoneOf(name: string | undefined): string | undefined {
  try {
    return name === undefined
      ? undefined
      : new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // a name that nobody knows says nothing
  }
}

interface Wall {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly hours: number;
  readonly minutes: number;
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
