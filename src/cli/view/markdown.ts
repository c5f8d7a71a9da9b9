import { counted } from "../run-words.ts";
import type { Paint, Palette } from "./palette.ts";
import { painted, type Span, wrapped } from "./spans.ts";

/** What the next line of a text stands in. */
export interface MarkdownState {
  /** The mark that ends the code which was begun. */
  readonly fence: string | undefined;
  /** The code is a diff, of which only the numbers are shown. */
  readonly diff?: DiffCounts | undefined;
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
 * One line of Markdown for a terminal. But for diffs, which may be counted, only marks get lost on the way and never words:
 * what is not understood is shown as it is. The line must be printable, as it goes out with nothing but the palette's looks added.
 */
export function markdownLine(state: MarkdownState, line: string, view: MarkdownView): MarkdownLine {
  if (state.fence !== undefined) return codeLine({ ...state, fence: state.fence }, line, view);
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

/** Nobody writes such a line by hand. */
const LONGEST = 4096;

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
  // As it is, however long: it may be copied.
  return { state: { fence }, lines: [`${indent}${palette.faint("│ ")}${palette.code(line)}`.trimEnd()] };
}

function counting({ added, removed }: DiffCounts, line: string): DiffCounts {
  if (/^(?:\+\+\+|---) /.test(line)) return { added, removed }; // names of files
  return { added: added + (line.startsWith("+") ? 1 : 0), removed: removed + (line.startsWith("-") ? 1 : 0) };
}

/** What is still to be said of a text that ends here, or is interrupted. */
export function openLines({ diff }: MarkdownState, { palette, indent }: Omit<MarkdownView, "width">): string[] {
  if (diff === undefined || diff === NOTHING) return [];
  return [`${indent}${palette.faint(`│ diff: ${counted(diff.added, "line")} added, ${diff.removed} removed`)}`];
}

function proseLines(line: string, { palette, width, indent }: MarkdownView): string[] {
  const plain = (text: string): Span => ({ text, paint: palette.plain });
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const spans = inlineSpans(heading[1]!, palette, palette.heading);
    return wrapped(spans, width, { first: [plain(indent)], rest: indent });
  }
  if (RULE.test(line)) return [`${indent}${palette.faint("─".repeat(RULE_WIDTH))}`];
  // The columns of a table stand under each other only as they are.
  if (/^\s*\|/.test(line)) return [`${indent}${painted(inlineSpans(line, palette, palette.plain))}`.trimEnd()];
  const item = ITEM.exec(line);
  if (item !== null) {
    const [, space = "", mark = "", text = ""] = item;
    const bullet = /\d/.test(mark) ? mark : "•";
    const first = [plain(`${indent}${space}`), { text: bullet, paint: palette.faint }, plain(" ")];
    const rest = `${indent}${space}${" ".repeat(bullet.length + 1)}`;
    return wrapped(inlineSpans(text, palette, palette.plain), width, { first, rest });
  }
  const quote = QUOTE.exec(line);
  if (quote !== null) {
    const first = [plain(indent), { text: "│ ", paint: palette.faint }];
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

// Code first: marks inside it mean nothing. Each part ends on its line, and is bounded: lines may be long and hostile.
const INLINE =
  /(?<!`)(`+)(?!`)([^`]{1,2000})(?<!`)\1(?!`)|\*\*(?=\S)([^*]{1,2000}?)(?<=\S)\*\*|(?<![*\w])\*(?=[^\s*])([^*]{1,2000}?)(?<=[^\s*])\*(?![*\w])|\[([^\][]{1,2000})\]\(([^()\s]{1,2000})\)/g;

/** A line of prose with its code, emphasis and links. */
export function inlineSpans(text: string, palette: Palette, base: Paint): Span[] {
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
  // Without looks the marks have to tell.
  const isTold = palette.hasColors ? label === address && label !== undefined : label === undefined;
  if (isTold) return [{ text: whole, paint: base }];
  if (code !== undefined) return [{ text: code, paint: palette.code }];
  if (strong !== undefined) return [{ text: strong, paint: palette.strong }];
  if (emphasis !== undefined) return [{ text: emphasis, paint: palette.emphasis }];
  return [
    { text: label!, paint: base },
    { text: ` (${address})`, paint: palette.faint },
  ];
}
