import { plural } from "../../format/run-text.ts";
import type { Paint, Palette } from "./palette.ts";
import { painted, type Span, widthOfSpans, wrapped, span } from "./spans.ts";

/** The block that the next line of a text is in. */
export interface MarkdownState {
  /** The mark that ends the open code block. */
  readonly fence: string | undefined;
  /** The code is a diff that is only counted. */
  readonly diff?: DiffCounts | undefined;
  /** The rows of the open table: the last may decide the column widths. */
  readonly table?: readonly string[];
}

interface DiffCounts {
  readonly added: number;
  readonly removed: number;
}

export const freshMarkdown: MarkdownState = { fence: undefined };

export interface MarkdownView {
  readonly palette: Palette;
  readonly width: number;
  /** Before every line. */
  readonly indent: string;
  /** How code that is a diff is shown: by how many lines it adds and removes, or as it is. */
  readonly diffs: "counts" | "whole";
}

export interface MarkdownLine {
  readonly state: MarkdownState;
  readonly lines: string[];
}

/**
 * Renders one line of Markdown for a terminal. Except for counted diffs, only marks are dropped, never words; unknown syntax
 * is shown as it is. The line must be printable, because only styles are added.
 */
export function markdownLine(state: MarkdownState, line: string, view: MarkdownView): MarkdownLine {
  if (state.fence !== undefined) return codeLine({ ...state, fence: state.fence }, line, view);
  const { table = [] } = state;
  if (line.length <= LONGEST && /^\s*\|/.test(line) && table.length < MOST_ROWS) {
    return { state: { fence: undefined, table: [...table, line] }, lines: [] };
  }
  if (table.length > 0) {
    const after = markdownLine(freshMarkdown, line, view);
    return { ...after, lines: [...tableLines(table, view), ...after.lines] };
  }
  if (line.length > LONGEST) return { state, lines: [`${view.indent}${line}`] };
  const fence = FENCE.exec(line);
  if (fence !== null) {
    const [, mark = "", info = ""] = fence;
    const { palette, indent, diffs } = view;
    if (diffs === "counts" && DIFF.test(info)) return { state: { fence: mark, diff: NOTHING }, lines: [] };
    const lines = info.trim() === "" ? [] : [`${indent}${palette.faint(`│ ${info.trim()}`)}`];
    return { state: { fence: mark }, lines };
  }
  return { state, lines: proseLines(line, view) };
}

/** Longer lines and tables are shown as they are. */
const LONGEST = 4096;
const MOST_ROWS = 200;

// Inside backticks no backtick may follow: that would be code within a line.
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

const DIFF = /^\s*(?:diff|patch)\b/;
const NOTHING: DiffCounts = { added: 0, removed: 0 };

function codeLine(state: MarkdownState & { fence: string }, line: string, view: MarkdownView): MarkdownLine {
  const { fence, diff } = state;
  const { palette, indent } = view;
  const end = line.trim();
  const isEnd = end.length >= fence.length && end === fence[0]!.repeat(end.length);
  if (isEnd) return { state: freshMarkdown, lines: openLines(state, view) };
  if (diff !== undefined) return { state: { fence, diff: counting(diff, line) }, lines: [] };
  // Never wrapped: code may be copied.
  return { state: { fence }, lines: [`${indent}${palette.faint("│ ")}${palette.code(line)}`.trimEnd()] };
}

function counting({ added, removed }: DiffCounts, line: string): DiffCounts {
  if (/^(?:\+\+\+|---) /.test(line)) return { added, removed }; // names of files
  return { added: added + (line.startsWith("+") ? 1 : 0), removed: removed + (line.startsWith("-") ? 1 : 0) };
}

/** The pending lines of a text that ends or is interrupted: its table or the count of its diff. */
export function openLines({ diff, table = [] }: MarkdownState, view: MarkdownView): string[] {
  const { palette, indent } = view;
  if (table.length > 0) return tableLines(table, view);
  if (diff === undefined || diff === NOTHING) return [];
  return [`${indent}${palette.faint(`│ diff: ${plural(diff.added, "line")} added, ${diff.removed} removed`)}`];
}

function proseLines(line: string, { palette, width, indent }: MarkdownView): string[] {
  const plain = (text: string): Span => ({ text, paint: palette.plain });
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const spans = inlineSpans(heading[1]!, palette, palette.heading);
    return wrapped(spans, width, { first: [plain(indent)], rest: indent });
  }
  if (RULE.test(line)) return [`${indent}${palette.faint("─".repeat(RULE_WIDTH))}`];
  const item = ITEM.exec(line);
  if (item !== null) {
    const [, space = "", mark = "", text = ""] = item;
    const bullet = /\d/.test(mark) ? mark : "•";
    const first = [plain(`${indent}${space}`), span(bullet, palette.faint), plain(" ")];
    const rest = `${indent}${space}${" ".repeat(bullet.length + 1)}`;
    return wrapped(inlineSpans(text, palette, palette.plain), width, { first, rest });
  }
  const quote = QUOTE.exec(line);
  if (quote !== null) {
    const first = [plain(indent), span("│ ", palette.faint)];
    return wrapped(inlineSpans(quote[1]!, palette, palette.faint), width, { first, rest: `${indent}  ` });
  }
  const space = /^[ \t]*/.exec(line)![0];
  const first = [plain(`${indent}${space}`)];
  const spans = inlineSpans(line.slice(space.length), palette, palette.plain);
  return wrapped(spans, width, { first, rest: `${indent}${space}` });
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const RULE_WIDTH = 20;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(.*)$/;
const QUOTE = /^ {0,3}>[ \t]?(.*)$/;

/** The rows of a table with aligned columns; unchanged if too wide or not a table. */
function tableLines(rows: readonly string[], view: MarkdownView): string[] {
  const { palette, width, indent } = view;
  const [head = "", rule = "", ...body] = rows;
  const asTheyAre = (): string[] =>
    rows.map((row) => `${indent}${painted(inlineSpans(row, palette, palette.plain))}`.trimEnd());
  if (!TABLE_RULE.test(rule)) return asTheyAre();
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
const TABLE_RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;

/** The trimmed cells of a row. */
const spansIn = (row: string, palette: Palette, base: "strong" | "plain"): Span[][] =>
  row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => inlineSpans(cell.trim().replaceAll("\\|", "|"), palette, palette[base]));

// Code first: marks inside it mean nothing. Each part ends on its line, and is bounded: lines may be long and hostile.
const INLINE =
  /(?<!`)(`+)(?!`)([^`]{1,2000})(?<!`)\1(?!`)|\*\*(?=\S)([^*]{1,2000}?)(?<=\S)\*\*|(?<![*\w])\*(?=[^\s*])([^*]{1,2000}?)(?<=[^\s*])\*(?![*\w])|\[([^\][]{1,2000})\]\(([^()\s]{1,2000})\)/g;

/** A line of prose with its code, emphasis and links. */
function inlineSpans(text: string, palette: Palette, base: Paint): Span[] {
  const spans: Span[] = [];
  let from = 0;
  const upTo = (end: number): void => {
    if (end > from) spans.push({ text: text.slice(from, end), paint: base });
  };
  for (const match of text.matchAll(INLINE)) {
    upTo(match.index);
    from = match.index + match[0].length;
    spans.push(...spansOf(match, palette, base));
  }
  upTo(text.length);
  return spans;
}

function spansOf(
  [whole, , code, strong, emphasis, label, address]: RegExpExecArray,
  palette: Palette,
  base: Paint,
): Span[] {
  // Without colors the marks stay.
  const isTold = palette.hasColors ? label === address && label !== undefined : label === undefined;
  if (isTold) return [span(whole, base)];
  if (code !== undefined) return [span(code, palette.code)];
  if (strong !== undefined) return [span(strong, palette.strong)];
  if (emphasis !== undefined) return [span(emphasis, palette.emphasis)];
  return [span(label!, base), span(` (${address})`, palette.faint)];
}
