/**
 * Replaces each `{name}` that has a value, in one pass over the text: what is inserted is never looked at again, so a
 * value that contains `{name}` stays text. `\{name}` is the literal `{name}`. Names without a value stay as they are.
 */
export function fill(text: string, values: ReadonlyMap<string, () => string | undefined>): string {
  const names = [...values.keys()].join("|");
  if (names === "") return text;
  return text.replace(new RegExp(`(\\\\?)\\{(${names})\\}`, "g"), (whole, escape: string, name: string) => {
    if (escape !== "") return `{${name}}`;
    return values.get(name)?.() ?? whole;
  });
}
