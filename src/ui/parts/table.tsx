import type { ComponentChildren } from "preact";
import { printable } from "../../domain/printable.ts";

/** A column of short values, which never wrap, of numbers, of long texts, or of charts. */
export type Column = string | { readonly [Kind in "long" | "number" | "chart"]?: string };

const partsOf = (column: Column): readonly [kind: string | undefined, name: string] =>
  typeof column === "string" ? [undefined, column] : (Object.entries(column)[0] ?? [undefined, ""]);

interface TableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** The first cell of each row names it. */
  readonly isNamed?: boolean;
  /** Where there is little room, each row is a card. */
  readonly isCards?: boolean;
  /** Of a table without links, so that keys can scroll it. */
  readonly label?: string;
}

/** Rows of a table that scrolls to the side where it must. Texts are made printable; a cell may be more than a text. */
export const Table = ({ columns, rows, isNamed = false, isCards = false, label }: TableProps) => {
  const all = columns.map(partsOf);
  return (
    <div class="wide" {...(label !== undefined && { tabIndex: 0, role: "group", "aria-label": label })}>
      <table class={isCards ? "as-cards" : undefined}>
        {all.some(([, name]) => name !== "") && (
          <thead>
            <tr>
              {all.map(([kind, name]) => (
                <th scope="col" class={kind}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, at) => {
                const [kind, name] = all[at]!;
                const content = typeof cell === "string" ? printable(cell) : cell;
                if (isNamed && at === 0) return <th scope="row">{content}</th>;
                return (
                  <td class={kind} data-name={isCards ? name : undefined}>
                    {content}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** A longer fact has the room of two. */
const LONG_FACT = 30;

/** Facts in a few words each. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="fact-grid">
    {facts.map(([name, value]) => (
      <div class={typeof value === "string" && value.length > LONG_FACT ? "long" : undefined}>
        <dt>{name}</dt>
        <dd>{typeof value === "string" ? printable(value) : value}</dd>
      </div>
    ))}
  </dl>
);
