/**
 * The candidate that was probably meant, or undefined when none is close.
 * Close: at most a third of the letters differ (and at least one may). Capitals do not count; the first of equals wins.
 */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = matchDistance(word, candidate);
    if (distance === undefined || distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** The edit distance; undefined if the words are too different. */
export function matchDistance(word: string, candidate: string): number | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  if (Math.abs(candidate.length - word.length) > limit) return undefined;
  const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
  // Words without a common letter in place do not match, however short they are.
  return distance > limit || distance >= Math.max(word.length, candidate.length, 1) ? undefined : distance;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
        swapped ? beforeLast[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
