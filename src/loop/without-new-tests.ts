import { join } from "node:path";
import { failureKind } from "../domain/failure-kind.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { matchesAny } from "../domain/glob.ts";
import { runsTests } from "../domain/test-gate.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import { countTests } from "../gate/gate.ts";
import { filesAt } from "../system/git/base-paths.ts";
import { renamesBetween } from "../system/git/patch.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import { withFiles } from "../system/git/tree-texts.ts";
import type { GreenCandidate } from "./as-base.ts";
import type { Attempted } from "./attempt.ts";
import { checkTree } from "./check-landing.ts";
import { taskEnv } from "./naming.ts";
import { grantsOf, type LaneState, tell } from "./run-state.ts";
import { withTree } from "./unless-pruned.ts";

// T-11: a new file among the tests can change what the old tests see: a module that hides the product, a test that
// replaces a function or ends the program. So the old tests must pass without it.

interface Green extends Pick<GreenCandidate, "built" | "results"> {
  /** The tree on which the gates passed with the base's tests, if the candidate changed some. */
  readonly tried: string | undefined;
}

/** Gates in which the old tests pass only beside the new ones, one line each. */
export async function findNeedsNewTests(lane: LaneState, attempt: Attempted, green: Green): Promise<string[]> {
  const { deps } = lane;
  const gates = deps.room.isLane === true ? [] : testGates(lane, green.results);
  const added = gates.length === 0 ? [] : await newFiles(lane, attempt, green);
  if (added.length === 0) return [];
  tell(lane, "Checking whether the old tests pass without the new ones");
  const found: string[] = [];
  for (const gate of gates) {
    if (await needs(lane, attempt, { gate, added, ...green }))
      found.push(`gate ${gate.id} fails without the new test files: ${namesInLine(added)}`);
  }
  return found;
}

/** Gates of the person that run tests, and not for long. The gate of a task may ask for a new test. */
function testGates({ deps }: LaneState, results: readonly GateResult[]): Gate[] {
  return results
    .filter(({ runs }) => (runs.at(-1)?.durationMs ?? 0) < deps.rules.extraMs)
    .map(({ gate }) => gate)
    .filter(({ isAgents, kind }) => isAgents !== true && kind !== "task" && kind !== "reviewer")
    .filter(({ id, run }) => runsTests(id, run, deps.gates.pinned.find((pinned) => pinned.id === id)?.script));
}

/** New files among tests. None if the base has no tests, which are what new ones can mislead. */
async function newFiles({ deps }: LaneState, { claim }: Attempted, { built }: Green): Promise<string[]> {
  const { home, rules } = deps;
  const granted = grantsOf(deps, claim.task);
  const changes = [...(await committedBetween(home, built.head, built.tree)).values()];
  const isNew = ({ kind, path }: (typeof changes)[number]): boolean =>
    kind === "added" && matchesAny(rules.testFiles, path) && !matchesAny(granted, path) && !TEXT.test(path);
  const added = changes.filter(isNew).map(({ path }) => path);
  if (added.length === 0 || rules.tests === "free") return [];
  const isGone = changes.some(({ after }) => after === undefined);
  const renames = isGone ? await renamesBetween(home, { from: built.head, to: built.tree }) : new Map();
  const moved = new Set(renames.values());
  const old = [...(await filesAt(home, built.head)).keys()];
  return old.some((path) => matchesAny(rules.testFiles, path)) ? added.filter((path) => !moved.has(path)) : [];
}

const TEXT = /\.(?:md|rst|adoc)$/i;

interface Trial extends Green {
  readonly gate: Gate;
  readonly added: readonly string[];
}

/** Twice: tests that fail now and then say nothing. */
async function needs(lane: LaneState, attempt: Attempted, trial: Trial): Promise<boolean> {
  for (let time = 1; time <= 2; time += 1) {
    const result = await runWithout(lane, attempt, trial);
    if (lane.deps.stop.aborted || result === undefined || !(await misled(lane, trial, result))) return false;
  }
  return true;
}

async function runWithout(
  { deps }: LaneState,
  { claim, iteration, folder }: Attempted,
  { gate, added, built, tried }: Trial,
): Promise<GateResult | undefined> {
  const { head, tree } = built;
  const build = async (): Promise<string> =>
    await withFiles(deps.home, tried ?? tree, new Map(added.map((path) => [path, undefined])));
  const check = { head, base: head, gates: [gate], name: `${iteration}.old-tests`, env: taskEnv(claim, iteration) };
  const quiet = { ...deps, emit: () => undefined };
  const [result] = await withTree(deps.home, { head, use: "extra", build }, async (made) =>
    checkTree(quiet, { ...check, tree: made, outputFolder: join(folder, "old-tests", gate.id) }),
  );
  return result?.gate.id === gate.id ? result : undefined;
}

/** Whether a failure is one of old tests. A gate may also miss the new files themselves, or count them. */
async function misled(lane: LaneState, { gate, added }: Trial, result: GateResult): Promise<boolean> {
  const last = result.runs.at(-1);
  if (result.passed || last?.end.kind !== "exit") return false;
  const output = `${last.output.head}\n${last.output.tail}`;
  const wasRed = lane.run.redGates.includes(gate.id);
  if (failureKind(output) === "missing name" && !wasRed) return false;
  if (added.some((path) => output.includes(path))) return false;
  const count = await countTests(result);
  return count === undefined || count.failed > 0;
}
