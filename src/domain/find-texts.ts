/** A text that was found, and where. */
export interface FoundText {
  readonly text: string;
  readonly at: number;
}

const BLOCK = 3;
const TABLE = 1 << 15;

/**
 * Searches a text for many texts at once, the longest at each place. Most places are skipped: a table says how far the
 * next possible match is, by the three characters at the end of a window (Wu and Manber). A pattern with thousands of
 * alternatives would try each of them at each place. The texts have at least `length` characters.
 */
export function textFinder(texts: readonly string[], length: number): (text: string) => FoundText[] {
  const shifts = new Uint8Array(TABLE).fill(length - BLOCK + 1);
  const byBeginning = new Map<string, string[]>();
  for (const each of [...texts].sort((a, b) => b.length - a.length)) {
    const beginning = each.slice(0, length);
    byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), each]);
    for (let end = BLOCK; end <= length; end += 1) {
      const place = hash(beginning, end - 1);
      shifts[place] = Math.min(shifts[place]!, length - end);
    }
  }
  return (text) => {
    const found: FoundText[] = [];
    for (let end = length - 1; end < text.length;) {
      const shift = shifts[hash(text, end)]!;
      const at = end - length + 1;
      const match =
        shift > 0 ? undefined : byBeginning.get(text.slice(at, end + 1))?.find((each) => text.startsWith(each, at));
      if (match !== undefined) found.push({ text: match, at });
      end += match?.length ?? Math.max(shift, 1);
    }
    return found;
  };
}

const hash = (text: string, end: number): number =>
  ((text.charCodeAt(end - 2) << 10) ^ (text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & (TABLE - 1);
