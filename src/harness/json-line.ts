export type JsonObject = Readonly<Record<string, unknown>>;

/** A line of NDJSON as an object; undefined for anything else (a banner, a stack trace, half a line). */
export function jsonLine(line: string): JsonObject | undefined {
  // Most lines that are no object need no parser to tell.
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return undefined; // not JSON is the answer, not a failure
  }
}

// Output of programs that change without notice: every value is asked what it is before it is used.

export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const asNumber = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The object without the keys that have no value. */
export function present<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  // A loop: every event passes here.
  const held: Record<string, unknown> = {};
  for (const [name, own] of Object.entries(value)) if (own !== undefined) held[name] = own;
  return held as never;
}
