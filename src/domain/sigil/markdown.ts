/** A line with its place in the whole text. Its end is before the line break. */
export interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function* linesOf(text: string): Generator<Line> {
  let start = 0;
  for (;;) {
    const end = text.indexOf("\n", start);
    if (end === -1) break;
    yield { text: text.slice(start, end), start, end };
    start = end + 1;
  }
  yield { text: text.slice(start), start, end: text.length };
}

/**
 * Those of the positions that are quoted: in a code fence, in an indented block, in a block quote, in inline code (which
 * may run over several lines of one paragraph). Positions are in ascending order.
 */
export function quotedPositions(text: string, positions: readonly number[]): ReadonlySet<number> {
  const quoted = new Set<number>();
  let block: Block = PLAIN;
  let paragraph: Range | undefined;
  let next = 0;
  // A list indents its own text, and a message may be indented as a whole.
  let margin: "none" | "text" | "list" = "none";
  // Takes the positions up to a place; which of them are quoted, the caller knows.
  const take = (end: number, isQuoted: (position: number) => boolean): void => {
    for (; next < positions.length && positions[next]! < end; next += 1) {
      if (isQuoted(positions[next]!)) quoted.add(positions[next]!);
    }
  };
  const endParagraph = (): void => {
    if (paragraph && next < positions.length && positions[next]! < paragraph.end) {
      const spans = inlineCode(text, paragraph);
      take(paragraph.end, (position) => isInside(spans, position));
    }
    paragraph = undefined;
  };

  for (const line of linesOf(text)) {
    const isCode = block.kind === "plain" && paragraph === undefined && margin === "text" && INDENTED.test(line.text);
    if (/^\S/.test(line.text)) margin = LIST_ITEM.test(line.text) ? "list" : "text";
    const { after, isQuoted } = isCode ? CODE : readLine(block, line.text);
    block = after;
    if (isQuoted) {
      endParagraph();
      take(line.end, () => true);
    } else if (isBlank(line.text)) {
      endParagraph();
    } else {
      if (STARTS_BLOCK.test(line.text)) endParagraph();
      paragraph = { start: paragraph?.start ?? line.start, end: line.end };
    }
    if (next === positions.length) break;
  }
  endParagraph();
  return quoted;
}

/** The Markdown block around a line. */
type Block =
  | { readonly kind: "plain" }
  /** The last line was a block quote's text: a paragraph in it goes on without the mark. */
  | { readonly kind: "quote" }
  /** `column`: where the text of the list item begins that holds the fence; a line before it ends both. */
  | { readonly kind: "fence"; readonly run: string; readonly indent: number; readonly column: number };

const PLAIN: Block = { kind: "plain" };

const CODE = { after: PLAIN, isQuoted: true };
const INDENTED = /^(?: {4}| {0,3}\t)\s*\S/;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])\s/;

function readLine(block: Block, line: string): { readonly after: Block; readonly isQuoted: boolean } {
  if (block.kind === "fence" && !(indentOf(line) < block.column && !isBlank(line))) {
    return { after: closes(block, line) ? PLAIN : block, isQuoted: true };
  }
  const quote = QUOTE.exec(line);
  if (quote) return { after: isBlank(line.slice(quote[0].length)) ? PLAIN : { kind: "quote" }, isQuoted: true };
  const fence = MAY_BE_FENCE.test(line) ? fenceOf(line) : undefined;
  if (fence) return { after: fence, isQuoted: true };
  const goesOn = block.kind === "quote" && !isBlank(line) && !STARTS_BLOCK.test(line);
  return goesOn ? { after: block, isQuoted: true } : { after: PLAIN, isQuoted: false };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const isBlank = (text: string): boolean => !/\S/.test(text);

const indentOf = (line: string): number => /^[ \t]*/.exec(line)![0].replaceAll("\t", "    ").length;

// A list item or a heading begins a block of its own: neither inline code nor a quotation reaches over it.
const STARTS_BLOCK = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s/;

// A bound on nested list marks keeps hostile lines off the regular expression's stack.
const QUOTE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+){0,8}>/;
const FENCE = /^([ \t]*)((?:(?:[-*+]|\d{1,9}[.)])[ \t]+){0,8})(`{3,}|~{3,})(.*)$/s;

// Most lines begin with a letter: they are told apart before anything costly is tried.
const MAY_BE_FENCE = /^\s*[`~*+\d-]/;

/** The fence that a line opens, if it does. One may open inside list items: "- ```". */
function fenceOf(line: string): Block | undefined {
  const match = FENCE.exec(line);
  if (!match) return undefined;
  const [, space = "", list = "", run = "", info = ""] = match;
  if (run.startsWith("`") && info.includes("`")) return undefined;
  const indent = indentOf(space) + list.length;
  return { kind: "fence", run, indent, column: list === "" ? 0 : indent };
}

/** A run of the same mark, as long or longer, alone on its line and not indented much more than the opening one. */
function closes(fence: Extract<Block, { kind: "fence" }>, line: string): boolean {
  const run = /^[ \t]*(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return run?.[0] === fence.run[0] && run!.length >= fence.run.length && indentOf(line) <= fence.indent + 3;
}

/** Inline code: from a run of backticks to the next run of the same length. */
function inlineCode(text: string, { start, end }: Range): Range[] {
  const runs = Array.from(text.slice(start, end).matchAll(/`+/g), (match) => ({
    start: start + match.index,
    length: match[0].length,
    // A backslash takes the first backtick out of the run that would open code; inside code it means nothing.
    opens: match[0].length - (isEscaped(text, start + match.index) ? 1 : 0),
  }));
  const next = nextOfSameLength(runs);
  const spans: Range[] = [];
  for (let index = 0; index < runs.length; index += 1) {
    const close = next[index];
    if (close === undefined) continue;
    spans.push({ start: runs[index]!.start, end: runs[close]!.start + runs[close]!.length });
    index = close;
  }
  return spans;
}

function isEscaped(text: string, position: number): boolean {
  let slashes = 0;
  while (text[position - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

// From the end to the beginning, so that a million unmatched runs take one pass.
function nextOfSameLength(
  runs: readonly { readonly length: number; readonly opens: number }[],
): (number | undefined)[] {
  const latest = new Map<number, number>();
  const next: (number | undefined)[] = [];
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    next[index] = latest.get(runs[index]!.opens);
    latest.set(runs[index]!.length, index);
  }
  return next;
}

/** Binary search: ranges are in order and do not overlap. */
function isInside(ranges: readonly Range[], position: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle]!;
    if (position < range.start) high = middle - 1;
    else if (position >= range.end) low = middle + 1;
    else return true;
  }
  return false;
}
