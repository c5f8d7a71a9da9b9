import { isMapping, type Mapping, parseMapping } from "../mapping.ts";
import { mapStrings, redactEvent, type Redactor } from "../redact.ts";
import { isoTime } from "../task-json.ts";
import { EVENT_DOCS } from "./event-docs.ts";
import { EVENT_OBJECTS } from "./event-objects.ts";
import { EVENT_VERSION, type EventLine, type RunEvent } from "./event.ts";

export interface LineFacts {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly run: string;
  readonly redact: Redactor;
}

/** An event as it was written down. */
export interface RecordedEvent {
  /** Without secrets. */
  readonly event: RunEvent;
  readonly atMs: number;
  /** One line of JSON, without its end. */
  readonly line: string;
}

/** Made once for all who hear of it. Secrets are redacted before long texts are cut. */
export function recordEvent(event: RunEvent, { at, run, redact }: LineFacts): RecordedEvent {
  const head: EventLine = { v: EVENT_VERSION, at: isoTime(at), run };
  const safe = redactEvent(event, redact);
  return { event: safe, atMs: at, line: JSON.stringify({ ...head, ...(mapStrings(safe, cut) as RunEvent) }) };
}

export const eventLine = (event: RunEvent, facts: LineFacts): string => recordEvent(event, facts).line;

const LIMIT_BYTES = 64 * 1024;

function cut(text: string): string {
  // A UTF-16 unit takes three bytes at most: short texts need no look.
  if (text.length * 3 <= LIMIT_BYTES) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LIMIT_BYTES));
  return read === text.length ? text : `${text.slice(0, read)}\n[cut: ${text.length - read} more characters]`;
}

export interface LoggedEvent {
  readonly atMs: number;
  readonly run: string;
  readonly event: RunEvent;
}

/**
 * The event of a line; undefined if this version does not know it: half a line after a crash, a newer version, another
 * type or shape.
 */
export function readEventLine(line: string): LoggedEvent | undefined {
  const { v, at, run, ...event } = parseMapping(line) ?? {};
  if (v !== EVENT_VERSION || typeof at !== "string" || typeof run !== "string") return undefined;
  const atMs = Date.parse(at);
  // A run's beginning has its id as a field of its own.
  const whole = event["type"] === "run.started" ? { ...event, run } : withStrength(withChannel(event));
  return !Number.isNaN(atMs) && isEvent(whole) ? { atMs, run, event: whole } : undefined;
}

/** Earlier versions called the channel of a claim its door. */
function withChannel(event: Mapping): Mapping {
  if (event["door"] === undefined) return event;
  const { door, ...others } = event;
  return { channel: door, ...others };
}

/** Earlier versions said only whether a gate had passed. */
function withStrength(event: Mapping): Mapping {
  if (event["proof"] === undefined) return event;
  const { proof, ...others } = event;
  return { strength: proof === "gates" ? "unbroken" : "look", ...others };
}

/** The type of a line that we wrote, without parsing it; empty where there is none. Ours begin with it, after the run. */
export function typeOfLine(line: string): string {
  const at = line.indexOf(TYPE);
  return at < 0 ? "" : line.slice(at + TYPE.length, line.indexOf('"', at + TYPE.length));
}

const TYPE = '"type":"';

function isEvent(event: Mapping): event is Mapping & RunEvent {
  const { type } = event;
  if (typeof type !== "string" || !Object.hasOwn(EVENT_DOCS, type)) return false;
  const { fields } = EVENT_DOCS[type as RunEvent["type"]];
  return Object.entries(fields).every(([name, [kind]]) => isOf(kind, event[name]));
}

/** Whether a value is of a type as the table writes it. */
function isOf(type: string, value: unknown): boolean {
  if (type.endsWith("?")) return value === undefined || isOf(type.slice(0, -1), value);
  if (type.endsWith(", null")) return value === null || isOf(type.slice(0, -", null".length), value);
  if (type.startsWith("list of ")) {
    return Array.isArray(value) && value.every((item) => isOf(type.slice("list of ".length), item));
  }
  if (type === "text") return typeof value === "string";
  if (type === "number") return typeof value === "number";
  if (type === "true, false") return typeof value === "boolean";
  const fields = Object.entries(EVENT_OBJECTS[type as keyof typeof EVENT_OBJECTS]);
  return isMapping(value) && fields.every(([name, kind]) => isOf(kind, value[name]));
}
