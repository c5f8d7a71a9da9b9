import type { Paint, Palette } from "./palette.ts";
import type { Span } from "./spans.ts";

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
  // Without colors the marks stay.
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
