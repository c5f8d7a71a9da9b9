import type { RunEvent } from "./run/event.ts";

export type Redactor = (text: string) => string;

const MIN_LENGTH = 8;

// Not KEYBOARD, and not AUTHOR, whose values are ordinary words.
const SECRET_NAME = /KEY(?!BOARD)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTH(?!OR(?!I))|COOKIE/i;

/** The path of a secret is not secret: hiding it would make much output unreadable. */
const PLACE_NAME = /_(?:SOCK|FILE|PATH|DIR)$/i;

/**
 * Replaces the values of variables that look like secrets by their names (W-04). One pass, the longest value first: a
 * secret that begins with another one is not left half readable.
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redactor {
  const names = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(env)) {
    // Programs print a value without the line end that a file had given it.
    const secret = value.trim();
    const isPlace = PLACE_NAME.test(name) && secret.startsWith("/");
    if (SECRET_NAME.test(name) && !isPlace && secret.length >= MIN_LENGTH && !names.has(secret)) {
      names.set(secret, name);
    }
  }
  if (names.size === 0) return (text) => text;
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  const anySecret = new RegExp(longestFirst.map(escaped).join("|"), "g");
  return (text) => text.replaceAll(anySecret, (secret) => `[${names.get(secret)}]`);
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** An event without secrets: every text in it, however deep. Names that programs compare stay as they are. */
export const redactEvent = <Event extends RunEvent>(event: Event, redact: Redactor): Event =>
  // Only texts are replaced, and only by texts.
  mapStrings(event, redact) as Event;

/** Ids and words of the vocabulary. */
const KEPT = new Set(
  (
    "type kind id run parent block sessionId commit tree ref head task by " +
    "mode level for check change claim channel verdict override outcome status proof session ending limit watchdog hook point on"
  ).split(" "),
);

/** The value with every text changed, except under the names that are kept; the very same where nothing changes. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) {
    const changed = value.map((item) => mapStrings(item, change));
    return changed.some((item, index) => item !== value[index]) ? changed : value;
  }
  if (typeof value !== "object" || value === null) return value;
  // Of the many events few have anything to change: no copy is made for the others.
  const changes: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    const inner = (value as Readonly<Record<string, unknown>>)[name];
    const changed = isKept(name, inner) ? inner : mapStrings(inner, change);
    if (changed !== inner) changes.push([name, changed]);
  }
  return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
}

/** A task is an id in one event and an object with a title in another: only the id is kept. */
const isKept = (name: string, value: unknown): boolean =>
  KEPT.has(name) && (typeof value === "string" || isTexts(value));

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
