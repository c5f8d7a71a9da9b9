import { printable } from "../../domain/printable.ts";

/** Text of whoever it may be, as it stands in a page: it can neither end an element nor begin one (W-04). */
export const escaped = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** An element with text that is not ours. */
export const element = (name: string, text: string, attributes = ""): string =>
  `<${name}${attributes === "" ? "" : ` ${attributes}`}>${escaped(text)}</${name}>`;

/** A column of a table: of short words and numbers, which are never broken, or of texts, which are wherever they must. */
export type Column = string | { readonly long: string };

/** Rows of a table; the cells are markup already. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((column) => element("th", typeof column === "string" ? column : column.long)).join("");
  const cell = (markup: string, at: number): string =>
    `<td${typeof columns[at] === "string" ? "" : ' class="long"'}>${markup}</td>`;
  const body = rows.map((cells) => `<tr>${cells.map(cell).join("")}</tr>`).join("\n");
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}
