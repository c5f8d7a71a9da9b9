import { printable } from "../../domain/printable.ts";

/** Escapes untrusted text: it can neither end an element nor begin one (W-04). */
export const escaped = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** An element with text that is not ours. */
export const element = (name: string, text: string, attributes = ""): string =>
  `<${name}${attributes === "" ? "" : ` ${attributes}`}>${escaped(text)}</${name}>`;

/** A column of short values, which never wrap, or of long texts, which do. */
export type Column = string | { readonly long: string };

/** Rows of a table; the cells are markup already. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((column) => element("th", typeof column === "string" ? column : column.long)).join("");
  const cell = (markup: string, at: number): string =>
    `<td${typeof columns[at] === "string" ? "" : ' class="long"'}>${markup}</td>`;
  const body = rows.map((cells) => `<tr>${cells.map(cell).join("")}</tr>`).join("\n");
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}
