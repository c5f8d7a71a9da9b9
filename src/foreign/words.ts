// Values of data that anybody may have written.

export const wordsOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** A text, or a number as one. */
export const idOf = (value: unknown): string => (typeof value === "number" ? String(value) : wordsOf(value));

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

export function timeOf(value: unknown): number | undefined {
  const ms = Date.parse(wordsOf(value));
  return Number.isNaN(ms) ? undefined : ms;
}

/** Paragraphs with headings; empty ones are left out. */
export const paragraphs = (parts: readonly (readonly [heading: string, text: string])[]): string =>
  parts
    .filter(([, text]) => text !== "")
    .map(([heading, text]) => (heading === "" ? text : `${heading}:\n${text}`))
    .join("\n\n");
