import { posix } from "node:path";
import type { FileChange, FileState } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import { renamedNames } from "./renamed-names.ts";
import { isFoundAlike, isSameTest, placeOf, type TestTexts } from "./same-test.ts";
import type { DecidingChange, treeLook } from "../gate/gate.ts";
import { storeLink } from "../system/git/tree-texts.ts";
import type { RunDeps } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";

// T-11: the tests of the base name files by the paths that these had in the base.

type Renames = ReadonlyMap<string, string>;

/** Renames of files that are no tests: a test goes back to its old place with its old text. */
const ofWork = ({ rules }: Pick<RunDeps, "rules">, renames: Renames): Renames =>
  new Map([...renames].filter((paths) => !paths.some((path) => matchesAny(rules.testFiles, path))));

/** At the old path of each file that moved, a link to its new one, so that old tests find it. None if a test is gone. */
export async function linksToMoved(
  { lane: { deps }, candidate }: Looks,
  tests: readonly DecidingChange[],
  renames: Renames,
): Promise<ReadonlyMap<string, FileState>> {
  const links = new Map<string, FileState>();
  for (const { path } of tests) if (!renames.has(path) && !(await candidate.has(path))) return links;
  for (const [path, to] of ofWork(deps, renames)) links.set(path, await storeLink(deps.home, { path, to }));
  return links;
}

/** Moved tests, one for each folder and kind of name: gates that find it in its new place find the others there, too. */
export function movedTests(tests: readonly DecidingChange[], renames: Renames): string[] {
  const kinds = new Map<string, string>();
  for (const { path } of tests) {
    const to = renames.get(path);
    if (to !== undefined && !DATA.test(to)) kinds.set(`${posix.dirname(path)} ${placeOf(to)}`, to);
  }
  return [...kinds.values()];
}

/** Test files that the base does not have. */
export const newTests = ({ lane }: Pick<Looks, "lane">, changes: ReadonlyMap<string, FileChange>): string[] =>
  [...changes.values()].flatMap(({ kind, path }) =>
    kind === "added" && matchesAny(lane.deps.rules.testFiles, path) ? [path] : [],
  );

/** Files beside tests that nothing runs. */
const DATA = /\.(?:snap|json|ya?ml|toml|txt|md|csv|html?|xml|svg|png|golden|out)$/;

/** An error in every language. */
export const BROKEN_TEST = ")]} '\n";

interface Looks {
  readonly lane: LaneState;
  readonly base: ReturnType<typeof treeLook>;
  readonly candidate: ReturnType<typeof treeLook>;
}

interface Tests {
  readonly changes: readonly DecidingChange[];
  readonly renames: Renames;
  /** Gates are known to run them in their new places. */
  readonly areRun?: boolean;
}

/**
 * Whether these tests only follow files that moved, and names that the task asks to change. One that moved itself must be
 * found by gates as before, and one that lost its mode may not be started at all.
 */
export async function areSameTests(
  about: Looks & Parameters<typeof renamedNames>[0],
  { changes: tests, renames, areRun = false }: Tests,
  changes: ReadonlyMap<string, FileChange>,
): Promise<boolean> {
  const { base, candidate } = about;
  const moved = ofWork(about.lane.deps, renames);
  const texts: TestTexts[] = [];
  for (const { path } of tests) {
    const now = renames.get(path) ?? path;
    if (changes.get(path)?.before?.mode !== changes.get(now)?.after?.mode) return false;
    const [before, after] = [await base.text(path), await candidate.text(now)];
    if (before === undefined || after === undefined || !(areRun || isFoundAlike(path, now))) return false;
    texts.push({ path, before, after });
  }
  if (texts.every((text) => isSameTest(text, moved))) return true;
  const names = await renamedNames(about, texts, changes);
  return names.size > 0 && texts.every((text) => isSameTest(text, moved, names));
}
