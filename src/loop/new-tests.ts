import { join } from "node:path";
import type { FileChange } from "../domain/change.ts";
import { type FailureKind, failureKind } from "../domain/failure-kind.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { matchesAny } from "../domain/glob.ts";
import { onlyReads, runsTests } from "../domain/test-gate.ts";
import { type Findings, judge, type Verdict } from "../domain/verdict.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import { nameTree, storeTree } from "../system/git/tree.ts";
import type { Attempted } from "./attempt.ts";
import type { Candidate } from "./candidate.ts";
import { runChecks } from "./check.ts";
import { checkLanding } from "./check-landing.ts";
import { taskEnv } from "./naming.ts";
import { redWithout, saysNo } from "./red-first.ts";
import type { RunDeps } from "./run-deps.ts";
import { type LaneState, tell } from "./run-state.ts";
import { withTree } from "./unless-pruned.ts";
import { quietly } from "./varied.ts";

// T-21: tests that the work added or changed speak of it if they fail on the base, which lacks the rest of the work.

/**
 * Judges again if gates that failed before the work pass without it now, and if new tests can make work proven that is
 * only unbroken. Never rejects.
 */
export async function judgeWithNewTests(
  lane: LaneState,
  attempt: Attempted,
  { findings, built }: { readonly findings: Findings; readonly built: Candidate },
): Promise<Verdict> {
  const first = judge(findings);
  const isRedFirst = first.kind === "accepted" && first.strength === "proven" && findings.redFirst.length > 0;
  const { results } = findings;
  const passesWithTests = async (gate: Gate): Promise<boolean> => await passesOnBase(lane, attempt, { gate, built });
  const trial = { head: built.head, results, passesWithTests };
  const again = isRedFirst && (await redWithout(lane, attempt.claim.task, trial));
  const known = again === false ? findings : { ...findings, ...again };
  const verdict = again === false ? first : judge(known);
  const isOpen = verdict.kind === "accepted" && verdict.strength === "unbroken" && !findings.isOnLane;
  if (!isOpen || lane.deps.stop.aborted) return verdict;
  const found = await tryNewTests(lane, attempt, { built, results });
  return found === undefined ? verdict : judge({ ...known, ...found });
}

type Shown = Pick<Findings, "redFirst" | "shownLittle">;

async function tryNewTests(lane: LaneState, attempt: Attempted, claim: GreenClaim): Promise<Shown | undefined> {
  const { deps } = lane;
  const { tests, hasWork } = await newTests(lane, claim.built);
  const gates = tests.length === 0 || !hasWork ? [] : testGates(lane, claim.results);
  if (gates.length > 0) tell(lane, "Checking whether the new tests fail without the work");
  let little: Shown | undefined;
  for (const gate of gates) {
    const kind = await failsOnBase(lane, attempt, { gate, tests, built: claim.built });
    if (deps.stop.aborted) return undefined;
    if (kind === "missing name") little = { redFirst: [], shownLittle: [littleText(gate)] };
    else if (kind !== undefined)
      return { redFirst: [`${gate.id} failed with the new tests and without the work`], shownLittle: [] };
  }
  return little;
}

const littleText = ({ id }: Gate): string =>
  `${id} passes; without the work its new tests fail only because a name is missing, which shows little`;

interface GreenClaim {
  readonly built: Candidate;
  readonly results: readonly GateResult[];
}

/** Test files that the work added or changed, and those that it removed: beside them, the others may be red. */
async function newTests({ deps }: LaneState, { head, tree }: Candidate): Promise<NewTests> {
  const changes = [...(await committedBetween(deps.home, head, tree)).values()];
  const isTest = ({ path }: FileChange): boolean => matchesAny(deps.rules.testFiles, path);
  const isWork = (change: FileChange): boolean => !isTest(change) && !matchesAny(deps.rules.notWork, change.path);
  const tests = changes.filter(isTest);
  return { tests: tests.some(({ after }) => after !== undefined) ? tests : [], hasWork: changes.some(isWork) };
}

interface NewTests {
  readonly tests: readonly FileChange[];
  /** The work changed something else, so that the base lacks something. */
  readonly hasWork: boolean;
}

/** A gate that asks for tests by their names is green with any of them, and then it speaks of them and not of the work. */
async function passesOnBase(
  lane: LaneState,
  attempt: Attempted,
  { gate, built }: Pick<Trial, "gate" | "built">,
): Promise<boolean> {
  if (onlyReads(gate.run) || lane.deps.stop.aborted) return false;
  const { tests } = await newTests(lane, built);
  return tests.length > 0 && (await runOnce(lane, attempt, { gate, tests, built, time: "own" }))?.passed === true;
}

/** Gates of the person that run tests, and not for long. */
function testGates({ deps, run }: LaneState, results: readonly GateResult[]): Gate[] {
  const isQuick = ({ runs }: GateResult): boolean => (runs.at(-1)?.durationMs ?? 0) < deps.rules.extraMs;
  return results
    .filter((result) => result.gate.isAgents !== true && result.gate.kind !== "reviewer" && isQuick(result))
    .map(({ gate }) => gate)
    .filter(({ id, run: command }) =>
      runsTests(id, command, deps.gates.pinned.find((pinned) => pinned.id === id)?.script),
    )
    .filter(({ id }) => !run.redGates.includes(id));
}

/** A gate that fails here is no news for a person: the verdict says what it means. */
const quiet = ({ deps }: LaneState): RunDeps => quietly(deps);

interface Trial {
  readonly gate: Gate;
  readonly tests: readonly FileChange[];
  readonly built: Candidate;
}

/** How the gate fails on the base with the new tests, twice; undefined if it passes, or fails on the base anyway. */
async function failsOnBase(lane: LaneState, attempt: Attempted, trial: Trial): Promise<FailureKind | undefined> {
  const { stop } = lane.deps;
  const { claim, iteration } = attempt;
  const kinds: FailureKind[] = [];
  const env = taskEnv(claim, iteration);
  const base = await checkLanding(quiet(lane), { commit: trial.built.head, gates: [trial.gate], name: "base", env });
  if (base.some(({ passed }) => !passed)) return undefined;
  while (kinds.length < TWICE && !stop.aborted) {
    const result = await runOnce(lane, attempt, { ...trial, time: kinds.length + 1 });
    if (result === undefined || !saysNo(result)) break;
    const { output } = result.runs.at(-1)!;
    kinds.push(failureKind(`${output.head}\n${output.tail}`));
  }
  if (kinds.length < TWICE) return undefined;
  return kinds.includes("missing name") ? "missing name" : kinds[0];
}

/** Tests that fail now and then speak of nothing. */
const TWICE = 2;

async function runOnce(
  lane: LaneState,
  { claim, iteration, folder }: Attempted,
  { gate, tests, built, time }: Trial & { readonly time: number | string },
): Promise<GateResult | undefined> {
  const { deps } = lane;
  const states = tests.map(({ path, after }) => ({ path, head: undefined, now: after, stat: undefined }));
  const build = async (): Promise<string> => {
    const named = await nameTree(deps.home, built.head, states);
    await storeTree(deps.home, named);
    return named.tree;
  };
  const { head } = built;
  const enter = async (tree: string) => await deps.room.enter({ head, tree });
  const room = await withTree(deps.home, { head, use: "extra", build }, enter);
  if (room.setup?.passed === false) return undefined;
  const once: Gate = { ...gate, retries: 0, timeoutMs: Math.min(gate.timeoutMs, deps.rules.extraMs) };
  const [result] = await runChecks(quiet(lane), [once], {
    cwd: room.root,
    outputFolder: join(folder, "new-tests", String(time)),
    env: { ...room.env, ...taskEnv(claim, iteration) },
    name: `${iteration}.new-tests.${time}`,
  });
  return result;
}
