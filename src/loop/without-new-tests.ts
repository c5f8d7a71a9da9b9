import { join } from "node:path";
import type { FileChange } from "../domain/change.ts";
import { failureKind } from "../domain/failure-kind.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { matchesAny } from "../domain/glob.ts";
import { runsTests } from "../domain/test-gate.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import { countTests, treeLook, withOldEntries } from "../gate/gate.ts";
import { filesAt } from "../system/git/base-paths.ts";
import { renamesBetween } from "../system/git/patch.ts";
import type { Repository } from "../system/git/repository.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import { nameTree } from "../system/git/tree.ts";
import { readFileAt, withFiles, withTexts } from "../system/git/tree-texts.ts";
import type { GreenCandidate } from "./as-base.ts";
import type { Attempted } from "./attempt.ts";
import { checkTree } from "./check-landing.ts";
import { taskEnv } from "./naming.ts";
import { countOn, definitionName } from "./proofs.ts";
import { grantsOf, type LaneState, tell } from "./run-state.ts";
import { withTree } from "./unless-pruned.ts";
import { quietly } from "./varied.ts";

// T-11: a new file among the tests can change what the old tests see: a module that hides the product, a test that
// replaces a function, mends a file and puts it back, or ends the program. So can an entry of a package that leads to
// another file. So the old tests must pass without them.

interface Green extends Pick<GreenCandidate, "built" | "results"> {
  /** The tree on which the gates passed with the base's tests, if the candidate changed some. */
  readonly tried: string | undefined;
}

export interface NeedsNewTests {
  /** Gates in which the old tests pass only beside the new ones, one line each. */
  readonly look: readonly string[];
  /** The tree on which the gates passed with the old tests alone. */
  readonly tried: string | undefined;
}

export async function findNeedsNewTests(lane: LaneState, attempt: Attempted, green: Green): Promise<NeedsNewTests> {
  const { deps } = lane;
  const { tried } = green;
  const gates = deps.room.isLane === true || deps.rules.tests === "free" ? [] : testGates(lane, green.results);
  const left = gates.length === 0 ? NOTHING : await leftOut(lane, attempt, green);
  const paths = [...left.added, ...left.entries.keys()];
  if (paths.length === 0) return { look: [], tried };
  tell(lane, "Checking whether the old tests pass without the new ones");
  const look: string[] = [];
  const trees: (string | undefined)[] = [];
  const what = left.added.length > 0 ? "without the new test files" : "with the old entries of the package";
  for (const gate of gates) {
    const { isMisled, tree } = await needs(lane, attempt, { gate, ...left, ...green });
    if (isMisled) look.push(`gate ${gate.id} fails ${what}: ${namesInLine(paths)}`);
    trees.push(tree);
  }
  // Only there the counts of the old tests are not mixed with those of the new ones.
  return { look, tried: trees.includes(undefined) ? tried : trees[0] };
}

/** Gates of the person that run tests, and not for long. The gate of a task may ask for a new test. */
function testGates({ deps }: LaneState, results: readonly GateResult[]): Gate[] {
  return results
    .filter(({ runs }) => (runs.at(-1)?.durationMs ?? 0) < deps.rules.extraMs)
    .map(({ gate }) => gate)
    .filter(({ isAgents, kind }) => isAgents !== true && kind !== "task" && kind !== "reviewer")
    .filter(({ id, run }) => runsTests(id, run, deps.gates.pinned.find((pinned) => pinned.id === id)?.script));
}

interface LeftOut {
  readonly added: readonly string[];
  /** Manifests of packages with the entries of the base. */
  readonly entries: ReadonlyMap<string, string>;
  readonly changes: readonly FileChange[];
}

const NOTHING: LeftOut = { added: [], entries: new Map(), changes: [] };

/** New files among tests. None if the base has no tests, which are what new ones can mislead. */
async function leftOut({ deps }: LaneState, { claim }: Attempted, { built, tried }: Green): Promise<LeftOut> {
  const { home, rules } = deps;
  const granted = grantsOf(deps, claim.task);
  const isTest = (path: string): boolean => matchesAny(rules.testFiles, path);
  const changes = [...(await committedBetween(home, built.head, built.tree)).values()];
  const open = changes.filter(({ path }) => !matchesAny(granted, path));
  const added = open.filter(({ kind, path }) => kind === "added" && isTest(path) && !TEXT.test(path));
  const manifests = open.filter(({ kind, path }) => kind !== "added" && /(?:^|\/)package\.json$/.test(path));
  // An old test that changed as the task asks may need the new files.
  const isChanged = tried === undefined && changes.some(({ kind, path }) => kind !== "added" && isTest(path));
  if (isChanged || added.length + manifests.length === 0) return NOTHING;
  if (![...(await filesAt(home, built.head)).keys()].some(isTest)) return NOTHING;
  const isGone = changes.some(({ after }) => after === undefined);
  const renames = isGone ? await renamesBetween(home, { from: built.head, to: built.tree }) : new Map<string, string>();
  const moved = new Set([...renames].filter(([from]) => isTest(from)).map(([, to]) => to));
  const entries = await oldEntries(home, { from: built.head, to: tried ?? built.tree, manifests });
  return { added: added.map(({ path }) => path).filter((path) => !moved.has(path)), entries, changes };
}

const TEXT = /\.(?:md|rst|adoc)$/i;

interface Manifests {
  readonly from: string;
  readonly to: string;
  readonly manifests: readonly FileChange[];
}

async function oldEntries(home: Repository, { from, to, manifests }: Manifests): Promise<ReadonlyMap<string, string>> {
  const [base, candidate] = [treeLook(home, from), treeLook(home, to)];
  const texts = new Map<string, string>();
  try {
    for (const { path } of manifests) {
      const text = await withOldEntries(path, { base, candidate });
      if (text !== undefined) texts.set(path, text);
    }
  } finally {
    base.close();
    candidate.close();
  }
  return texts;
}

interface Trial extends Green, LeftOut {
  readonly gate: Gate;
}

/** Twice: tests that fail now and then say nothing. `tree`: that on which it passed. */
async function needs(lane: LaneState, attempt: Attempted, trial: Trial) {
  for (let time = 1; time <= 2; time += 1) {
    const { result, tree } = await runWithout(lane, attempt, trial);
    // Without a result, it has passed on this tree before.
    if (result === undefined || result.passed) return { isMisled: false, tree };
    if (lane.deps.stop.aborted || !(await misled(lane, trial, result))) return { isMisled: false };
  }
  return { isMisled: true };
}

async function runWithout(
  { deps }: LaneState,
  { claim, iteration, folder }: Attempted,
  { gate, added, entries, built, tried }: Trial,
) {
  const { head } = built;
  const files = new Map(added.map((path) => [path, undefined]));
  const build = async (): Promise<string> =>
    await withTexts(deps.home, await withFiles(deps.home, tried ?? built.tree, files), entries);
  const check = { head, base: head, gates: [gate], name: `${iteration}.old-tests`, env: taskEnv(claim, iteration) };
  const quiet = quietly(deps);
  return await withTree(deps.home, { head, use: "extra", build }, async (tree) => {
    const [result] = await checkTree(quiet, { ...check, tree, outputFolder: join(folder, "old-tests", gate.id) });
    return { tree, result };
  });
}

/** Whether a failure is one of old tests. A gate may also miss the new files themselves, or count them. */
async function misled(lane: LaneState, trial: Trial, result: GateResult): Promise<boolean> {
  const { gate, added } = trial;
  const { store, home, gates } = lane.deps;
  const last = result.runs.at(-1);
  if (result.gate.id !== gate.id || last?.end.kind !== "exit") return false;
  const count = await countTests(result);
  if (count !== undefined) return count.failed > (count.notTests ?? 0);
  const output = `${last.output.head}\n${last.output.tail}`;
  const kind = failureKind(output);
  // A gate that was red may have wanted the new test, unless an assertion of an old one fails.
  const isWanted = kind !== "assertion" && lane.run.redGates.includes(gate.id);
  if (isWanted || added.some((path) => output.includes(path))) return false;
  // A gate that counts elsewhere has failed before its tests, or after them.
  const { tree } = await nameTree(home, trial.built.head, []);
  if ((await countOn(store, tree, definitionName(gate, gates.pinned))) !== undefined) return false;
  return !(kind === "missing name" && (await isLoadedByWork(lane, trial)));
}

/** Some projects keep parts of their work in folders with the names of tests. */
async function isLoadedByWork({ deps }: LaneState, { built, added, changes }: Trial): Promise<boolean> {
  const names = added.map((path) =>
    path
      .replace(/\.\w+$/, "")
      .split("/")
      .slice(-2),
  );
  for (const { path, after } of changes) {
    if (after === undefined || matchesAny(deps.rules.testFiles, path)) continue;
    const text = (await readFileAt(deps.home, built.tree, path)) ?? "";
    if (names.some((steps) => text.includes(steps.join("/")) || text.includes(steps.join(".")))) return true;
  }
  return false;
}
