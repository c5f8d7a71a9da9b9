import { join } from "node:path";
import { compareDefinitions, evidenceOf, type Evidence, type Gate, type GateResult } from "../domain/gate.ts";
import { readAttemptRecord } from "../domain/run/attempt-record.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import { cutStart } from "../domain/prompt/cut.ts";
import { stripSigils } from "../domain/sigil/read-sigils.ts";
import { describeUncommittable, namesInLine } from "../domain/verdict-report.ts";
import { judge, type Verdict } from "../domain/verdict.ts";
import { buildTree, type BuiltTree } from "../system/git/commit.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { findUncommittable } from "../system/git/uncommittable.ts";
import type { Attempted } from "./attempt.ts";
import { taskEnv } from "./naming.ts";
import { runChecks } from "./check.ts";
import { attemptsSoFar } from "./gather.ts";
import { gateNotices, revertGateChanges } from "./take-back.ts";
import { type AbsentReviewer, review } from "./review.ts";
import { commitRules, type LaneState, tell, warn } from "./run-state.ts";
import { beginChecks, ignoreGateOutput, noteSnapshot } from "./work-tree.ts";

/** The verdict about a claim, and its evidence. */
export interface ClaimCheck {
  readonly verdict: Verdict;
  readonly results: readonly GateResult[];
  readonly gates: readonly Gate[];
  readonly evidence: readonly Evidence[];
  /** The tree that was proven. It can be committed even if the files change. */
  readonly built: BuiltTree;
  /** The files on which the gates ran. */
  readonly now: Snapshot;
  /** The files after the gates, with their changes reverted. */
  readonly after: Snapshot;
  /** Undefined if no reviewer was asked. */
  readonly review?: "answered" | AbsentReviewer;
  readonly costUsd: number | undefined;
  readonly tokens: number;
  readonly isEstimated: boolean;
}

/** Step 8: runs the gates on the tree that will be committed, and reverts their changes to it. */
export async function verify(lane: LaneState, attempt: Attempted, said: Interpretation): Promise<ClaimCheck> {
  const { deps, work, run } = lane;
  const { claim, effects, folder, iteration } = attempt;
  const { task } = claim;
  const earlierNoChange = await countNoChange(lane, attempt);
  const marked = await deps.plans.mark({ ...task, summary: summaryOf(said) }, "done");
  for (const sentence of marked.problems) warn(lane, sentence);
  const now = marked.hasChanged ? await snapshot(work.repository, effects.now) : effects.now;
  const { built, uncommittable } = await buildCandidate(lane, now);
  const definitions = await definitionChanges(lane);
  const touched = new Set([...definitions.changed, ...definitions.removed]);
  const gates = [...deps.gates.ofTask(task), ...deps.gates.gates, ...run.agentsGates];
  beginChecks(work, now);
  const results = await runChecks(
    deps,
    // A gate that the agent changed proves nothing.
    gates.filter(({ id }) => !touched.has(id)),
    {
      iteration,
      cwd: deps.root,
      outputFolder: join(folder, "gates"),
      env: taskEnv(claim, iteration),
      name: `${iteration}.gates`,
    },
  );
  const isRejected = touched.size > 0 || uncommittable.some(({ rejects }) => rejects);
  const opinion =
    deps.reviewer === undefined || isRejected || results.some(({ passed }) => !passed) || deps.stop.aborted
      ? undefined
      : await review(lane, attempt, { reviewer: deps.reviewer, tree: built.tree, head: now.head });
  const all = opinion === undefined ? results : [...results, opinion.result];
  // If nothing ran, nothing changed.
  const after = all.length === 0 ? now : await revertAndReport(lane, now);
  noteSnapshot(work, after);
  const verdict = judge({
    results: all,
    changes: effects.changes,
    definitions,
    uncommittable,
    protect: deps.rules.protect,
    notWork: deps.rules.notWork,
    allowNoChange: task.allowNoChange,
    earlierNoChange,
  });
  await adoptNewGates(lane, definitions.added);
  const at = { tree: built.tree, commit: now.head, root: deps.root };
  return {
    verdict,
    results: all,
    gates,
    evidence: all.map((result) => evidenceOf(result, at)),
    built,
    now,
    after,
    ...(opinion !== undefined && { review: opinion.absent ?? "answered" }),
    costUsd: opinion?.costUsd,
    tokens: opinion?.tokens ?? 0,
    isEstimated: opinion?.isEstimated ?? false,
  };
}

export const absentReviewer = ({ review }: Pick<ClaimCheck, "review">): AbsentReviewer | undefined =>
  review === "answered" ? undefined : review;

/** The tree to prove, and the changes that it cannot or should not have. A rejection names them; others are told here. */
async function buildCandidate(lane: LaneState, now: Snapshot) {
  const { repository, base } = lane.work;
  const rules = commitRules(lane);
  const [built, uncommittable] = await Promise.all([
    buildTree(repository, { base, now }, rules),
    findUncommittable(repository, { base, now }, rules),
  ]);
  const named = uncommittable.filter(({ rejects }) => !rejects);
  if (named.length > 0) warn(lane, `Check these changes: ${namesInLine(named.map(describeUncommittable))}`);
  return { built, uncommittable };
}

/** How many claims of this task were rejected because nothing had changed. */
async function countNoChange({ deps }: LaneState, { claim, earlier }: Attempted): Promise<number> {
  const attempts = earlier.length === 0 ? [] : await attemptsSoFar(deps.store, claim.task.id);
  return attempts.filter(({ details }) => readAttemptRecord(details)?.noChange === true).length;
}

const LONGEST_SUMMARY = 4000;

/** The text that the agent gave with its claim. */
export const summaryOf = (said: Interpretation): string | undefined =>
  cutStart(said.completion || stripSigils(said.text), LONGEST_SUMMARY) || undefined;

const NO_CHANGES = { changed: [], removed: [], added: [] };

async function definitionChanges({ deps, run: { pinned } }: LaneState) {
  const found = await deps.gates.discover?.();
  return found === undefined ? NO_CHANGES : compareDefinitions(pinned, found);
}

/** P-16: a new gate counts from the next claim on, and reports name it as the agent's. */
async function adoptNewGates(lane: LaneState, added: readonly string[]): Promise<void> {
  if (added.length === 0) return;
  const { deps } = lane;
  const found = (await deps.gates.discover?.()) ?? [];
  const fresh = found.filter(({ id }) => added.includes(id));
  lane.run.pinned = [...lane.run.pinned, ...fresh];
  lane.run.agentsGates = [...lane.run.agentsGates, ...fresh.map((gate) => deps.gates.asAgentsGate(gate))];
  tell(lane, `The agent wrote the gates ${added.join(", ")}: they count from the next claim on`);
}

/** Reverts and reports changes that gates made to existing files. Their new files stay, but do not count as work. */
export async function revertAndReport(lane: LaneState, proven: Snapshot, who?: "hooks"): Promise<Snapshot> {
  const { deps, work } = lane;
  // A person may edit the plan at any time (P-50), also while gates run.
  const isTheirs = (path: string): boolean => !deps.plans.files.includes(path);
  const { after, restored, left, added } = await revertGateChanges(work.repository, proven, isTheirs);
  const output = left.length === 0 ? [] : await gateOutput(lane, left, proven);
  const lost = left.filter((path) => !output.includes(path));
  for (const notice of gateNotices({ restored, left: lost }, who)) warn(lane, notice);
  await ignoreGateOutput(work, [...added, ...output], after);
  return after;
}

/** Reports and caches that gates rewrite each time: no session changed them, and git does not track them. */
async function gateOutput({ work }: LaneState, paths: readonly string[], proven: Snapshot): Promise<string[]> {
  const worked = new Set((await changesBetween(work.repository, work.base, proven)).map(({ path }) => path));
  const tracked = new Set(proven.changed.filter(({ head }) => head !== undefined).map(({ path }) => path));
  return paths.filter((path) => !worked.has(path) && !tracked.has(path));
}
