import { inlineSpans } from "./inline.ts";
import type { MarkdownView } from "./markdown.ts";
import type { Palette } from "./palette.ts";
import { painted, type Span, widthOfSpans } from "./spans.ts";

type TableView = Pick<MarkdownView, "palette" | "width" | "indent">;

export const isTableRow = (line: string): boolean => /^\s*\|/.test(line);

/** The rows of a table with their columns under each other; as they are where that is too wide, or it is no table. */
export function tableLines(rows: readonly string[], view: TableView): string[] {
  const { palette, width, indent } = view;
  const [head = "", rule = "", ...body] = rows;
  const asTheyAre = (): string[] =>
    rows.map((row) => `${indent}${painted(inlineSpans(row, palette, palette.plain))}`.trimEnd());
  if (!RULE.test(rule)) return asTheyAre();
  const cells = [spansIn(head, palette, "strong"), ...body.map((row) => spansIn(row, palette, "plain"))];
  const columns = Math.max(...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(1, ...cells.map((row) => widthOfSpans(row[at] ?? []))),
  );
  const total = widths.reduce((sum, each) => sum + each + GAP.length, indent.length - GAP.length);
  if (total > width) return asTheyAre();
  const line = (row: readonly (readonly Span[])[]): string =>
    widths
      .map((each, at) => `${painted(row[at] ?? [])}${" ".repeat(each - widthOfSpans(row[at] ?? []))}`)
      .join(GAP)
      .trimEnd();
  const [first = [], ...others] = cells;
  const under = palette.faint(widths.map((each) => "─".repeat(each)).join(GAP));
  return [line(first), under, ...others.map(line)].map((each) => `${indent}${each}`);
}

const GAP = "  ";
const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;

/** What stands between the bars, without the blanks around it. */
const spansIn = (row: string, palette: Palette, base: "strong" | "plain"): Span[][] =>
  row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => inlineSpans(cell.trim().replaceAll("\\|", "|"), palette, palette[base]));
