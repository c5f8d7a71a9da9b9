import { commitMessage } from "../domain/commit-message.ts";
import type { AttemptRecord } from "../domain/run/attempt-record.ts";
import { type IterationOutcome, OUTCOME_RULES } from "../domain/run/outcome.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { Task } from "../domain/task.ts";
import type { Proof } from "../domain/verdict.ts";
import type { Claim } from "../store/store.ts";
import { commitTree } from "../system/git/commit.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import type { Judged } from "./attempt.ts";
import { attemptsSoFar } from "./gather.ts";
import type { OpenEvidence } from "./recover.ts";
import { type LaneState, warn } from "./run-state.ts";
import { shelve } from "./shelve.ts";
import { forgetUnverified, rememberUnverified } from "./unverified.ts";
import type { ClaimCheck } from "./verify.ts";
import { acceptWork, beginCommit, leaveWork, refresh, syncIndexInBackground } from "./work-tree.ts";

export interface Settled {
  readonly outcome: IterationOutcome;
  /** The task after settling; undefined if the lease was lost. */
  readonly task: Task | undefined;
  readonly commit: string | undefined;
  /** Why the run cannot continue without a person. */
  readonly needsPerson: string | undefined;
}

/** Step 9: (a) records the verdict, (b) commits the proven tree, (c) closes the claim. */
export async function settle(lane: LaneState, judged: Judged): Promise<Settled> {
  const { claimCheck, proof } = judged;
  return claimCheck === undefined || proof === undefined
    ? await settleUnverified(lane, judged)
    : await settleProven(lane, judged, { ...claimCheck, proof });
}

async function settleProven(
  lane: LaneState,
  judged: Judged,
  proven: ClaimCheck & { readonly proof: Proof },
): Promise<Settled> {
  const { deps, work } = lane;
  const { claim, iteration } = judged;
  const { built, proof } = proven;
  const settlement = settlementOf(lane, judged, judged.outcome);
  const message = messageOf(lane, judged);
  const evidence: OpenEvidence = {
    v: 1,
    place: work.repository.gitFolder,
    commits: deps.rules.commits && built.paths.length > 0,
    message,
    settlement,
    proof,
    gates: proven.evidence,
  };
  const { head } = proven.now;
  if (proof !== "gates") await rememberUnverified(deps.store, claim.task);
  const recorded = await deps.store.recordVerdict(claim.lease, { tree: built.tree, commit: head, evidence });
  if (recorded === "fenced") return await settleLost(lane);

  let commit: string | undefined;
  if (evidence.commits) {
    beginCommit(work, head);
    const result = await commitTree(work.repository, { ...built, head, message });
    if (result.kind === "moved") return await settleMoved(lane, judged);
    commit = result.commit;
    const [subject = ""] = message.split("\n");
    deps.emit({ type: "commit.made", iteration, commit, subject, files: built.paths.length, leftOut: built.leftOut });
    syncIndexInBackground(work, result.indexed);
  }
  const result = await deps.store.settle(claim.lease, settlement);
  if (result.kind === "fenced") return await settleLost(lane);
  if (proof === "gates") await forgetUnverified(deps.store, deps.scope, [claim.task.id]);
  acceptWork(work, afterCommit(proven.after, commit, built.paths));
  return { outcome: judged.outcome, task: result.task, commit, needsPerson: undefined };
}

/** Remembers a proven task for the final check. */
export function rememberSettled(
  { run }: LaneState,
  { claim, claimCheck, proof }: Judged<Claim | undefined>,
  { outcome }: Settled,
): boolean {
  if (claim === undefined || claimCheck === undefined || proof === undefined || outcome !== "verified") return false;
  run.settled.push({ task: claim.task, proof, tree: claimCheck.built.tree, gates: claimCheck.gates });
  return true;
}

/** Derives the snapshot after the commit from the one after the gates: the committed paths no longer differ. */
function afterCommit(after: Snapshot, commit: string | undefined, paths: readonly string[]): Snapshot {
  if (commit === undefined) return after;
  const committed = new Set(paths);
  return { ...after, head: commit, changed: after.changed.filter(({ path }) => !committed.has(path)) };
}

/** Somebody committed while the gates ran, so the proven tree no longer fits on HEAD. The next iteration verifies again. */
async function settleMoved(lane: LaneState, judged: Judged): Promise<Settled> {
  const text =
    "HEAD moved while the gates ran, so nothing was committed; the work stays in the tree, and ralphctl verifies it again";
  warn(lane, text);
  const settlement = { ...settlementOf(lane, judged, "unfinished"), reason: text };
  const result = await lane.deps.store.settle(judged.claim.lease, settlement);
  if (result.kind === "fenced") return await settleLost(lane);
  await restoreMark(lane, result.task);
  leaveWork(lane.work);
  return { outcome: "unfinished", task: result.task, commit: undefined, needsPerson: undefined };
}

async function settleUnverified(lane: LaneState, judged: Judged): Promise<Settled> {
  const { deps, work } = lane;
  const { claim, outcome } = judged;
  const isLast = await isLastIteration(lane, judged);
  const settlement = settlementOf(lane, judged, outcome);
  const result = await deps.store.settle(
    claim.lease,
    isLast ? { ...settlement, ...outOfIterations(lane) } : settlement,
  );
  if (result.kind === "fenced") return await settleLost(lane);
  const { task } = result;
  if (judged.wasMarked) await restoreMark(lane, task);
  leaveWork(work);
  const isFinal = task.status === "failed" && !task.retry;
  const needsPerson = isFinal
    ? await shelve(lane, { task, why: "the task failed", isRequired: true })
    : judged.effects.damage;
  // D-11: some plan formats have marks for failed and parked tasks.
  if (task.status === "failed" || task.status === "parked") await restoreMark(lane, task);
  return { outcome, task, commit: undefined, needsPerson };
}

/** Another run has the task, and this iteration does not count. */
async function settleLost(lane: LaneState): Promise<Settled> {
  warn(lane, "Another run took the task over, so this iteration does not count");
  leaveWork(lane.work);
  return { outcome: "lost", task: undefined, commit: undefined, needsPerson: undefined };
}

function settlementOf({ deps }: LaneState, judged: Judged, outcome: IterationOutcome): Settlement {
  const { isAttempt, to } = OUTCOME_RULES[outcome];
  const { session, proof, claimCheck } = judged;
  const evidence = proof === undefined ? claimCheck?.evidence : undefined;
  const record: AttemptRecord = { v: 1, ...judged.record, ...(evidence !== undefined && { evidence }) };
  return {
    outcome,
    to,
    counted: isAttempt,
    attemptLimit: deps.rules.attempts,
    reason: judged.reason,
    question: judged.question,
    summary: judged.summary,
    costUsd: judged.costUsd,
    tokens: judged.tokens,
    session: session.sessionId,
    details: record,
  };
}

/** P-20: the total of iterations per task is limited. Those that a limit, an outage or a person ended do not count. */
async function isLastIteration({ deps }: LaneState, { claim: { task }, outcome, earlier }: Judged): Promise<boolean> {
  const { to, isIteration } = OUTCOME_RULES[outcome];
  // A goal has no such limit: D-12 detects a lack of progress.
  if (deps.goal?.task === task.id) return false;
  if (to !== "pending" || !isIteration || outcome === "stopped" || outcome === "lost") return false;
  const limit = deps.rules.iterationsPerTask;
  if (earlier.length + 1 < limit) return false;
  const counts = (name: string | undefined): boolean =>
    name === undefined || !["limited", "outage", "overflow", "login", "stopped", "lost", "released"].includes(name);
  const attempts = await attemptsSoFar(deps.store, task.id);
  return attempts.filter(({ outcome: name }) => counts(name)).length >= limit;
}

const outOfIterations = ({ deps }: LaneState): Partial<Settlement> => ({
  to: "failed",
  final: true,
  reason: `Not done after ${deps.rules.iterationsPerTask} iterations`,
});

function messageOf({ deps }: LaneState, { claim, iteration, proof }: Judged): string {
  return commitMessage({
    subject: claim.task.title,
    body: proof === "gates" ? "" : "Not verified: no gate of the workspace has proven it.",
    trailers: { "Ralph-Task": claim.task.id, "Ralph-Run": deps.runId, "Ralph-Iteration": String(iteration) },
  });
}

/** Replaces a mark of a claim in the plan file with the status of the task. */
export async function restoreMark(lane: LaneState, task: Task): Promise<void> {
  const { hasChanged, problems } = await lane.deps.plans.mark(task, "is");
  for (const text of problems) warn(lane, text);
  // Otherwise our own write would count as work of the next session.
  if (hasChanged) await refresh(lane.work);
}
