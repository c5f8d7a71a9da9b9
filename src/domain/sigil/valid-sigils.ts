import { linesOf, quotedPositions } from "./markdown.ts";

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
export function validSigils<Sigil extends SigilPlace>(
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

/**
 * The positions whose line is part of an echo of the prompt: at least two consecutive non-blank lines of the message
 * that stand consecutively in the prompt. One line alone is never an echo: it may just be what was asked for.
 */
function echoedLines(message: string, prompt: string, positions: readonly number[]): ReadonlySet<number> {
  if (positions.length === 0 || prompt.trim() === "") return new Set();
  const wanted = new Map<string, number[]>();
  for (const { pair, around } of pairsAround(message, positions)) {
    const known = wanted.get(pair);
    if (known) for (const position of around) known.push(position);
    else wanted.set(pair, around);
  }
  const echoed = new Set<number>();
  for (const pair of pairsOf(prompt)) {
    for (const position of wanted.get(pair) ?? []) echoed.add(position);
    // Once is enough, and a prompt may repeat a pair a million times.
    wanted.delete(pair);
  }
  return echoed;
}

/** The pairs of neighbouring lines of which one holds a position, with the positions they hold. */
function* pairsAround(message: string, positions: readonly number[]): Generator<{ pair: string; around: number[] }> {
  let next = 0;
  let before: { text: string; here: number[] } | undefined;
  for (const line of linesOf(message)) {
    const here: number[] = [];
    for (; next < positions.length && positions[next]! <= line.end; next += 1) here.push(positions[next]!);
    const text = line.text.trim();
    if (text === "") continue;
    const around = before ? before.here.concat(here) : [];
    if (before && around.length > 0) yield { pair: joined(before.text, text), around };
    before = { text, here };
  }
}

function* pairsOf(prompt: string): Generator<string> {
  let before: string | undefined;
  for (const line of linesOf(prompt)) {
    const text = line.text.trim();
    if (text === "") continue;
    if (before !== undefined) yield joined(before, text);
    before = text;
  }
}

const joined = (first: string, second: string): string => `${first}\n${second}`;
