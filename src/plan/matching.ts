import type { KnownEntry, PlanEntry } from "./entry.ts";
import { normaliseTitle, titleIndex } from "./title.ts";

/** One side of a comparison, with everything looked up once. Entries are spoken of by index. */
export interface Side {
  readonly kinds: readonly ("task" | "group")[];
  readonly keys: readonly string[];
  /** Normalised. */
  readonly titles: readonly string[];
  readonly parents: readonly (number | undefined)[];
  /** The heading that each stands under, at whatever depth of check boxes. */
  readonly headings: readonly (number | undefined)[];
  /** The heading that is the title of the whole file. */
  readonly title: number | undefined;
}

/** Both sides and what has been matched so far. */
export interface Matching {
  readonly known: Side;
  readonly fresh: Side;
  readonly isGone: readonly boolean[];
  /** Known index → index in the new reading, and back. */
  readonly forward: Map<number, number>;
  readonly back: Map<number, number>;
}

export function createMatching(known: readonly KnownEntry[], entries: readonly PlanEntry[]): Matching {
  return {
    known: sideOf(known),
    fresh: sideOf(entries),
    isGone: known.map(({ isGone }) => isGone === true),
    forward: new Map(),
    back: new Map(),
  };
}

/** Pairs two unless one of them is taken: earlier rules are stronger. */
export function pair({ forward, back }: Matching, before: number, after: number): void {
  if (forward.has(before) || back.has(after)) return;
  forward.set(before, after);
  back.set(after, before);
}

/** For entries at the top of a file, and for those under a title that the other side does not have. */
export const ROOT = -1;

/** The heading that an entry stands under, as the known side counts them; undefined under a heading without a match. */
export function knownHeading({ known, forward }: Matching, at: number): number | undefined {
  const heading = known.headings[at];
  if (heading === undefined) return ROOT;
  if (forward.has(heading)) return heading;
  return heading === known.title ? ROOT : undefined;
}

export function freshHeading({ fresh, back }: Matching, at: number): number | undefined {
  const heading = fresh.headings[at];
  if (heading === undefined) return ROOT;
  return back.get(heading) ?? (heading === fresh.title ? ROOT : undefined);
}

/** The current index of a known entry's parent; -1 if it has no match. */
export function movedParent({ known, forward }: Matching, at: number): number | undefined {
  const parent = known.parents[at];
  return parent === undefined ? undefined : (forward.get(parent) ?? -1);
}

function sideOf(all: readonly (KnownEntry | PlanEntry)[]): Side {
  const present = (entry: KnownEntry | PlanEntry): boolean => !("isGone" in entry && entry.isGone);
  const at = new Map(all.map(({ key }, index) => [key, index]));
  // One that is gone gives way to one that is there.
  for (const [index, entry] of all.entries()) if (present(entry)) at.set(entry.key, index);
  const parents = all.map(({ parentKey }) => (parentKey === undefined ? undefined : at.get(parentKey)));
  const rooted = all.map((entry, index) => ({ kind: entry.kind, parent: present(entry) ? parents[index] : index }));
  return {
    kinds: all.map(({ kind }) => kind),
    keys: all.map(({ key }) => key),
    titles: all.map(({ title }) => normaliseTitle(title)),
    parents,
    headings: headingsOf(all, parents),
    title: titleIndex(rooted),
  };
}

function headingsOf(
  all: readonly { readonly kind: string }[],
  parents: readonly (number | undefined)[],
): (number | undefined)[] {
  const headings: (number | undefined)[] = [];
  for (const start of all.keys()) {
    let at = parents[start];
    // Parents that were seen already have their answer; the count ends a circle, which only damage could make.
    for (let steps = 0; at !== undefined && all[at]!.kind === "task" && steps < all.length; steps += 1) {
      if (at < headings.length) {
        at = headings[at];
        break;
      }
      at = parents[at];
    }
    headings.push(at);
  }
  return headings;
}
