// T-30: which commit broke a gate. These functions only say which commit to look at next; the caller looks.

/** One look at a commit of a line, which begins with the oldest. */
export interface CommitLook {
  readonly at: number;
  /** Undefined: the gate cannot be checked there, for example because set-up fails. */
  readonly passed: boolean | undefined;
  /** A record says so, and nothing ran now. */
  readonly isRemembered?: true | undefined;
}

export type Step =
  /** `isAgain`: a record is not enough. */
  { readonly kind: "look"; readonly at: number; readonly isAgain: boolean } | Conclusion;

export type Conclusion =
  | { readonly kind: "holds" }
  /** Red and green on the same files. */
  | { readonly kind: "flaky"; readonly at: number }
  /** The newest commit cannot be checked. */
  | { readonly kind: "unchecked" }
  | { readonly kind: "culprit"; readonly at: number }
  /** The first and the last of these commits that may be it: those in between cannot be checked. */
  | { readonly kind: "one of"; readonly from: number; readonly to: number }
  /** No commit below it is known to be green. */
  | { readonly kind: "inherited"; readonly at: number }
  /** Green by record and red now, on the same files. */
  | { readonly kind: "surroundings"; readonly at: number };

/** To set up a commit can take minutes, so a search gives up after so many that cannot be checked. */
const MOST_UNCHECKED = 16;

/**
 * Red counts once it was seen twice. Blame needs more: the commit is red three times and the one below it green twice,
 * in turns, so that a gate whose colour changes by itself blames nobody.
 */
export function nextStep(length: number, looks: readonly CommitLook[]): Step {
  const commits = Array.from({ length }, () => ({ green: 0, red: 0, isUnchecked: false, isRemembered: false }));
  for (const { at, passed, isRemembered } of looks) {
    const commit = commits[at]!;
    if (isRemembered === true) commit.isRemembered = true;
    else if (passed === undefined) commit.isUnchecked = true;
    else commit[passed ? "green" : "red"] += 1;
  }
  const flaky = commits.findIndex(({ green, red }) => green > 0 && red > 0);
  if (flaky !== -1) return { kind: "flaky", at: flaky };
  const unsure = commits.findIndex(({ red, isUnchecked }) => red === 1 && !isUnchecked);
  if (unsure !== -1) return look(unsure);
  const newest = commits.at(-1)!;
  if (newest.isUnchecked) return { kind: "unchecked" };
  if (newest.green > 0) return { kind: "holds" };
  if (newest.red === 0) return look(length - 1);
  const changed = commits.findIndex(({ isRemembered, red }) => isRemembered && red > 0);
  return changed === -1 ? search(commits) : { kind: "surroundings", at: changed };
}

interface Seen {
  readonly green: number;
  readonly red: number;
  readonly isUnchecked: boolean;
  readonly isRemembered: boolean;
}

const look = (at: number, isAgain = true): Step => ({ kind: "look", at, isAgain });

const isGreen = ({ green, isUnchecked, isRemembered }: Seen): boolean => !isUnchecked && (green > 0 || isRemembered);

const isUnknown = (commit: Seen): boolean => !isGreen(commit) && commit.red === 0 && !commit.isUnchecked;

/** The newest commit is red, so there is always one above the last green one. */
function search(commits: readonly Seen[]): Step {
  const newest = commits.length - 1;
  const green = commits.findLastIndex(isGreen);
  const red = commits.findIndex((commit, at) => at > green && commit.red > 0);
  const isOver = commits.filter(({ isUnchecked }) => isUnchecked).length >= MOST_UNCHECKED;
  const open = commits.flatMap((commit, at) => (at > green && at < red && isUnknown(commit) ? [at] : []));
  if (open.length > 0 && !isOver) {
    // Most breaks are young.
    if (open.at(-1) === newest - 1) return look(newest - 1, false);
    const wanted = green === -1 ? newest - 2 * Math.max(1, newest - red) : middleOfGap(commits, green, red);
    return look(nearest(open, wanted), false);
  }
  if (green === -1) return { kind: "inherited", at: red };
  if (commits[green]!.green === 0) return look(green);
  if (commits[red]!.red < 3) return look(red);
  if (commits[green]!.green < 2) return look(green);
  return red - green === 1 ? { kind: "culprit", at: red } : { kind: "one of", from: green + 1, to: red };
}

/** Of the widest gap between known commits, so that many unchecked ones side by side are not tried one by one. */
function middleOfGap(commits: readonly Seen[], green: number, red: number): number {
  let widest = { from: green, to: green };
  let from = green;
  for (let at = green + 1; at <= red; at += 1) {
    if (isUnknown(commits[at]!)) continue;
    if (at - from > widest.to - widest.from) widest = { from, to: at };
    from = at;
  }
  return Math.floor((widest.from + widest.to) / 2);
}

const nearest = (open: readonly number[], wanted: number): number =>
  open.reduce((best, at) => (Math.abs(at - wanted) < Math.abs(best - wanted) ? at : best));
