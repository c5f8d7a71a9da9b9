const MOST = 80;

/** A value in a sentence, cut; of what JSON cannot say, what it is. */
export function shownValue(value: unknown): string {
  if (typeof value === "function") return "a function";
  try {
    const text = JSON.stringify(value) ?? String(value);
    return text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text;
  } catch {
    return `a value of the type ${typeof value}`;
  }
}
