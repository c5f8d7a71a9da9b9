import type { ComponentChildren } from "preact";
import { printable } from "../../domain/printable.ts";

/** A column of short values, which never wrap, of numbers, or of long texts. */
export type Column = string | { readonly long: string } | { readonly number: string };

const nameOf = (column: Column): string =>
  typeof column === "string" ? column : "long" in column ? column.long : column.number;

const classOf = (column: Column): string | undefined =>
  typeof column === "string" ? undefined : "long" in column ? "long" : "number";

/** Rows of a table that scrolls to the side where it must. Texts are made printable; a cell may be more than a text. */
export const Table = ({
  columns,
  rows,
}: {
  columns: readonly Column[];
  rows: readonly (readonly ComponentChildren[])[];
}) => (
  <div class="wide">
    <table>
      {columns.some((column) => nameOf(column) !== "") && (
        <thead>
          <tr>
            {columns.map((column) => (
              <th class={classOf(column)}>{nameOf(column)}</th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map((cell, at) => (
              <td class={classOf(columns[at]!)}>{typeof cell === "string" ? printable(cell) : cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Facts in a few words each. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) => (
  <dl class="fact-grid">
    {facts.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{printable(value)}</dd>
      </div>
    ))}
  </dl>
);
