import { SEQUENCE } from "./printable.ts";

/** A part of a text. */
interface Span {
  readonly at: number;
  readonly length: number;
}

/** What may stand inside of a text without changing what people read. */
interface Breaks {
  readonly pattern: RegExp;
  /** Matches wherever there is one. */
  readonly sign: RegExp;
}

/** Colours and other sequences for a terminal, empty bytes, and characters without a width. */
export const CONTROLS: Breaks = {
  pattern: new RegExp(`[\\u0000\\u00ad\\u200b-\\u200d\\u2060\\ufeff]+|${SEQUENCE.source}`, "g"),
  sign: /[\u0000\u001b\u0080-\u009f\u00ad\u200b-\u200d\u2060\ufeff]/,
};

/** The same, and ends of lines with the blanks, and the mark of a quotation or a diff, behind them. */
export const WRAPS: Breaks = {
  pattern: new RegExp(String.raw`\\?\n[ \t]*(?:(?:[>|│┃*#+-]|//)[ \t]+)?|${CONTROLS.pattern.source}`, "g"),
  sign: new RegExp(`\\n|${CONTROLS.sign.source}`),
};

interface Search<Found> {
  readonly breaks: Breaks;
  /** In the order of the text, and nothing twice. */
  readonly find: (joined: string) => readonly Found[];
  readonly replaced: (found: Found) => string;
}

/**
 * Replaces what is found in a text without its breaks, as far as a break stands inside of it: whatever is in one piece has
 * been found before.
 */
export function replaceAcross<Found extends Span>(text: string, search: Search<Found>): string {
  const { breaks: sought, find, replaced } = search;
  if (!sought.sign.test(text)) return text;
  const breaks = [...text.matchAll(sought.pattern)].map((found) => ({ at: found.index, length: found[0].length }));
  const joined = withoutSpans(text, breaks);
  let result = "";
  let read = 0;
  let next = 0;
  let removed = 0;
  for (const found of find(joined)) {
    while (next < breaks.length && breaks[next]!.at - removed <= found.at) removed += breaks[next++]!.length;
    const at = found.at + removed;
    const before = removed;
    while (next < breaks.length && breaks[next]!.at - removed < found.at + found.length)
      removed += breaks[next++]!.length;
    if (removed === before) continue;
    result += text.slice(read, at) + replaced(found);
    read = found.at + found.length + removed;
  }
  return result + text.slice(read);
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let result = "";
  let read = 0;
  for (const { at, length } of spans) {
    result += text.slice(read, at);
    read = at + length;
  }
  return result + text.slice(read);
}
