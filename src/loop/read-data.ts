import { join } from "node:path";
import type { FileState } from "../domain/change.ts";
import type { GateResult } from "../domain/gate.ts";
import { matchesAny } from "../domain/glob.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import { onePerPath } from "../gate/gate.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import { withFiles } from "../system/git/tree-texts.ts";
import type { GreenCandidate } from "./as-base.ts";
import type { Attempted } from "./attempt.ts";
import { checkLanding, checkTree } from "./check-landing.ts";
import { taskEnv } from "./naming.ts";
import { redBefore } from "./red-first.ts";
import { grantsOf, type LaneState, tell } from "./run-state.ts";
import { withTree } from "./unless-pruned.ts";
import { quietly } from "./varied.ts";

// T-11: `cmp a b`, `test "$(cat a)" = "$(cat b)"`: a check reads two files, and their names do not say which of them is the
// work. If the work changed both, or one beside what a program prints, the check may say nothing any more. So it must also
// pass with the data as it was. A gate that is red without the work is left out: to change what it reads is the work.

interface Green extends Pick<GreenCandidate, "built" | "results" | "deciding"> {
  /** The tree on which the gates passed with the base's tests, if the candidate changed some. */
  readonly tried: string | undefined;
}

interface Data {
  readonly path: string;
  readonly gates: readonly string[];
}

/** Changed data without which a gate fails, one line for each gate. */
export async function findReadData(lane: LaneState, attempt: Attempted, green: Green): Promise<string[]> {
  const data = await changedData(lane, attempt, green);
  if (data.length === 0) return [];
  tell(lane, "Checking whether the gates pass with the data as it was");
  // Two files that are compared with one another are alike again if both are as they were.
  const trials = data.length === 1 ? [data] : [data, data.slice(1), data.slice(0, 1)];
  for (const trial of trials) {
    const without = await redWith(lane, attempt, { ...green, trial });
    const red = without.length === 0 ? [] : await greenBefore(lane, attempt, { ...green, ids: without });
    if (lane.deps.stop.aborted) return [];
    const paths = namesInLine(trial.map(({ path }) => path));
    if (red.length > 0) return red.map((id) => `gate ${id} fails with the old content of what it reads: ${paths}`);
  }
  return [];
}

async function changedData(lane: LaneState, { claim }: Attempted, { results, deciding }: Green): Promise<Data[]> {
  const { deps } = lane;
  if (deps.room.isLane === true || deps.rules.tests === "free") return [];
  const granted = grantsOf(deps, claim.task);
  const isGranted = ({ path }: { readonly path: string }): boolean => matchesAny(granted, path);
  const changes = await deciding;
  const data = changes.filter((change) => change.kind === "data" && !isGranted(change));
  if (data.length === 0) return [];
  // A check that may be changed speaks of the new data.
  const changed = new Set(changes.filter(isGranted).flatMap(({ kind, gates }) => (kind === "data" ? [] : gates)));
  const isQuick = ({ runs }: GateResult): boolean => (runs.at(-1)?.durationMs ?? 0) < deps.rules.extraMs;
  const asked: string[] = [];
  for (const result of results.filter((each) => isQuick(each) && !changed.has(each.gate.id)))
    if ((await redBefore(lane, claim.task, [result])).length === 0) asked.push(result.gate.id);
  return onePerPath(data)
    .map(({ path, gates }) => ({ path, gates: gates.filter((id) => asked.includes(id)) }))
    .filter(({ gates }) => gates.length > 0)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Those of the gates that pass without the work. No baseline tells of a gate that is new, or of a run that was killed. */
async function greenBefore(
  { deps }: LaneState,
  { claim, iteration }: Attempted,
  { built, results, ids }: Green & { readonly ids: readonly string[] },
): Promise<string[]> {
  const gates = results.map(({ gate }) => gate).filter(({ id }) => ids.includes(id));
  const check = { commit: built.head, gates, name: `${iteration}.before`, env: taskEnv(claim, iteration) };
  // What has passed on that tree is not run again.
  const ran = await checkLanding(quietly(deps), check);
  return ids.filter((id) => !ran.some(({ gate, passed }) => gate.id === id && !passed));
}

interface Trial extends Green {
  readonly trial: readonly Data[];
}

/** The gates that fail with this data as it was. New tests are left out, because they may speak of the new. */
async function redWith(
  { deps }: LaneState,
  { claim, iteration, folder }: Attempted,
  { built: { head, tree }, results, tried, trial }: Trial,
): Promise<string[]> {
  const changes = await committedBetween(deps.home, head, tree);
  const files = new Map<string, FileState | undefined>();
  for (const { path, kind } of changes.values())
    if (kind === "added" && matchesAny(deps.rules.testFiles, path)) files.set(path, undefined);
  for (const { path } of trial) files.set(path, changes.get(path)?.before);
  const gates = results.map(({ gate }) => gate).filter(({ id }) => trial.some((one) => one.gates.includes(id)));
  const build = async (): Promise<string> => await withFiles(deps.home, tried ?? tree, files);
  const check = { head, base: head, gates, name: `${iteration}.data`, env: taskEnv(claim, iteration) };
  return await withTree(deps.home, { head, use: "extra", build }, async (made) => {
    const outputFolder = join(folder, "data", made.slice(0, 10));
    const again = await checkTree(quietly(deps), { ...check, tree: made, outputFolder });
    return again.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
  });
}
