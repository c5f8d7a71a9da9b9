import { join, relative } from "node:path";
import type { FileChange, FileState } from "../domain/change.ts";
import type { Gate, GateResult, PinnedGate } from "../domain/gate.ts";
import { matchesAny } from "../domain/glob.ts";
import { decidingChanges, type DecidingChange, lostGates, onePerPath, treeLook, withBaseParts } from "../gate/gate.ts";
import { changedSetup } from "./changed-setup.ts";
import type { Task } from "../domain/task.ts";
import { renamesBetween } from "../system/git/patch.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import { withFiles, withTexts } from "../system/git/tree-texts.ts";
import type { Attempted } from "./attempt.ts";
import type { Candidate } from "./candidate.ts";
import { changedHelpers, changedInside } from "./changed-helpers.ts";
import { wasStopped } from "./check.ts";
import { checkTree } from "./check-landing.ts";
import { hidingModules } from "./hiding-modules.ts";
import { areSameTests, BROKEN_TEST, linksToMoved, movedTests, newTests } from "./moved-files.ts";
import { taskEnv } from "./naming.ts";
import type { RunDeps } from "./run-deps.ts";
import { grantsOf, type LaneState, tell } from "./run-state.ts";
import { withTree } from "./unless-pruned.ts";
import { quietly } from "./varied.ts";

/** A candidate on which all gates are green. */
export interface GreenCandidate {
  readonly built: Candidate;
  readonly results: readonly GateResult[];
  /** Whether `gates: auto` finds other gates in it than in the base. */
  readonly hasLost: boolean;
  /** What the gates run in it. */
  readonly pinned: readonly PinnedGate[];
  /** From `readDeciding`. */
  readonly deciding: Promise<readonly DecidingChange[]>;
}

/** Finds the changes that decide. It needs no results, so it can be done while the gates run. */
export async function readDeciding(
  { deps }: LaneState,
  { head, tree }: Candidate,
  all: readonly Gate[],
): Promise<readonly DecidingChange[]> {
  const gates = all.filter(({ isAgents }) => isAgents !== true);
  const folder = relative(deps.home.folder, deps.root);
  const changes = [...(await committedBetween(deps.home, head, tree)).values()];
  return await withLooks(deps.home, { head, tree }, async (looks) => {
    const { testFiles } = deps.rules;
    const ids = gates.map(({ id }) => id);
    return [
      ...onePerPath([
        ...(await decidingChanges({ gates, ...looks, changes, testFiles, folder })),
        ...(await changedSetup(deps, { ...looks, changes, testFiles, folder, head, ids })),
      ]),
      ...(await changedHelpers(deps, { changes, head, gates, ...looks })),
      ...(await hidingModules(deps, { changes, head, gates, ...looks })),
      ...Array.from((await changedInside(deps, { changes, ...looks })).keys(), (path) => inside(path, ids)),
    ];
  });
}

const inside = (path: string, gates: readonly string[]): DecidingChange => {
  return { path, gates, why: "tests in it changed, or checkers leave it out", kind: "test", isInside: true };
};

interface Looks {
  readonly base: ReturnType<typeof treeLook>;
  readonly candidate: ReturnType<typeof treeLook>;
}

async function withLooks<Result>(
  home: RunDeps["home"],
  { head, tree }: Pick<Candidate, "head" | "tree">,
  action: (looks: Looks) => Promise<Result>,
): Promise<Result> {
  const looks = { base: treeLook(home, head), candidate: treeLook(home, tree) };
  try {
    return await action(looks);
  } finally {
    looks.base.close();
    looks.candidate.close();
  }
}

/** What the approved base's way of proof says about a candidate. */
export interface AsBase {
  /** T-10: changes that a person must allow, and why they count. */
  readonly ask?: Found;
  /** T-11: changes of existing tests without which the work is not green. */
  readonly tests?: Found;
  /** The tree on which the gates are green with the base's tests. */
  readonly tried?: string;
  readonly isStopped?: true;
}

interface Found {
  readonly changes: readonly DecidingChange[];
  /** The end of a sentence: `gate test fails with the old files`. Undefined: the change itself is enough. */
  readonly why: string | undefined;
}

/**
 * T-10, T-11: the approved base decides how proof is done. If the candidate changed files that decide, its gates run once
 * more with these files as the base has them.
 */
export async function proveAsBase(lane: LaneState, attempt: Attempted, green: GreenCandidate): Promise<AsBase> {
  return await withLooks(
    lane.deps.home,
    green.built,
    async (looks) => await compare({ ...green, ...looks, lane, attempt }),
  );
}

/** Whether a task may make all changes by which `gates: auto` loses gates of the base. */
export async function mayLoseGates(
  { deps }: LaneState,
  task: Task,
  { head, tree }: Pick<Candidate, "head" | "tree">,
): Promise<boolean> {
  const granted = grantsOf(deps, task);
  if (granted.length === 0) return false;
  const changes = [...(await committedBetween(deps.home, head, tree)).values()];
  return await withLooks(deps.home, { head, tree }, async (looks) => {
    const lost = await lostGates({ ...looks, changes, folder: relative(deps.home.folder, deps.root) });
    return lost.length > 0 && lost.every(({ path }) => matchesAny(granted, path));
  });
}

interface Comparison extends GreenCandidate, Looks {
  readonly lane: LaneState;
  readonly attempt: Attempted;
}

async function compare(about: Comparison): Promise<AsBase> {
  const { lane, built } = about;
  const changes = await committedBetween(lane.deps.home, built.head, built.tree);
  const found = await findDeciding(about, [...changes.values()]);
  const asked = found.filter(({ kind }) => kind !== "test" && kind !== "data");
  if (asked.some(({ kind }) => kind === "definition")) return { ask: { changes: asked, why: undefined } };
  const tests = await oldTests(about, found, changes);
  const isAsked = asked.length > 0;
  const hasTests = tests.changes.length > 0;
  if (!isAsked && !hasTests) return {};
  const [askedSlow, testsSlow] = [whyNotTried(about, asked), whyNotTried(about, tests.changes)];
  if (isAsked && askedSlow !== undefined) return { ask: { changes: asked, why: askedSlow } };
  const isTried = hasTests && testsSlow === undefined;
  const isSame = async (): Promise<boolean> => await areSameTests(about, tests, changes);
  const restored = await oldFiles(about, asked, changes);
  if (isTried) {
    const { isStopped, red, tree } = await tryOldTests(about, tests, { restored, asked, changes });
    if (isStopped) return { isStopped };
    if (red === undefined) {
      // Its old place may be none where gates look, such as a package that moved.
      const isMoved = !isAsked && tests.renames.size > 0;
      const tried = isMoved && (await areSameTests(about, { ...tests, areRun: true }, changes)) ? built.tree : tree;
      return { ...(tried !== undefined && { tried }) };
    }
    if (!isAsked) return (await isSame()) ? { tried: built.tree } : { tests: { changes: tests.changes, why: red } };
  }
  const { isStopped, red } = isAsked ? await runAsBase(about, restored, asked) : GREEN;
  if (isStopped) return { isStopped };
  if (red !== undefined) return { ask: { changes: asked, why: red } };
  return !hasTests || (await isSame()) ? {} : { tests: { changes: tests.changes, why: testsSlow } };
}

interface Restored {
  readonly restored: OldFiles;
  readonly asked: readonly DecidingChange[];
  readonly changes: ReadonlyMap<string, FileChange>;
}

/** The old tests find files that moved by their old names. If they need that, gates must run them where they are now. */
async function tryOldTests(about: Comparison, tests: OldTests, { restored, asked, changes }: Restored): Promise<Tried> {
  const links = await linksToMoved(about, tests.changes, tests.renames);
  const files = new Map([...links, ...restored.files, ...tests.files]);
  const all = { files, texts: new Map([...restored.texts, ...tests.texts]) };
  const first = await runAsBase(about, all, [...asked, ...tests.changes]);
  const isForNew = first.red !== undefined && asked.length === 0;
  const added = isForNew ? newTests(about, changes).filter((path) => !files.has(path)) : [];
  // New tests may need what changed, such as a fixture: the old ones must pass without both.
  const alone = new Map([...files, ...added.map((path) => [path, undefined] as const)]);
  const again = added.length === 0 ? first : await runAsBase(about, { ...all, files: alone }, tests.changes);
  const tried = again.red === undefined ? again : first;
  if (links.size === 0 || tried.isStopped || tried.red !== undefined) return tried;
  const { lane } = about;
  const quiet = { ...about, lane: { ...lane, deps: quietly(lane.deps) } };
  for (const path of movedTests(tests.changes, tests.renames)) {
    tell(lane, `Checking whether the gates run ${path}`);
    const broken = { files: new Map(), texts: new Map([[path, BROKEN_TEST]]) };
    const { isStopped, red } = await runAsBase(quiet, broken, tests.changes);
    if (isStopped) return { isStopped };
    if (red === undefined) return { red: `no gate runs ${path}` };
  }
  return tried;
}

/** Without those that the task may change, those of gates that an agent wrote, and tests that nobody guards. */
async function findDeciding(about: Comparison, changes: readonly FileChange[]): Promise<DecidingChange[]> {
  const { lane, attempt, base, candidate, hasLost } = about;
  const { deps } = lane;
  const { rules } = deps;
  const folder = relative(deps.home.folder, deps.root);
  const found = [...(await about.deciding), ...(hasLost ? await lostGates({ base, candidate, changes, folder }) : [])];
  const granted = grantsOf(deps, attempt.claim.task);
  const isFree = ({ kind }: DecidingChange): boolean => kind === "test" && rules.tests === "free";
  return found.filter((change) => !matchesAny(granted, change.path) && !isFree(change));
}

interface OldFiles {
  readonly files: ReadonlyMap<string, FileState | undefined>;
  readonly texts: ReadonlyMap<string, string>;
}

/** These files as the base has them. Of JSON files only the parts that decide: a dependency that was added stays. */
async function oldFiles(
  { base, candidate }: Comparison,
  asked: readonly DecidingChange[],
  changes: ReadonlyMap<string, FileChange>,
): Promise<OldFiles> {
  const files = new Map<string, FileState | undefined>();
  const texts = new Map<string, string>();
  for (const { path, keys = [] } of asked) {
    const text = withBaseParts(keys, await base.text(path), await candidate.text(path));
    if (text === undefined) files.set(path, changes.get(path)?.before);
    else texts.set(path, text);
  }
  return { files, texts };
}

interface OldTests extends OldFiles {
  readonly changes: readonly DecidingChange[];
  /** All files that moved, from their old path to the new one. */
  readonly renames: ReadonlyMap<string, string>;
}

/** Tests that changed, as the base has them. One that moved goes back: at its new place, no gate may run it. */
async function oldTests(
  { lane: { deps }, built, base, candidate }: Comparison,
  found: readonly DecidingChange[],
  changes: ReadonlyMap<string, FileChange>,
): Promise<OldTests> {
  const tests = found.filter(({ kind }) => kind === "test");
  const isGone = tests.length > 0 && [...changes.values()].some(({ after }) => after === undefined);
  const renames = isGone
    ? await renamesBetween(deps.home, { from: built.head, to: built.tree })
    : new Map<string, string>();
  const files = new Map<string, FileState | undefined>();
  for (const { path } of tests) {
    const to = renames.get(path);
    // Two copies of a test may collide, as in Go and pytest.
    if (to !== undefined && matchesAny(deps.rules.testFiles, to)) files.set(to, undefined);
  }
  for (const { path } of tests.filter(({ isInside }) => !isInside)) files.set(path, changes.get(path)?.before);
  const inside = tests.some(({ isInside }) => isInside)
    ? await changedInside(deps, { changes: [...changes.values()], base, candidate })
    : new Map<string, string>();
  const texts = new Map([...inside].filter(([path]) => tests.some((test) => test.path === path)));
  return { changes: tests, files, texts, renames };
}

/** Why no extra run is made; undefined if it is. */
function whyNotTried({ lane: { deps }, results }: Comparison, changes: readonly DecidingChange[]): string | undefined {
  if (changes.length === 0) return undefined;
  if (deps.room.isLane === true) return "the gates ran on the files as they lay, so the old ones were not tried";
  const isSlow = ({ runs }: GateResult): boolean => (runs.at(-1)?.durationMs ?? 0) >= deps.rules.extraMs;
  const slow = results.find((result) => isMeant(result.gate, changes) && isSlow(result));
  return slow && `the old files were not tried, because gate ${slow.gate.id} takes longer than verify.extra`;
}

const isMeant = ({ id }: Gate, changes: readonly DecidingChange[]): boolean =>
  changes.some(({ gates }) => gates.includes(id));

interface Tried {
  readonly isStopped?: true;
  /** Which gates fail; undefined if all are green. */
  readonly red?: string;
  readonly tree?: string;
}

const GREEN: Tried = {};

async function runAsBase(
  { lane: { deps }, attempt, built, results }: Comparison,
  { files, texts }: OldFiles,
  changes: readonly DecidingChange[],
): Promise<Tried> {
  const gates = results.map(({ gate }) => gate).filter((gate) => isMeant(gate, changes));
  const build = async () => await withTexts(deps.home, await withFiles(deps.home, built.tree, files), texts);
  const { iteration, claim, folder } = attempt;
  deps.emit({ type: "check.started", check: "extra" });
  const name = `${iteration}.extra`;
  const check = { head: built.head, base: built.head, gates, name, env: taskEnv(claim, iteration) };
  const { tree, again } = await withTree(deps.home, { head: built.head, use: "extra", build }, async (made) => {
    const outputFolder = join(folder, "extra", made.slice(0, 10));
    return { tree: made, again: await checkTree(deps, { ...check, tree: made, outputFolder }) };
  });
  const red = again.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
  deps.emit({ type: "check.finished", check: "extra", red });
  if (wasStopped(again, deps)) return { isStopped: true };
  return red.length === 0 ? { tree } : { red: `gate ${red.join(", ")} fails with the old files` };
}
