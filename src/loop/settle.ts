import { commitMessage } from "../domain/commit-message.ts";
import { mapStrings } from "../domain/redact.ts";
import type { AttemptRecord } from "../domain/run/attempt-record.ts";
import { type IterationOutcome, OUTCOME_RULES } from "../domain/run/outcome.ts";
import type { Settlement } from "../domain/settlement.ts";
import { AS_THEY_LAY, type Rated } from "../domain/strength.ts";
import type { Task } from "../domain/task.ts";
import type { Claim } from "../store/store.ts";
import { soleMessage } from "../system/git/commit.ts";
import { readLanding } from "../system/git/landing.ts";
import { savedRef } from "../system/git/saved-ref.ts";
import { dropWork, renameWork, workRefs } from "../system/git/work-ref.ts";
import { rememberAgentGates } from "./agent-gates.ts";
import type { Judged } from "./attempt.ts";
import { rememberQuestion } from "./asked-if-done.ts";
import { rememberLanded } from "./landed-at.ts";
import { leaveLander } from "./lander.ts";
import { offerCandidate, withdrawCandidate } from "./offer-candidate.ts";
import { attemptsSoFar } from "./gather.ts";
import { agentHeadOf, keepSessionWork, shelveLostWork, shelveWork } from "./keep-work.ts";
import { follow, land } from "./land.ts";
import { asOwnWrite, markDone } from "./plan-texts.ts";
import { forgetBegun } from "./rescue.ts";
import type { OpenEvidence } from "./recover.ts";
import { type LaneState, warn } from "./run-state.ts";
import { isWork, rememberSaid } from "./said-done.ts";
import { rememberWork } from "./taken-back.ts";
import type { ClaimCheck } from "./verify.ts";

export interface Settled {
  readonly outcome: IterationOutcome;
  /** The task after settling; undefined if the lease was lost. */
  readonly task: Task | undefined;
  /** On the landing ref. */
  readonly commit: string | undefined;
}

/** Step 9: (a) records the verdict, (b) lands the proven tree, (c) closes the claim. */
export async function settle(lane: LaneState, judged: Judged): Promise<Settled> {
  const { claimCheck, rated } = judged;
  try {
    const settled =
      claimCheck === undefined || rated === undefined
        ? await settleUnverified(lane, judged)
        : await settleProven(lane, judged, { ...claimCheck, rated });
    withdrawCandidate(lane);
    return settled;
  } finally {
    await leaveLander(lane);
  }
}

async function settleProven(
  lane: LaneState,
  judged: Judged,
  proven: ClaimCheck & { readonly rated: Rated },
): Promise<Settled> {
  const { deps } = lane;
  const { claim, iteration } = judged;
  const { built, rated } = proven;
  const settlement = settlementOf(lane, judged, judged.outcome);
  const message = await messageOf(lane, judged);
  const said = isWork(deps.rules, built.paths) ? (judged.said.others ?? []) : [];
  const evidence: OpenEvidence = {
    v: 2,
    target: deps.target.ref,
    lands: built.paths.length > 0,
    message,
    settlement,
    ...rated,
    gates: proven.evidence,
    ...(said.length > 0 && { said }),
    ...proven.room,
  };
  await rememberAgentGates(deps.store, proven.written, { task: claim.task.id, run: deps.runId });
  const offer = evidence.lands ? await offerCandidate(lane, claim.lease, { ...built, message }) : undefined;
  if (offer?.hasMoved === true) return await settleMoved(lane, judged);
  const named = { ...evidence, ...(offer?.candidate !== undefined && { candidate: offer.candidate }) };
  const verdict = { tree: built.tree, commit: built.head, evidence: named };
  const recorded = await deps.store.recordVerdict(claim.lease, verdict);
  if (recorded === "fenced") return await settleLost(lane, judged);

  let commit: string | undefined;
  if (evidence.lands) {
    await rememberWork(lane, claim.task, built);
    const added = judged.effects.changes.filter(({ kind }) => kind === "added").map(({ path }) => path);
    await deps.plans.noteAdded?.(added);
    const isAllLanded = (await agentHeadOf(lane, judged.effects)) === undefined;
    const removes = isAllLanded ? workRefs(claim.task.id) : [];
    commit = await land(lane, { ...built, message, removes, commit: offer?.candidate, lease: claim.lease });
    if (commit === undefined) return await settleMoved(lane, judged);
    const green = new Set(proven.results.filter(({ passed }) => passed).map(({ gate }) => gate.id));
    lane.run.redGates = lane.run.redGates.filter((id) => !green.has(id));
    lane.run.redBefore = lane.run.redBefore.filter((id) => !green.has(id));
    const [subject = ""] = message.split("\n");
    deps.emit({ type: "commit.made", iteration, commit, subject, files: built.paths.length, leftOut: built.leftOut });
  }
  if (commit !== undefined) {
    await rememberLanded(lane, claim.task.id, commit);
    await rememberSaid(deps.store, { task: claim.task.id, title: claim.task.title, commit }, said);
  }
  await markDone(lane, { ...claim.task, ...(settlement.summary !== undefined && { summary: settlement.summary }) });
  const result = await deps.store.settle(claim.lease, settlement);
  if (result.kind === "fenced") return await settleLost(lane, judged);
  await keepAgentCommits(lane, judged);
  await forgetBegun(lane);
  // Whoever waits in the room can merge onto this landing, and enter the room, before the branch follows.
  await lane.seat.aside(async () => await Promise.resolve());
  await follow(lane);
  // Its gates may begin before this lane looks for its next task.
  await lane.seat.aside(async () => await Promise.resolve());
  return { outcome: judged.outcome, task: result.task, commit };
}

/** L-23: the landing has one commit per task; the agent's own commits stay under a ref of the run. */
async function keepAgentCommits(lane: LaneState, { claim: { task }, effects }: Judged): Promise<void> {
  const { deps } = lane;
  if ((await agentHeadOf(lane, effects)) === undefined) await dropWork(deps.home, task.id);
  else await renameWork(deps.home, task.id, savedRef(deps.runId, task.id));
}

/** Remembers a proven task for the final check. */
export function rememberSettled(
  { run }: LaneState,
  { claim, claimCheck, rated }: Judged<Claim | undefined>,
  { outcome }: Settled,
): boolean {
  if (claim === undefined || claimCheck === undefined || rated === undefined || outcome !== "verified") return false;
  const { strength } = rated;
  run.settled.push({ task: claim.task, strength, tree: claimCheck.built.tree, gates: claimCheck.gates });
  return true;
}

/** Somebody moved the landing ref while the gates ran, so the proven tree no longer fits. The next iteration verifies again. */
async function settleMoved(lane: LaneState, judged: Judged): Promise<Settled> {
  const text = `${lane.deps.target.ref} moved while the gates ran, so nothing landed; ralphctl verifies the work again`;
  warn(lane, text);
  lane.run.landing = (await readLanding(lane.deps.home, lane.deps.target)) ?? lane.run.landing;
  await keepSessionWork(lane, judged.claim.task, judged.effects);
  await forgetBegun(lane);
  const settlement = { ...settlementOf(lane, judged, "unfinished"), reason: text };
  const result = await lane.deps.store.settle(judged.claim.lease, settlement);
  if (result.kind === "fenced") return await settleLost(lane, judged);
  return { outcome: "unfinished", task: result.task, commit: undefined };
}

async function settleUnverified(lane: LaneState, judged: Judged): Promise<Settled> {
  const { deps } = lane;
  const { claim, outcome } = judged;
  // The task's work ref is another run's then.
  if ((await deps.store.heartbeat(claim.lease)) === "fenced") return await settleLost(lane, judged);
  const isLast = await isLastIteration(lane, judged);
  const settlement = settlementOf(lane, judged, outcome);
  // Before the task is free for others (L-07).
  await keepSessionWork(lane, claim.task, judged.effects);
  if (judged.asksIfDone === true) await rememberQuestion(deps.store, claim.task.id, judged.question!);
  const result = await deps.store.settle(
    claim.lease,
    isLast ? { ...settlement, ...outOfIterations(lane) } : settlement,
  );
  if (result.kind === "fenced") return await settleLost(lane, judged);
  const { task } = result;
  if (task.status === "failed" && !task.retry) await shelveWork(lane, task, "the task failed");
  // D-11: some plan formats have marks for failed and parked tasks.
  if (task.status === "failed" || task.status === "parked") await restoreMark(lane, task);
  await forgetBegun(lane);
  return { outcome, task, commit: undefined };
}

/** Another run has the task, and this iteration does not count. Its work is under a ref of this run. */
async function settleLost(lane: LaneState, { claim, effects }: Judged): Promise<Settled> {
  warn(lane, "Another run took the task over, so this iteration does not count");
  await shelveLostWork(lane, claim.task, effects);
  await forgetBegun(lane);
  return { outcome: "lost", task: undefined, commit: undefined };
}

function settlementOf({ deps }: LaneState, judged: Judged, outcome: IterationOutcome): Settlement {
  const { isAttempt, to } = OUTCOME_RULES[outcome];
  const { session, rated, claimCheck } = judged;
  const evidence = rated === undefined ? claimCheck?.evidence : undefined;
  const record: AttemptRecord = { v: 1, ...judged.record, ...(evidence !== undefined && { evidence }) };
  // What is kept of a session is shown and exported later (B-05).
  const { redact } = deps.hooks;
  const safe = (text: string | undefined): string | undefined => text && redact(text);
  return {
    outcome,
    to,
    counted: isAttempt,
    attemptLimit: deps.rules.attempts,
    reason: safe(judged.reason),
    question: safe(judged.question),
    summary: safe(judged.summary),
    costUsd: judged.costUsd,
    tokens: judged.tokens,
    session: session.sessionId,
    details: mapStrings(record, redact),
  };
}

/** P-20: the total of iterations per task is limited. Those that a limit, an outage or a person ended do not count. */
async function isLastIteration(
  { deps, run }: LaneState,
  { claim: { task }, outcome, earlier }: Judged,
): Promise<boolean> {
  const { to, isIteration } = OUTCOME_RULES[outcome];
  // A goal has no such limit: D-12 detects a lack of progress.
  if (run.isOneTask || deps.goal?.task === task.id) return false;
  if (to !== "pending" || !isIteration || outcome === "stopped" || outcome === "lost") return false;
  const limit = deps.rules.iterationsPerTask;
  if (earlier.length + 1 < limit) return false;
  const counts = (name: string | undefined): boolean =>
    name === undefined ||
    !["limited", "outage", "overflow", "login", "model", "stopped", "lost", "released"].includes(name);
  const attempts = await attemptsSoFar(deps.store, task.id);
  return attempts.filter(({ outcome: name }) => counts(name)).length >= limit;
}

const outOfIterations = ({ deps }: LaneState): Partial<Settlement> => ({
  to: "failed",
  final: true,
  reason: `Not done after ${deps.rules.iterationsPerTask} iterations`,
});

/** L-23: the agent's own message if it made exactly one commit. */
async function messageOf({ deps, base }: LaneState, { claim, iteration, rated, effects }: Judged): Promise<string> {
  const own = await soleMessage(deps.home, { from: base.head!, to: effects.now.head! });
  const [subject = "", ...lines] = own?.split("\n") ?? [claim.task.title];
  const look = rated?.look.map((reason) => `Look at it first: ${reason}.`) ?? [];
  const message = commitMessage({
    subject: subject.trim() || claim.task.title,
    body: [
      lines
        .filter((line) => !/^Ralph-/i.test(line))
        .join("\n")
        .trim(),
      ...look,
    ]
      .filter((text) => text !== "")
      .join("\n\n"),
    trailers: {
      "Ralph-Task": claim.task.id,
      "Ralph-Run": deps.runId,
      "Ralph-Iteration": String(iteration),
      "Ralph-Proof": `${rated?.strength ?? "look"}${deps.room.isLane === true ? `, ${AS_THEY_LAY}` : ""}`,
    },
  });
  return deps.hooks.redact(message);
}

/** Replaces a mark of a claim in the plan file with the status of the task. */
export async function restoreMark(lane: LaneState, task: Task): Promise<void> {
  const { problems } = await asOwnWrite(lane, async () => await lane.deps.plans.mark(task, "is"));
  for (const text of problems) warn(lane, text);
}
