import stringWidth from "fast-string-width";
import type { Paint } from "./palette.ts";

/** A text with its style. The text is printable, on one line and unstyled, so that it can be measured. */
export interface Span {
  readonly text: string;
  readonly paint: Paint;
}

/** How many columns a text takes: wide characters take two, combining ones none. */
export const widthOf = (text: string): number => (NARROW.test(text) ? text.length : stringWidth(text, WIDTHS));

/** The fast path for nearly all text. */
const NARROW = /^[ -~]*$/;

// Tabs count as one column.
const WIDTHS = { tabWidth: 1, controlWidth: 1 };

export const span = (text: string, paint: Paint = (same) => same): Span => ({ text, paint });

export const widthOfSpans = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

/** The styled text; adjacent spans of one style are merged. */
export function painted(spans: readonly Span[]): string {
  let all = "";
  let open: Span = { text: "", paint: (text) => text };
  for (const { text, paint } of spans) {
    if (paint !== open.paint && open.text !== "") all += open.paint(open.text);
    open = { text: paint === open.paint ? open.text + text : text, paint };
  }
  return open.text === "" ? all : all + open.paint(open.text);
}

/** Truncates a text to a width, never inside a character. */
export function cutText(text: string, width: number): string {
  if (width <= 0) return "";
  // No character has more units than this, so text far beyond the end need not be measured.
  const near = text.slice(0, width * MOST_UNITS);
  if (near.length === text.length && widthOf(text) <= width) return text;
  let kept = "";
  let taken = 0;
  for (const { segment } of CHARACTERS.segment(near)) {
    const more = widthOf(segment);
    if (taken + more > width - 1) break;
    kept += segment;
    taken += more;
  }
  return `${kept}…`;
}

const MOST_UNITS = 16;
const CHARACTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The graphemes of a text. */
export const charactersOf = (text: string): string[] => Array.from(CHARACTERS.segment(text), ({ segment }) => segment);

/** As much of a line as fits. */
export function cutSpans(spans: readonly Span[], width: number): Span[] {
  const kept: Span[] = [];
  let room = width;
  for (const { text, paint } of spans) {
    const taken = widthOf(text);
    if (taken > room) {
      if (room > 0) kept.push({ text: cutText(text, room), paint });
      break;
    }
    kept.push({ text, paint });
    room -= taken;
  }
  return kept;
}

/** Exactly as wide as asked: cut, or filled with blanks. */
export function cell(spans: readonly Span[], width: number, side: "left" | "right" = "left"): Span[] {
  const kept = cutSpans(spans, width);
  const blanks = span(" ".repeat(Math.max(0, width - widthOfSpans(kept))));
  return side === "left" ? [...kept, blanks] : [blanks, ...kept];
}

/** Joins items with a dot. */
export const joined = (items: readonly (readonly Span[])[], dot: Paint): Span[] =>
  items.flatMap((item, index) => (index === 0 ? item : [{ text: " · ", paint: dot }, ...item]));

export interface TwoSided {
  readonly left: readonly Span[];
  /** Most important first: the last ones are dropped if they do not fit. */
  readonly right: readonly (readonly Span[])[];
  readonly width: number;
  readonly dot: Paint;
  /** Fills the gap; default: blanks. */
  readonly fill?: Span;
  /** Truncate the left only if it does not fit alone. */
  readonly keepsLeft?: boolean;
}

/** One item on the left, truncated if needed, and as many on the right as leave it enough room. */
export function twoSided({ left, right, width, dot, fill, keepsLeft = false }: TwoSided): string {
  const items = [...right];
  const whole = widthOfSpans(left);
  const wanted = keepsLeft ? whole : Math.min(whole, Math.max(MIN_LEFT, Math.floor(width / 2)));
  while (items.length > 0 && widthOfSpans(joined(items, dot)) + GAP + wanted > width) items.pop();
  const end = joined(items, dot);
  const endWidth = widthOfSpans(end);
  const start = cutSpans(left, items.length === 0 ? width : width - endWidth - GAP);
  if (items.length === 0 && fill === undefined) return painted(start);
  const between = Math.max(0, width - widthOfSpans(start) - endWidth);
  // A line between two texts has a blank at each end.
  const middle =
    fill === undefined || between < 3 ? " ".repeat(between) : ` ${fill.paint(fill.text.repeat(between - 2))} `;
  return `${painted(start)}${middle}${painted(end)}`;
}

const MIN_LEFT = 20;
const GAP = 2;

/** Wraps spans to a width; a longer word gets its own line. `indent`: of the first line, and of the others. */
export function wrapped(
  spans: readonly Span[],
  width: number,
  indent: { readonly first: readonly Span[]; readonly rest: string },
): string[] {
  const lines: string[] = [];
  let line: Span[] = [...indent.first];
  let taken = widthOfSpans(line);
  let hasWord = false;
  const begin = (): void => {
    lines.push(endOf(line));
    line = [{ text: indent.rest, paint: (text) => text }];
    taken = widthOf(indent.rest);
    hasWord = false;
  };
  for (const word of wordsOf(spans)) {
    const isBlank = word[0]!.text.trim() === "";
    const more = widthOfSpans(word);
    if (!isBlank && hasWord && taken + more > width) begin();
    if (isBlank && !hasWord && lines.length > 0) continue;
    line.push(...word);
    taken += more;
    hasWord ||= !isBlank;
  }
  return [...lines, endOf(line)];
}

/** Without trailing blanks, which may be styled. */
function endOf(line: readonly Span[]): string {
  return painted(line.slice(0, line.findLastIndex(({ text }) => text.trim() !== "") + 1));
}

/** The words, which may have several styles, and the blanks between them. */
function wordsOf(spans: readonly Span[]): Span[][] {
  const words: Span[][] = [];
  let isOpen = false;
  for (const { text, paint } of spans) {
    for (const part of text.split(/([ \t]+)/)) {
      if (part === "") continue;
      const pieces = NARROW.test(part) ? [part] : part.split(BREAK);
      const [first, ...others] = pieces.map((each): Span => ({ text: each, paint }));
      const isBlank = part.trim() === "";
      if (isOpen && !isBlank) words.at(-1)!.push(first!);
      else words.push([first!]);
      words.push(...others.map((each) => [each]));
      isOpen = !isBlank;
    }
  }
  return words;
}

// Chinese and Japanese have no blanks between words: a line may break after nearly every character, but not after an
// opening bracket or before a closing mark.
const OPENING = "「『（【〈《〔［｛";
const CLOSING = "、。，．！？」』）】〉》〕］｝：；ー々・…ぁぃぅぇぉっゃゅょァィゥェォッャュョ";
const IDEOGRAM = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}";
const BREAK = new RegExp(
  `(?<=[${IDEOGRAM}${CLOSING}])(?<![${OPENING}])(?![${CLOSING}])|(?<![${OPENING}])(?=[${IDEOGRAM}${OPENING}])(?![${CLOSING}])`,
  "u",
);
