import { groupBy } from "../domain/group.ts";
import type { KnownEntry, PlanEntry } from "./entry.ts";
import { createMatching, freshHeading, knownHeading, type Matching, movedParent, pair } from "./matching.ts";
import { similarPairs } from "./similarity.ts";

export interface KeptEntry {
  readonly taskId: string;
  readonly entry: PlanEntry;
  /** The fields that changed. Acceptance, priority and needs are always taken from the entry. */
  readonly changed: {
    readonly title?: true;
    readonly description?: true;
    /** A mark by somebody else: on the assigned task a claim, on any other to be reverted and reported (P-52). */
    readonly status?: true;
    readonly parent?: true;
  };
  /** It was gone and is back: a task that was dropped for it is pending again. */
  readonly revived?: true;
}

export interface PlanMatch {
  /** In document order. Write the new key to the task: it changes with title, heading and id. */
  readonly kept: readonly KeptEntry[];
  /** In document order; become tasks. */
  readonly added: readonly PlanEntry[];
  /**
   * Tasks whose entries have vanished since the last reading. A pending one is dropped, with that as the reason, and
   * remembered as gone; one in progress or settled stays as it is. Not named again while it stays away.
   */
  readonly gone: readonly string[];
}

/**
 * Which entries are the ones that are known (P-51). In this order, each rule taking what is still free:
 * 1. the same id in the text; 2. the same key (heading path, title, ordinal); 3. under one heading the same title;
 * 4. the same number (`1.2`); 5. under one heading similar titles, best first. Headings themselves are matched from
 * the outside in, so that entries under a heading that was renamed a little are still under one heading.
 *
 * Numbers come after titles, because an inserted line shifts them: a finished `1.2` must not pass its state
 * on to whatever is now called `1.2`. An entry that is gone comes back by id or key only.
 */
export function matchEntries(known: readonly KnownEntry[], entries: readonly PlanEntry[]): PlanMatch {
  const matching = createMatching(known, entries);
  matchKeys(matching);
  matchHeadings(matching);
  matchTasks(matching, equalTitles);
  matchNumbers(matching);
  matchTasks(matching, alikeTitles);

  const { back, forward, isGone } = matching;
  return {
    kept: entries.flatMap((entry, after) => {
      const before = back.get(after);
      if (before === undefined) return [];
      const hasMoved = movedParent(matching, before) !== matching.fresh.parents[after];
      return [keptEntry(known[before]!, entry, hasMoved)];
    }),
    added: entries.filter((_, after) => !back.has(after)),
    gone: known.filter((_, before) => !isGone[before] && !forward.has(before)).map(({ taskId }) => taskId),
  };
}

function keptEntry(old: KnownEntry, entry: PlanEntry, hasMoved: boolean): KeptEntry {
  const changed = {
    ...(old.title !== entry.title && { title: true as const }),
    ...(old.description !== entry.description && { description: true as const }),
    ...(old.status !== entry.status && { status: true as const }),
    ...(hasMoved && { parent: true as const }),
  };
  return { taskId: old.taskId, entry, changed, ...(old.isGone && { revived: true }) };
}

/** `1.2` says where an entry stands, not which it is. */
const isNumber = (key: string): boolean => /^id:[\d.]+$/.test(key);

function matchKeys(matching: Matching): void {
  const { known, fresh, isGone } = matching;
  const freshAt = new Map(fresh.keys.map((key, index) => [key, index]));
  const present = [...known.keys.keys()].filter((at) => !isGone[at]);
  const gone = [...known.keys.keys()].filter((at) => isGone[at]);
  for (const before of [...present, ...gone]) {
    const key = known.keys[before]!;
    const after = freshAt.get(key);
    if (after === undefined || known.kinds[before] !== fresh.kinds[after]) continue;
    if (isNumber(key) && known.titles[before] !== fresh.titles[after]) continue;
    pair(matching, before, after);
  }
}

function matchNumbers(matching: Matching): void {
  const { known, fresh, isGone } = matching;
  const freshAt = new Map(fresh.keys.map((key, index) => [key, index]));
  for (const [before, key] of known.keys.entries()) {
    const after = isNumber(key) && !isGone[before] ? freshAt.get(key) : undefined;
    if (after !== undefined) pair(matching, before, after);
  }
}

/** From the outside in: a pair of headings brings the headings inside them together. */
function matchHeadings(matching: Matching): void {
  const { known, fresh, forward } = matching;
  if (known.title !== undefined && fresh.title !== undefined) pair(matching, known.title, fresh.title);
  let matched = -1;
  while (matched < forward.size) {
    matched = forward.size;
    for (const { before, after } of freeUnderHeadings(matching, "group")) {
      for (const [old, now] of equalTitles(matching, before, after)) pair(matching, old, now);
      for (const [old, now] of alikeTitles(matching, before, after)) pair(matching, old, now);
    }
  }
}

/** Pairs of the given entries, strongest first. */
type PairUp = (matching: Matching, before: readonly number[], after: readonly number[]) => [number, number][];

function matchTasks(matching: Matching, pairUp: PairUp): void {
  for (const { before, after } of freeUnderHeadings(matching, "task")) {
    for (const [old, now] of pairUp(matching, before, after)) pair(matching, old, now);
  }
}

/** Unmatched entries of both sides, by their heading. */
function freeUnderHeadings(matching: Matching, kind: "task" | "group"): Record<"before" | "after", number[]>[] {
  const { known, fresh, isGone, forward, back } = matching;
  const old = [...known.kinds.keys()].filter((at) => known.kinds[at] === kind && !isGone[at] && !forward.has(at));
  const now = [...fresh.kinds.keys()].filter((at) => fresh.kinds[at] === kind && !back.has(at));
  const nowUnder = groupBy(now, (at) => freshHeading(matching, at));
  return [...groupBy(old, (at) => knownHeading(matching, at))].flatMap(([heading, before]) => {
    const after = heading === undefined ? undefined : nowUnder.get(heading);
    return after === undefined ? [] : [{ before, after }];
  });
}

/** The same title: where the parent is the same too, then anywhere under the heading, each in the order of the file. */
const equalTitles: PairUp = (matching, before, after) => {
  const { known, fresh } = matching;
  const inPlace = zip(before, after, {
    before: (at) => `${movedParent(matching, at)} ${known.titles[at]}`,
    after: (at) => `${fresh.parents[at]} ${fresh.titles[at]}`,
  });
  const taken = new Set(inPlace.map(([old]) => old));
  const reached = new Set(inPlace.map(([, now]) => now));
  const elsewhere = zip(
    before.filter((at) => !taken.has(at)),
    after.filter((at) => !reached.has(at)),
    { before: (at) => known.titles[at]!, after: (at) => fresh.titles[at]! },
  );
  return [...inPlace, ...elsewhere];
};

/** The first with a name goes to the first with that name, the second to the second. */
function zip(
  before: readonly number[],
  after: readonly number[],
  names: Record<"before" | "after", (at: number) => string>,
): [number, number][] {
  const waiting = groupBy(before.toReversed(), names.before);
  return after.flatMap((at): [number, number][] => {
    const old = waiting.get(names.after(at))?.pop();
    return old === undefined ? [] : [[old, at]];
  });
}

/** Best first; among equals those that kept their parent, then the order of the file. */
const alikeTitles: PairUp = (matching, before, after) => {
  const { known, fresh } = matching;
  const titles = [before.map((at) => known.titles[at]!), after.map((at) => fresh.titles[at]!)] as const;
  const ranked = similarPairs(...titles).map((match) => {
    const [old, now] = [before[match.before]!, after[match.after]!];
    return { score: match.score, old, now, hasMoved: Number(movedParent(matching, old) !== fresh.parents[now]) };
  });
  return ranked
    .sort((a, b) => b.score - a.score || a.hasMoved - b.hasMoved || a.old - b.old || a.now - b.now)
    .map(({ old, now }) => [old, now]);
};
