const MAX_LENGTH = 80;

/** A value in a sentence, cut; of what JSON cannot say, what it is. */
export function describeValue(value: unknown): string {
  if (typeof value === "function") return "a function";
  try {
    const text = JSON.stringify(value) ?? String(value);
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
  } catch {
    return `a value of the type ${typeof value}`;
  }
}
