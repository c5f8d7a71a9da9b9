import { CONTROLS, replaceAcross, WRAPS } from "./across-breaks.ts";
import { textFinder } from "./find-texts.ts";
import { groupBy } from "./group.ts";
import type { RunEvent } from "./run/event.ts";
import { type Forms, KEY_SIGNS, LOGIN, otherForms, PASSWORD, tokenForms } from "./secret-forms.ts";
import { MIN_SECRET_LENGTH } from "./secret-spellings.ts";
import { settingsInFile } from "./secret-files.ts";
import { secretsIn } from "./secret-values.ts";
import { changeTokenLines } from "./token-lines.ts";

export type Redactor = (text: string) => string;

/** What the configuration says about secrets. */
export interface RedactRules {
  /** Patterns for names of variables whose values are secrets. */
  readonly variables: readonly string[];
  /** Forms of secrets, with `*`. */
  readonly forms: readonly string[];
  /** Names of variables and forms, and texts, that are no secrets. */
  readonly allow: readonly string[];
}

export interface RedactOptions {
  /** Absent: texts that are redacted already; then a form that the configuration allows must stay. */
  readonly rules?: RedactRules;
  /** Texts of files with secrets, such as `.env`. */
  readonly files?: readonly string[];
  /** Called with the name under which something is hidden. */
  readonly onHidden?: (name: string) => void;
}

/**
 * Replaces secrets by their names (B-05, W-04): values of variables that are secrets by their names, here or in files, and
 * texts that have the form of one. The longest value first: a secret that begins with another one is not left half
 * readable. Where a text was cut (`…`), a part of a value is replaced, too.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  { rules, files = [], onHidden = () => undefined }: RedactOptions = {},
): Redactor {
  const allowed = new Set(rules?.allow);
  const values = new Map<string, string>();
  for (const variables of [Object.entries(env), ...files.map(settingsInFile)]) {
    for (const [secret, name] of secretsIn(variables, rules?.variables)) {
      if (!allowed.has(name) && !allowed.has(secret) && !values.has(secret)) values.set(secret, name);
    }
  }
  const hide = (name: string): string => {
    onHidden(name);
    return `[${name}]`;
  };
  const withoutValues = values.size === 0 ? (text: string) => text : valueRedactor(values, hide);
  if (rules === undefined) return withoutValues;
  const withoutTokens = formRedactor(tokenForms(allowed), { allowed, hide });
  const withoutOthers = formRedactor(otherForms(rules.forms, allowed), { allowed, hide });
  const named = (text: string, name: string, pattern: RegExp): string =>
    allowed.has(name)
      ? text
      : text.replaceAll(pattern, (found, before: string, secret: string) =>
          allowed.has(secret) ? found : before + hide(name),
        );
  const inLine = (line: string): string => named(withoutTokens.whole(line), "login", LOGIN);
  const hasOthers = (text: string): boolean => rules.forms.length > 0 || KEY_SIGNS.some((sign) => text.includes(sign));
  return (text) => {
    // Most texts of events are words.
    if (text.length < MIN_SECRET_LENGTH && rules.forms.length === 0) return text;
    const unknown = withoutValues(text);
    let known = changeTokenLines(hasOthers(unknown) ? withoutOthers.whole(unknown) : unknown, inLine);
    if (CONTROLS.sign.test(known)) known = withoutOthers.coloured(withoutTokens.coloured(known));
    return known.includes("://") ? named(known, "password", PASSWORD) : known;
  };
}

interface Hiding {
  readonly allowed: ReadonlySet<string>;
  readonly hide: (name: string) => string;
}

/** Hides what has one of the forms, in one piece or with colours inside. */
function formRedactor({ names, pattern }: Forms, { allowed, hide }: Hiding): { whole: Redactor; coloured: Redactor } {
  const nameOf = (groups: readonly unknown[]): string => names[groups.findIndex((group) => group !== undefined)]!;
  const across = {
    breaks: CONTROLS,
    find: (joined: string) =>
      [...joined.matchAll(pattern)]
        .filter(([found]) => !allowed.has(found))
        .map((match) => ({ at: match.index, length: match[0].length, groups: match.slice(1) })),
    replaced: ({ groups }: { readonly groups: readonly unknown[] }) => hide(nameOf(groups)),
  };
  return {
    whole: (text) =>
      text.replaceAll(pattern, (found: string, ...groups: unknown[]) =>
        allowed.has(found) ? found : hide(nameOf(groups)),
      ),
    coloured: (text) => replaceAcross(text, across),
  };
}

function valueRedactor(values: ReadonlyMap<string, string>, hide: (name: string) => string): Redactor {
  const find = textFinder([...values.keys()], MIN_SECRET_LENGTH);
  const withoutPieces = pieceRedactor(values, hide);
  const wrapped = {
    breaks: WRAPS,
    find: (joined: string) => find(joined).map(({ text, at }) => ({ at, length: text.length, text })),
    replaced: ({ text }: { readonly text: string }) => hide(values.get(text)!),
  };
  return (text) => {
    let result = "";
    let read = 0;
    for (const { text: secret, at } of find(text)) {
      result += text.slice(read, at) + hide(values.get(secret)!);
      read = at + secret.length;
    }
    const whole = read === 0 ? text : result + text.slice(read);
    const rest = replaceAcross(whole, wrapped);
    return rest.includes(CUT) ? withoutPieces(rest) : rest;
  };
}

/** The mark of all our cuts. */
const CUT = "…";

/** Replaces the beginning of a secret before a cut, and its end behind one. */
function pieceRedactor(values: ReadonlyMap<string, string>, hide: (name: string) => string): Redactor {
  const secrets = [...values.keys()];
  const longest = secrets.reduce((most, { length }) => Math.max(most, length), 0);
  const byBeginning = groupBy(secrets, (secret) => secret.slice(0, MIN_SECRET_LENGTH));
  const byEnd = groupBy(secrets, (secret) => secret.slice(-MIN_SECRET_LENGTH));
  const withoutHead = (part: string): string => {
    const text = part.trimEnd();
    for (let at = Math.max(text.length - longest, 0); at <= text.length - MIN_SECRET_LENGTH; at += 1) {
      const piece = byBeginning
        .get(text.slice(at, at + MIN_SECRET_LENGTH))
        ?.find((each) => each.startsWith(text.slice(at)));
      if (piece !== undefined) return text.slice(0, at) + hide(values.get(piece)!);
    }
    return part;
  };
  const withoutEnd = (part: string): string => {
    const text = part.trimStart();
    for (let end = Math.min(text.length, longest); end >= MIN_SECRET_LENGTH; end -= 1) {
      const piece = byEnd
        .get(text.slice(end - MIN_SECRET_LENGTH, end))
        ?.find((each) => each.endsWith(text.slice(0, end)));
      if (piece !== undefined) return hide(values.get(piece)!) + text.slice(end);
    }
    return part;
  };
  return (text) =>
    text
      .split(CUT)
      .map((part, index, { length }) => (index === length - 1 ? part : withoutHead(part)))
      .map((part, index) => (index === 0 ? part : withoutEnd(part)))
      .join(CUT);
}

/** An event without secrets: every text in it, however deep. Names that programs compare stay as they are. */
export const redactEvent = <Event extends RunEvent>(event: Event, redact: Redactor): Event =>
  // Only texts are replaced, and only by texts.
  mapStrings(event, redact) as Event;

const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const KEY_BEGINS = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;

/** Whether a text ends inside of a private key. */
function hasOpenKey(text: string): boolean {
  const rest = text.slice(Math.max(text.lastIndexOf("-----BEGIN "), 0));
  return KEY_BEGINS.test(rest) && !KEY_ENDS.test(rest);
}

/** Redacts one event after the other. A private key has many lines, and each may come as a text of its own. */
export function redactingEvents(redact: Redactor): (event: RunEvent) => RunEvent {
  /** The text in which a key has begun, by iteration. */
  const open = new Map<number, string>();
  return (event) => {
    if (event.type !== "agent.text" && event.type !== "agent.thinking") {
      if ("iteration" in event && event.iteration !== undefined) open.delete(event.iteration);
      return redactEvent(event, redact);
    }
    const { text, iteration } = event;
    const block = `${event.type} ${event.block ?? ""}`;
    const isInside = open.get(iteration) === block;
    const end = isInside ? KEY_ENDS.exec(text) : null;
    if (isInside && end === null) return { ...event, text: text.endsWith("\n") ? `${HIDDEN_KEY}\n` : HIDDEN_KEY };
    const rest = end === null ? text : text.slice(end.index + end[0].length);
    if (hasOpenKey(rest)) open.set(iteration, block);
    else open.delete(iteration);
    return redactEvent({ ...event, text: rest }, redact);
  };
}

const HIDDEN_KEY = "[private key]";

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
