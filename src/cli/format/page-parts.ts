import { printableLine } from "../../domain/printable.ts";
import { wrapped } from "./run-text.ts";

/** A name and what is known of it, on one line or several; undefined: nothing is. */
export type Fact = readonly [name: string, value: string | readonly string[] | undefined];

/** Names and values one under the other; those without a value are left out. */
export function aligned(facts: readonly Fact[]): string[] {
  const known = facts.flatMap(([name, value]) => (value === undefined ? [] : [[printableLine(name), value] as const]));
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.flatMap(([name, value]) =>
    [value].flat().map((line, at) => `  ${(at === 0 ? name : "").padEnd(width)}  ${printableLine(line)}`.trimEnd()),
  );
}

/** A heading with its lines moved in; nothing where there are none. */
export const part = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [name, ...lines.map((line) => `  ${line}`.trimEnd())];

/** Parts with a blank line between them; those that are empty are left out. */
export const pageOf = (parts: readonly (readonly string[])[]): string =>
  `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;

/** Beside a name, or moved in, it still fits into eighty columns. */
const PROSE = 66;

/** Sentences as lines that fit; undefined for none. */
export const prose = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : wrapped(printableLine(text), PROSE);
