import type { FileChange } from "../domain/change.ts";
import { evidenceOf, type Evidence, type Gate, type GateResult, type PinnedGate } from "../domain/gate.ts";
import { readAttemptRecord } from "../domain/run/attempt-record.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import { cutStart } from "../domain/prompt/cut.ts";
import { stripSigils } from "../domain/sigil/read-sigils.ts";
import type { Uncommittable } from "../domain/uncommittable.ts";
import { allowable, describeUncommittable, namesInLine } from "../domain/verdict-report.ts";
import type { Findings, LockedTests, Verdict } from "../domain/verdict.ts";
import { findUncommittable } from "../system/git/uncommittable.ts";
import { adoptGates } from "./claim-gates.ts";
import type { Attempted } from "./attempt.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import { keepSessionWork } from "./keep-work.ts";
import { namesIn } from "./check.ts";
import { definitionName } from "./proofs.ts";
import { proveCandidate } from "./prove-candidate.ts";
import { attemptsSoFar } from "./gather.ts";
import { judgeWithNewTests } from "./new-tests.ts";
import { redBefore } from "./red-first.ts";
import { type AbsentReviewer, review } from "./review.ts";
import { notWorkOf, saidDone } from "./said-done.ts";
import { type BaseFindings, diffOf, findByBase } from "./base-findings.ts";
import type { SessionEffects } from "./session-effects.ts";
import { commitRules, grantsOf, type LaneState, warn } from "./run-state.ts";
import type { SessionCost } from "../domain/usage.ts";

/** The verdict about a claim, and its evidence. */
export interface ClaimCheck {
  readonly verdict: Verdict;
  readonly results: readonly GateResult[];
  readonly gates: readonly Gate[];
  /** T-12: checks in the tree that agents wrote. */
  readonly written: readonly PinnedGate[];
  readonly evidence: readonly Evidence[];
  /** T-04: the set-up of the room, and the names of the variables that gates had. */
  readonly room: { readonly setup: string; readonly variables: readonly string[] };
  /** The tree that was proven, on the landing commit that it was proven for. */
  readonly built: Candidate;
  /** The change that a person is asked about, or should look at. */
  readonly diff?: string;
  /** Undefined if no reviewer was asked. */
  readonly review?: "answered" | AbsentReviewer;
  /** By the reviewer; undefined if none was asked. */
  readonly took?: SessionCost;
}

/** Step 8: runs the gates in the room, on exactly the tree that would land (L-20, T-01). */
export async function verify(lane: LaneState, attempt: Attempted, said: Interpretation): Promise<ClaimCheck> {
  const { deps } = lane;
  const { effects } = attempt;
  const { task } = attempt.claim;
  const earlierNoChange = await countNoChange(lane, attempt);
  const uncommittable = await nameUncommittable(lane, attempt);
  // Nothing else names commits that the agent made, and `git gc --prune=now` would remove them.
  if (effects.now.head !== lane.base.head) await keepOwnWork(lane, attempt);
  const candidate = await candidateOf(lane, { ...task, summary: summaryOf(said) }, effects);
  // To enter the lane itself takes away files that must not land, such as large ones.
  if (deps.room.isLane === true) await keepOwnWork(lane, attempt);
  const { built, room, asked, results, deciding, fixed } = await proveCandidate(lane, attempt, candidate);
  const { gates, pinned, hasLost } = asked;
  const isRed = uncommittable.some(({ rejects }) => rejects) || results.some(({ passed }) => !passed);
  const byBase: BaseFindings =
    isRed || deps.stop.aborted ? {} : await findByBase(lane, attempt, { built, results, hasLost, pinned, deciding });
  const { ask, locked, tests, look = [] } = byBase;
  const opinion =
    deps.reviewer === undefined || isRed || ask !== undefined || locked !== undefined || deps.stop.aborted
      ? undefined
      : await review(lane, attempt, { reviewer: deps.reviewer, tree: built.tree, head: built.head, tests });
  const looked = opinion === undefined ? tests : undefined;
  const all = opinion === undefined ? results : [...results, opinion.result];
  const findings: Findings = {
    results: all,
    ...changesIn(effects, fixed),
    ask,
    locked,
    uncommittable,
    protect: deps.rules.protect,
    protectNew: deps.rules.protectNew,
    granted: grantsOf(deps, task),
    notWork: notWorkOf(deps.rules, task),
    allowNoChange: task.allowNoChange || (await saidDone(lane, task)) !== undefined,
    earlierNoChange,
    look: [...look, ...(looked === undefined ? [] : [lookAt(looked)])],
    redFirst: await redBefore(lane, task, results),
    shownLittle: [],
    isOnLane: deps.room.isLane === true,
  };
  adoptGates(lane, asked);
  const judged = await judgeWithNewTests(lane, attempt, { findings, built });
  // L-40: a check that was left out because the run ends for good cannot have passed.
  const isCut = byBase.isStopped === true || (judged.kind === "accepted" && deps.stop.aborted);
  const verdict: Verdict = isCut ? { kind: "undecided" } : judged;
  const diff = ask?.diff ?? looked?.diff ?? (await rejectedDiff(lane, built, verdict));
  return {
    verdict,
    results: all,
    gates,
    written: asked.written,
    evidence: evidenceFor(lane, all, { ...built, pinned }),
    room: { setup: room.prepared, variables: namesIn({ ...deps.env, ...room.env }) },
    built,
    ...(diff !== undefined && { diff }),
    ...(opinion !== undefined && { review: opinion.absent ?? "answered" }),
    ...(opinion !== undefined && { took: opinion }),
  };
}

/** If another run has taken the task over, the task's work ref is that run's. */
export async function keepOwnWork(lane: LaneState, { claim, effects }: Attempted): Promise<void> {
  if ((await lane.deps.store.heartbeat(claim.lease)) !== "fenced") await keepSessionWork(lane, claim.task, effects);
}

/** `fixed`: changes that gates made, which are part of the work now. */
const changesIn = (
  { changes, dropped }: SessionEffects,
  fixed: readonly FileChange[],
): Pick<Findings, "changes" | "dropped"> => ({
  changes: [...changes, ...fixed.filter(({ path }) => !changes.some((one) => one.path === path))],
  dropped,
});

/** The change for which a claim was rejected, if a person can allow it. */
async function rejectedDiff(lane: LaneState, built: Candidate, verdict: Verdict): Promise<string | undefined> {
  const paths = verdict.kind === "rejected" ? allowable(verdict.reasons) : [];
  return paths.length === 0 ? undefined : await diffOf(lane, built, paths);
}

function evidenceFor(
  { deps }: LaneState,
  results: readonly GateResult[],
  { tree, head, pinned }: Pick<Candidate, "tree" | "head"> & { readonly pinned: readonly PinnedGate[] },
): Evidence[] {
  const where = deps.room.isLane === true ? { isOnLane: true as const } : {};
  const at = { tree, commit: head, root: deps.root, ...where };
  return results.map((result) => evidenceOf(result, { ...at, definition: definitionName(result.gate, pinned) }));
}

export const absentReviewer = ({ review }: Pick<ClaimCheck, "review">): AbsentReviewer | undefined =>
  review === "answered" ? undefined : review;

/** T-03: changes that cannot land are named every time. */
async function nameUncommittable(
  lane: LaneState,
  { claim, effects: { now } }: Attempted,
): Promise<readonly Uncommittable[]> {
  const found = await findUncommittable(lane.place.repository, { base: lane.base, now }, commitRules(lane, claim.task));
  const named = found.filter(({ rejects }) => !rejects);
  if (named.length > 0) warn(lane, `Check these changes: ${namesInLine(named.map(describeUncommittable))}`);
  return found;
}

/** How many claims of this task were rejected because nothing had changed. */
async function countNoChange({ deps }: LaneState, { claim: { task }, earlier }: Attempted): Promise<number> {
  // Nobody could be told after the last attempt, and a task that may be done must not fail (T-22).
  if (task.attempts + 1 >= (task.attemptLimit ?? deps.rules.attempts)) return 1;
  const attempts = earlier.length === 0 ? [] : await attemptsSoFar(deps.store, task.id);
  return attempts.filter(({ details }) => readAttemptRecord(details)?.noChange === true).length;
}

const LONGEST_SUMMARY = 4000;

/** The text that the agent gave with its claim. */
export const summaryOf = (said: Interpretation): string | undefined =>
  cutStart(said.completion || stripSigils(said.text), LONGEST_SUMMARY) || undefined;

/** T-11. */
const lookAt = ({ paths, why }: LockedTests): string =>
  `tests changed: ${namesInLine(paths)}${why === "" ? "" : ` (${why})`}`;
