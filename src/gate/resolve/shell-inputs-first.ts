/** `done < <(find …)` and `done <<< "$(find …)"`: the end of a loop, up to the bracket before its input. */
const INPUT_BEHIND = /\bdone\s*(?:<\s*<|<<<\s*"?\$)\(/;
/** The words that begin and end loops, where commands stand. */
const LOOP_WORD = /(?:^|[\n;&|({]|\b(?:do|then|else))[ \t]*(while|until|for|select|done)\b/g;
const MOST = 20;

/** The same text with the input of each loop before it: `find … | while read f; do …; done`. */
export function withInputsFirst(text: string): string {
  let result = text;
  for (let count = 0; count < MOST; count += 1) {
    const behind = INPUT_BEHIND.exec(result);
    const start = behind === null ? undefined : loopStart(result.slice(0, behind.index));
    if (behind === null || start === undefined) break;
    const open = behind.index + behind[0].length - 1;
    const end = closing(result, open);
    const [before, loop] = [result.slice(0, start), result.slice(start, behind.index)];
    result = `${before}${result.slice(open + 1, end - 1)} | ${loop}done${result.slice(end).replace(/^"/, "")}`;
  }
  return result;
}

/** Where the loop begins that ends behind this text. */
function loopStart(text: string): number | undefined {
  let depth = 1;
  for (const found of [...text.matchAll(LOOP_WORD)].toReversed()) {
    depth += found[1] === "done" ? 1 : -1;
    if (depth === 0) return found.index + found[0].length - found[1]!.length;
  }
  return undefined;
}

/** After the bracket that closes the one at `at`. */
export function closing(text: string, at: number): number {
  let depth = 0;
  let quote = "";
  for (let index = at; index < text.length; index += 1) {
    const sign = text[index]!;
    if (sign === "\\") index += 1;
    else if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    else if (sign === "(") depth += 1;
    else if (sign === ")" && --depth === 0) return index + 1;
  }
  return text.length;
}
