import { printableLine } from "../domain/printable.ts";
import { wrapped } from "./run-text.ts";

/** A label with its value, on one line or several; undefined if unknown. */
export type Fact = readonly [name: string, value: string | readonly string[] | undefined];

/** Aligned labels and values; those without a value are omitted. */
export function aligned(facts: readonly Fact[]): string[] {
  const known = facts.flatMap(([name, value]) => (value === undefined ? [] : [[printableLine(name), value] as const]));
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.flatMap(([name, value]) =>
    [value].flat().map((line, at) => `  ${(at === 0 ? name : "").padEnd(width)}  ${printableLine(line)}`.trimEnd()),
  );
}

/** A heading with indented lines; nothing without lines. */
export function part<Item>(
  name: string,
  items: readonly Item[],
  linesOf: (item: Item) => string | readonly string[] = String,
): string[] {
  const lines = items.flatMap(linesOf);
  return lines.length === 0 ? [] : [name, ...lines.map((line) => `  ${line}`.trimEnd())];
}

/** Parts separated by blank lines; empty ones are omitted. */
export const pageOf = (parts: readonly (readonly string[])[]): string =>
  `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;

/** Fits into eighty columns, even indented. */
const PROSE = 66;

/** Wraps sentences; undefined for none. */
export const prose = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : wrapped(printableLine(text), PROSE);
