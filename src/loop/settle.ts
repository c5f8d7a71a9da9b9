import { commitMessage } from "../domain/commit-message.ts";
import type { AttemptRecord } from "../domain/run/attempt-record.ts";
import { type IterationOutcome, OUTCOME_RULES } from "../domain/run/outcome.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { Task } from "../domain/task.ts";
import type { Claim } from "../store/store.ts";
import { commitTree } from "../system/git/commit.ts";
import type { Attempted, Proven } from "./iteration.ts";
import { markAsIs } from "./mark-as-is.ts";
import type { OpenEvidence } from "./recover.ts";
import { type RunState, warn } from "./run-state.ts";
import { shelve } from "./shelve.ts";
import { attemptsSoFar } from "./attempts-so-far.ts";
import { forgetUnverified, rememberUnverified } from "./unverified.ts";
import { acceptWork, leaveWork } from "./work-tree.ts";

/** What became of a claim. */
export interface Settled {
  readonly outcome: IterationOutcome;
  /** The task as it is now; undefined when the lease was lost. */
  readonly task: Task | undefined;
  readonly commit: string | undefined;
  /** Nothing more can be done without a person: why. */
  readonly needsPerson: string | undefined;
}

export interface SettleRequest {
  readonly claim: Claim;
  readonly iteration: number;
  readonly attempted: Attempted;
}

/** Step 9: (a) the verdict is recorded, (b) the proven tree is committed, (c) the claim is closed. */
export async function settle(state: RunState, request: SettleRequest): Promise<Settled> {
  const { proven } = request.attempted;
  return proven === undefined ? await settleUnverified(state, request) : await settleProven(state, request, proven);
}

async function settleProven(state: RunState, request: SettleRequest, proven: Proven): Promise<Settled> {
  const { deps, work } = state;
  const { claim, attempted } = request;
  const { built, verified } = proven;
  const settlement = settlementOf(state, request, attempted.outcome);
  const message = messageOf(state, request);
  const evidence: OpenEvidence = {
    v: 1,
    place: work.repository.gitFolder,
    commits: deps.rules.commits && built.paths.length > 0,
    message,
    settlement,
    proof: proven.proof,
    gates: verified.evidence,
  };
  const { head } = proven.now;
  if (proven.proof !== "gates") await rememberUnverified(deps.store, claim.task);
  const recorded = await deps.store.recordVerdict(claim.lease, { tree: built.tree, commit: head, evidence });
  if (recorded === "fenced") return await lose(state);

  let commit: string | undefined;
  if (evidence.commits) {
    work.indexSyncedTo ??= { head };
    const result = await commitTree(work.repository, { ...built, head, message });
    if (result.kind === "moved") return await settleMoved(state, request);
    commit = result.commit;
    const [subject = ""] = message.split("\n");
    const { iteration } = request;
    deps.emit({ type: "commit.made", iteration, commit, subject, files: built.paths.length, leftOut: built.leftOut });
    // The next iteration may begin while the user's index is told; its session does not, and the run does not end.
    state.indexing = Promise.all([state.indexing, result.indexed]).then((told) => !told.includes(false));
  }
  const result = await deps.store.settle(claim.lease, settlement);
  if (result.kind === "fenced") return await lose(state);
  if (proven.proof === "gates") await forgetUnverified(deps.store, deps.scope, [claim.task.id]);
  acceptWork(work, afterCommit(verified.after, commit, built.paths));
  return { outcome: attempted.outcome, task: result.task, commit, needsPerson: undefined };
}

/** The look after the gates, as a look after the commit would be: the committed paths no longer differ. */
function afterCommit(after: Proven["now"], commit: string | undefined, paths: readonly string[]): Proven["now"] {
  if (commit === undefined) return after;
  const committed = new Set(paths);
  return { ...after, head: commit, changed: after.changed.filter(({ path }) => !committed.has(path)) };
}

/** Somebody committed while the gates ran: what was proven is not what would be committed. The next one looks again. */
async function settleMoved(state: RunState, request: SettleRequest): Promise<Settled> {
  const text =
    "HEAD moved while the gates ran, so nothing was committed; the work stays in the tree and is verified again";
  warn(state, text);
  const settlement = { ...settlementOf(state, request, "unfinished"), reason: text };
  const result = await state.deps.store.settle(request.claim.lease, settlement);
  if (result.kind === "fenced") return await lose(state);
  await markAsIs(state, result.task);
  leaveWork(state.work);
  return { outcome: "unfinished", task: result.task, commit: undefined, needsPerson: undefined };
}

async function settleUnverified(state: RunState, request: SettleRequest): Promise<Settled> {
  const { deps, work } = state;
  const { claim, attempted } = request;
  const isLast = await isLastIteration(state, claim.task, attempted);
  const settlement = settlementOf(state, request, attempted.outcome);
  const result = await deps.store.settle(claim.lease, isLast ? { ...settlement, ...usedUp(state) } : settlement);
  if (result.kind === "fenced") return await lose(state);
  const { task } = result;
  if (attempted.wasMarked) await markAsIs(state, task);
  leaveWork(work);
  const isFinal = task.status === "failed" && !task.retry;
  const needsPerson = isFinal
    ? await shelve(state, { task, why: "the task failed", isRequired: true })
    : attempted.damage;
  // D-11: where a plan file has a word for it.
  if (task.status === "failed" || task.status === "parked") await markAsIs(state, task);
  return { outcome: attempted.outcome, task, commit: undefined, needsPerson };
}

/** Another has the task: whatever was done is theirs to look at, and nothing of it counts. */
async function lose(state: RunState): Promise<Settled> {
  warn(state, "The task was taken over by another run meanwhile; nothing of this iteration counts");
  leaveWork(state.work);
  return { outcome: "lost", task: undefined, commit: undefined, needsPerson: undefined };
}

function settlementOf({ deps }: RunState, request: SettleRequest, outcome: IterationOutcome): Settlement {
  const { attempted } = request;
  const { isAttempt, to } = OUTCOME_RULES[outcome];
  const { session, proven, verified } = attempted;
  const evidence = proven === undefined ? verified?.evidence : undefined;
  const record: AttemptRecord = { v: 1, ...attempted.record, ...(evidence !== undefined && { evidence }) };
  return {
    outcome,
    to,
    counted: isAttempt,
    attemptLimit: deps.rules.attempts,
    reason: attempted.reason,
    question: attempted.question,
    summary: attempted.summary,
    costUsd: attempted.costUsd,
    tokens: attempted.tokens,
    session: session.sessionId,
    details: record,
  };
}

/** P-20: a task may take so many iterations in all; those that a limit, an outage or a person cut short aside. */
async function isLastIteration(
  { deps }: RunState,
  task: Task,
  { outcome, earlier }: Pick<Attempted, "outcome" | "earlier">,
): Promise<boolean> {
  const { to, isIteration } = OUTCOME_RULES[outcome];
  // A goal takes as many as its steps leave room for; that nothing moves any more is seen by other means (D-12).
  if (deps.goal?.task === task.id) return false;
  if (to !== "pending" || !isIteration || outcome === "stopped" || outcome === "lost") return false;
  const limit = deps.rules.iterationsPerTask;
  if (earlier + 1 < limit) return false;
  const isUsed = (name: string | undefined): boolean =>
    name === undefined || !["limited", "outage", "overflow", "login", "stopped", "lost", "released"].includes(name);
  const attempts = await attemptsSoFar(deps.store, task.id);
  return attempts.filter(({ outcome: name }) => isUsed(name)).length >= limit;
}

const usedUp = ({ deps }: RunState): Partial<Settlement> => ({
  to: "failed",
  final: true,
  reason: `Not done after ${deps.rules.iterationsPerTask} iterations`,
});

function messageOf({ deps }: RunState, { claim, iteration, attempted }: SettleRequest): string {
  return commitMessage({
    subject: claim.task.title,
    body: attempted.proven?.proof === "gates" ? "" : "Not verified: no gate of the workspace has proven it.",
    trailers: { "Ralph-Task": claim.task.id, "Ralph-Run": deps.run, "Ralph-Iteration": String(iteration) },
  });
}
