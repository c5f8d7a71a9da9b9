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
 * Those of the positions that are quoted: in a code fence, in a block quote, in inline code (which may run over several
 * lines of one paragraph). Positions are in ascending order.
 */
export function quotedPositions(text: string, positions: readonly number[]): ReadonlySet<number> {
  const quoted = new Set<number>();
  let fence: string | undefined;
  let paragraph: Range | undefined;
  let next = 0;
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
    const mark = MAY_BE_MARK.test(line.text) ? fenceMark(line.text) : undefined;
    const isQuote = fence === undefined && /^\s*>/.test(line.text);
    if (fence !== undefined || mark !== undefined || isQuote) {
      endParagraph();
      take(line.end, () => true);
      fence = isQuote ? undefined : fenceAfter(fence, mark);
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

// Most lines begin with a letter: they are told apart before anything costly is tried.
const MAY_BE_MARK = /^\s*[`~*+\d-]/;

const isBlank = (text: string): boolean => !/\S/.test(text);

interface Range {
  readonly start: number;
  readonly end: number;
}

interface FenceMark {
  readonly run: string;
  /** A run with something before or after it can open a fence but not close one. */
  readonly bare: boolean;
}

// A list item or a heading begins a block of its own: inline code does not reach over it.
const STARTS_BLOCK = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s/;

function fenceMark(line: string): FenceMark | undefined {
  // A fence may open inside list items: "- ```". A bound on them keeps hostile lines off the regular expression's stack.
  const match = /^\s*((?:(?:[-*+]|\d{1,9}[.)])\s+){0,8})(`{3,}|~{3,})(.*)$/s.exec(line);
  if (!match) return undefined;
  const [, list = "", run = "", info = ""] = match;
  return run.startsWith("`") && info.includes("`") ? undefined : { run, bare: list === "" && info.trim() === "" };
}

/** The fence that is open after a line with this mark. */
function fenceAfter(open: string | undefined, mark: FenceMark | undefined): string | undefined {
  if (open === undefined) return mark?.run;
  const closes = mark?.bare === true && mark.run[0] === open[0] && mark.run.length >= open.length;
  return closes ? undefined : open;
}

/** Inline code: from a run of backticks to the next run of the same length. */
function inlineCode(text: string, { start, end }: Range): Range[] {
  const runs = Array.from(text.slice(start, end).matchAll(/`+/g), (match) => ({
    start: start + match.index,
    length: match[0].length,
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

// From the end to the beginning, so that a million unmatched runs take one pass.
function nextOfSameLength(runs: readonly { readonly length: number }[]): (number | undefined)[] {
  const latest = new Map<number, number>();
  const next: (number | undefined)[] = [];
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    next[index] = latest.get(runs[index]!.length);
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
