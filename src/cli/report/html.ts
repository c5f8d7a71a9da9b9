import { printable } from "../../domain/printable.ts";

/** Text of whoever it may be, as it stands in a page: it can neither end an element nor begin one (W-04). */
export const escaped = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** An element with text that is not ours. */
export const element = (name: string, text: string, attributes = ""): string =>
  `<${name}${attributes === "" ? "" : ` ${attributes}`}>${escaped(text)}</${name}>`;

/** Rows of a table; the cells are markup already. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => element("th", text)).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table>`;
}
