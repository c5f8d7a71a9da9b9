import { linesOf } from "./markdown.ts";

/**
 * The positions whose line is part of an echo of the prompt: at least two consecutive non-blank lines of the message
 * that stand consecutively in the prompt. One line alone is never an echo: it may just be what was asked for.
 */
export function echoedLines(message: string, prompt: string, positions: readonly number[]): ReadonlySet<number> {
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
