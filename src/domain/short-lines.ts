const LONGEST = 2000;
const MOST_BLANKS = 20;

/** Breaks very long lines, such as minified code, on which patterns that look along a line would take minutes. */
export const withShortLines = (text: string): string =>
  withFewBlanks(text).replaceAll(new RegExp(`[^\\n]{${LONGEST}}`, "g"), "$&\n");

/**
 * The same twice if there are such lines, broken at other places: what one of them breaks into two is whole in the
 * other.
 */
export function shortLined(text: string): string[] {
  const half = LONGEST / 2;
  const shifted = text.replaceAll(new RegExp(`^[^\\n]{${half}}(?=[^\\n]{${half}})`, "gm"), "$&\n");
  return shifted === text ? [withShortLines(text)] : [withShortLines(text), withShortLines(shifted)];
}

/** Leaves out most of many blank lines in a row: patterns that skip blanks would begin anew on each of them. */
export function withFewBlanks(text: string): string {
  if (!/\n[ \t\r]*\n[ \t\r]*\n/.test(text)) return text;
  let blanks = 0;
  const kept = text.split("\n").filter((line) => {
    blanks = line.trim() === "" ? blanks + 1 : 0;
    return blanks <= MOST_BLANKS;
  });
  return kept.join("\n");
}

/** The same for a file that may not be there. */
export const calmText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : withFewBlanks(text);

/** A text without what stands between two marks, with the marks. A mark that is not closed ends nothing. */
export function withoutBetween(text: string, open: string, close: string): string {
  let result = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return result + text.slice(at);
    result += text.slice(at, start);
    at = end + close.length;
  }
}
