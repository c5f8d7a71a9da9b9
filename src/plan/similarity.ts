import { comparable } from "./title.ts";

/** From here on two titles are versions of one (P-51). */
const SIMILAR = 0.8;

/** Up to this many pairs every one is looked at; beyond, only those that share something rare. */
const ALL_PAIRS = 10_000;
/** How many partners a title is compared with in a large group. */
const CANDIDATES = 64;

export interface Pair {
  readonly before: number;
  readonly after: number;
  readonly score: number;
}

/** A title prepared for comparison. */
interface Profile {
  readonly text: string;
  /** Pairs of neighbouring characters and how often each occurs. */
  readonly bigrams: ReadonlyMap<string, number>;
  readonly size: number;
  readonly numbers: string;
}

/**
 * How alike two normalised titles are, 0 to 1: the Dice coefficient of their pairs of neighbouring characters, in which
 * word order weighs little. Titles whose numbers differ are not alike at all: "endpoint 1" and "endpoint 2" are two
 * pieces of work, and taking the second for the finished first would lose it.
 */
export const similarity = (a: string, b: string): number => score(profileOf(a), profileOf(b));

/** All pairs of similar titles, in no order. Work is bounded: quadratic in small groups only. */
export function similarPairs(before: readonly string[], after: readonly string[]): Pair[] {
  const old = before.map(profileOf);
  const fresh = after.map(profileOf);
  const partners = old.length * fresh.length <= ALL_PAIRS ? () => old.keys() : rarePartners(old, fresh);
  return fresh.flatMap((profile, index) =>
    Array.from(partners(profile), (at) => ({ before: at, after: index, score: score(old[at]!, profile) })).filter(
      (pair) => pair.score >= SIMILAR,
    ),
  );
}

function profileOf(title: string): Profile {
  const text = comparable(title);
  const bigrams = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const bigram = text.slice(at, at + 2);
    bigrams.set(bigram, (bigrams.get(bigram) ?? 0) + 1);
  }
  return { text, bigrams, size: Math.max(0, text.length - 1), numbers: (text.match(/\d+/g) ?? []).join(" ") };
}

function score(a: Profile, b: Profile): number {
  if (a.text === b.text) return 1;
  // Sizes this far apart cannot reach the threshold: 2·min / (a + b) is the most there can be.
  if (a.numbers !== b.numbers || 2 * Math.min(a.size, b.size) < SIMILAR * (a.size + b.size)) return 0;
  let shared = 0;
  for (const [bigram, count] of a.bigrams) shared += Math.min(count, b.bigrams.get(bigram) ?? 0);
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}

/**
 * Similar titles share most of their runs of three letters, and so some of the rarer half of them: an index of those
 * finds nearly every partner, and the cap keeps a plan of ten thousand look-alikes from becoming their square.
 */
function rarePartners(old: readonly Profile[], fresh: readonly Profile[]): (profile: Profile) => Iterable<number> {
  const frequency = new Map<string, number>();
  for (const { text } of [...old, ...fresh]) {
    for (const run of runsOf(text)) frequency.set(run, (frequency.get(run) ?? 0) + 1);
  }
  const rarest = ({ text }: Profile): string[] => {
    const runs = [...runsOf(text)].sort((a, b) => frequency.get(a)! - frequency.get(b)! || (a < b ? -1 : 1));
    return runs.slice(0, Math.ceil(runs.length / 2) + 1);
  };
  const index = new Map<string, number[]>();
  for (const [at, profile] of old.entries()) {
    for (const run of rarest(profile)) {
      const known = index.get(run);
      if (!known) index.set(run, [at]);
      else if (known.length < CANDIDATES) known.push(at);
    }
  }
  return (profile) => {
    const found = new Set<number>();
    for (const run of rarest(profile)) {
      for (const at of index.get(run) ?? []) if (found.size < CANDIDATES) found.add(at);
    }
    return found;
  };
}

function runsOf(text: string): Set<string> {
  const runs = new Set<string>();
  for (let at = 0; at + 2 < text.length; at += 1) runs.add(text.slice(at, at + 3));
  return runs;
}
