import type { Usage } from "../domain/agent-event.ts";
import { isMapping, type Mapping, parseMapping } from "../domain/mapping.ts";
import { stripAnsi } from "../domain/printable.ts";

export type JsonObject = Mapping;

/** A line of NDJSON as an object; undefined for anything else (a banner, a stack trace, half a line). */
export function jsonLine(line: string): JsonObject | undefined {
  // Inside JSON the sign that begins a sequence for terminals is always escaped.
  return parsed(line) ?? (line.includes("\u001b") ? parsed(stripAnsi(line)) : undefined);
}

function parsed(line: string): JsonObject | undefined {
  // Cheap: most lines that are not an object need no parser.
  const text = line.trim();
  return text.startsWith("{") && text.endsWith("}") ? parseMapping(text) : undefined;
}

/** The JSON object that stands in a text, with words around it. */
export function jsonIn(text: string): JsonObject | undefined {
  const start = text.indexOf("{");
  return start < 0 ? undefined : jsonLine(text.slice(start, text.lastIndexOf("}") + 1));
}

// Output of programs that change without notice: every value is asked what it is before it is used.

export const asObject = (value: unknown): JsonObject | undefined => (isMapping(value) ? value : undefined);

export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Also one that is written as text: some servers and gateways do that with statuses and amounts. */
export function asNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** A number of tokens: whole, not less than none, and nothing that a sum could not hold. */
export const count = (value: unknown): number => Math.min(Math.max(0, Math.round(asNumber(value) ?? 0)), 1e12);

/** Tokens by the names that a CLI has for them: input, output, read from a cache, written to one. */
export function tokensIn(usage: JsonObject, names: readonly [string, string, string, string]): Usage {
  const [input, output, cacheRead, cacheWrite] = names;
  const tokens = { input: count(usage[input]), output: count(usage[output]) };
  return { ...tokens, cacheRead: count(usage[cacheRead]), cacheWrite: count(usage[cacheWrite]) };
}

/** US dollars, clamped: an odd amount must not fail the session. */
export function dollars(value: unknown): number | undefined {
  const usd = asNumber(value);
  return usd === undefined ? undefined : Math.min(Math.max(0, usd), 1e9);
}

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The object without the keys that have no value. Most have all of theirs, and are not copied. */
export function present<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  const held = value as Record<string, unknown>;
  for (const name in held) {
    if (held[name] === undefined) return withoutMissing(held) as never;
  }
  return held as never;
}

function withoutMissing(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name in value) {
    if (value[name] !== undefined) copy[name] = value[name];
  }
  return copy;
}
