import { echoedLines } from "./echo.ts";
import { quotedPositions } from "./markdown.ts";

/** A sigil's place in a message, from its first character to after its last. */
export interface SigilPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * Those of the sigils in a message that count (P-11): alone on their lines, or at the end of a line after a finished
 * sentence. Quoted ones (code, block quotes, the middle of a sentence, an echo of `prompt`) do not. The sigils are in
 * ascending order and do not overlap. Takes time linear in the length of both texts.
 */
export function countingSigils<Sigil extends SigilPlace>(
  message: string,
  prompt: string,
  found: readonly Sigil[],
): readonly Sigil[] {
  if (found.length === 0) return [];
  const quoted = quotedPositions(
    message,
    found.map(({ start }) => start),
  );
  const candidates = neighbours(message, found)
    .filter((group) => stands(message, { start: group[0]!.start, end: group.at(-1)!.end }))
    .flat()
    .filter(({ start }) => !quoted.has(start));
  const echoed = echoedLines(
    message,
    prompt,
    candidates.map(({ start }) => start),
  );
  return candidates.filter(({ start }) => !echoed.has(start));
}

/** Sigils side by side on one line, with nothing but blanks between them, stand or fall together. */
function neighbours<Sigil extends SigilPlace>(text: string, sigils: readonly Sigil[]): Sigil[][] {
  const groups: Sigil[][] = [];
  let end = 0;
  for (const sigil of sigils) {
    const group = groups.at(-1);
    if (group !== undefined && BLANKS.test(text.slice(end, sigil.start))) group.push(sigil);
    else groups.push([sigil]);
    end = sigil.end;
  }
  return groups;
}

const BLANKS = /^[^\S\n]*$/;

/** Whether nothing comes after a place on its last line, and nothing or a finished sentence before it on its first. */
function stands(text: string, { start, end }: SigilPlace): boolean {
  // The end first: one group at most passes for each line, so that no line's beginning is read twice.
  if (!CLOSING.test(text.slice(end))) return false;
  const head = text.slice(text.lastIndexOf("\n", start) + 1, start);
  return LEADING.test(head) || isFinished(head);
}

/** A list mark and emphasis, nothing else. */
const LEADING = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+){0,8}(?:\[[xX]\]\s+)?[*_]{0,6}$/;

/** The end of emphasis and of a sentence, and then of the line. */
const CLOSING = /^[*_]{0,6}[.!]*[*_]{0,6}[^\S\n]*(?:\n|$)/;

/** Whether a text before a sigil is a sentence of its own. Walks from the end: the text may be megabytes long. */
function isFinished(head: string): boolean {
  let end = head.length;
  while (end > 0 && /[\s*_]/.test(head[end - 1]!)) end -= 1;
  return end > 0 && ".!:".includes(head[end - 1]!);
}
