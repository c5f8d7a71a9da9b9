/** The shortest run of such characters in a token. */
const SHORTEST = 15;
/** One as long as this may have no digit. */
const LONG = 20;

const BETWEEN = 1;
const WORD = 2;
const DIGIT = 3;
const KINDS = new Uint8Array(128);
for (const sign of "+/%") KINDS[sign.charCodeAt(0)] = BETWEEN;
for (const sign of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-") KINDS[sign.charCodeAt(0)] = WORD;
for (const sign of "0123456789") KINDS[sign.charCodeAt(0)] = DIGIT;

const kindAt = (text: string, at: number): number => KINDS[text.charCodeAt(at)] ?? 0;

/**
 * Changes the lines that have a run of characters as in a token. Patterns with many alternatives take longer than all else that
 * is done with a text, and few lines have such a run: one look at every fifteenth character finds it.
 */
export function changeTokenLines(text: string, change: (line: string) => string): string {
  let result = "";
  let read = 0;
  for (let at = SHORTEST - 1; at < text.length; at += SHORTEST) {
    if (kindAt(text, at) === 0) continue;
    let start = at;
    while (start > read && kindAt(text, start - 1) > 0) start -= 1;
    let end = at + 1;
    while (kindAt(text, end) > 0) end += 1;
    at = end;
    if (!mayBeToken(text, start, end)) continue;
    const lineStart = text.lastIndexOf("\n", start) + 1;
    const lineEnd = text.indexOf("\n", end);
    at = lineEnd === -1 ? text.length : lineEnd;
    result += text.slice(read, lineStart) + change(text.slice(lineStart, at));
    read = at;
  }
  return read === 0 ? text : result + text.slice(read);
}

function mayBeToken(text: string, start: number, end: number): boolean {
  if (end - start < SHORTEST) return false;
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const kind = kindAt(text, at);
    if (kind === DIGIT) return true;
    length = kind === BETWEEN ? 0 : length + 1;
    if (length >= LONG) return true;
  }
  return false;
}
