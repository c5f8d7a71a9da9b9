import { relative } from "node:path";
import { harnessFailure, interpret, type Interpretation, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { WorkLeft } from "../domain/run/policy.ts";
import { cutStart } from "../domain/prompt/cut.ts";
import { stripSigils } from "../domain/sigil/read-sigils.ts";
import { totalTokens } from "../domain/usage.ts";
import { describeReason, rejectionReport } from "../domain/verdict-report.ts";
import type { Claim } from "../store/store.ts";
import type { Attempted, Judged } from "./attempt.ts";
import { wasTooLong } from "./gather.ts";
import { countNewTasks } from "./new-tasks.ts";
import { goalOutcome } from "./goal.ts";
import type { LaneState } from "./run-state.ts";
import { absentReviewer, summaryOf, verify, type ClaimCheck } from "./verify.ts";
import { isComplete, workLeft } from "./work-left.ts";

/** The outcome of an attempt, and the information for the next one. */
export type Ruling = Pick<Judged, "outcome"> &
  Partial<Pick<Judged, "reason" | "question" | "summary" | "claimCheck" | "proof" | "wasMarked">> & {
    readonly report?: string;
    readonly noChange?: true;
    readonly notes?: readonly string[];
  };

/** Steps 7 and 8: reads what the agent said, and verifies a claim. */
export async function judgeTask(lane: LaneState, attempt: Attempted): Promise<Judged> {
  return await judgeClaim(lane, attempt, await interpretChannels(lane, attempt));
}

export async function judgeClaim(lane: LaneState, attempt: Attempted, said: Interpretation): Promise<Judged> {
  return await withCosts(lane, { ...attempt, said }, await decideOutcome(lane, attempt, said));
}

/** Step 7: reads all channels on which the agent may have made a claim. */
async function interpretChannels(
  { deps }: LaneState,
  { claim, iteration, session, effects }: Attempted,
): Promise<Interpretation> {
  const { id } = claim.task;
  const markedPlan = effects.followed.claims.some((marked) => marked.id === id);
  const heard = interpret(
    { ...session, command: effects.command, markedPlan },
    {
      // Prompts never contain the id of a goal.
      taskId: id === deps.goal?.task ? undefined : id,
      promise: deps.rules.promise,
      hasGoal: deps.goal !== undefined,
    },
  );
  const mayAsk = heard.claim === "none" && session.outcome.kind === "done" && !deps.stop.aborted;
  const isDone = mayAsk && (await deps.attend?.isDone(claim.task)) === true;
  const said: Interpretation = isDone ? { ...heard, claim: "done", channel: "person" } : heard;
  if (said.claim !== "none") deps.emit({ type: "claim.made", iteration, claim: said.claim, channel: said.channel });
  for (const note of [...said.notes, ...effects.notes]) deps.emit({ type: "protocol.broken", iteration, note });
  return said;
}

/** Adds the costs and the record to the outcome. */
export async function withCosts<Assigned extends Claim | undefined>(
  { deps }: LaneState,
  attempt: Attempted<Assigned> & Pick<Judged, "said">,
  ruling: Ruling,
): Promise<Judged<Assigned>> {
  const { claim, folder, agent, model, session, effects, said } = attempt;
  const { report, noChange, notes = [], ...rest } = ruling;
  const failure = harnessFailure(session.outcome);
  const { usage } = session;
  const { claimCheck } = ruling;
  const costs = [usage.costUsd, claimCheck?.costUsd].filter((cost) => cost !== undefined);
  return {
    ...attempt,
    wasMarked: effects.followed.claims.length > 0,
    ...rest,
    record: {
      folder: relative(deps.root, folder),
      harness: agent.name,
      notes: [...said.notes, ...effects.notes, ...notes],
      ...(model !== undefined && { model }),
      ...(report !== undefined && { report }),
      ...(noChange && { noChange }),
      ...(failure !== undefined && { harnessFailure: failure }),
    },
    costUsd: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    tokens: totalTokens(usage) + (claimCheck?.tokens ?? 0),
    isEstimated: usage.isEstimated || claimCheck?.isEstimated === true,
    fingerprint: [
      effects.now.tree,
      (claimCheck?.results ?? []).map(({ gate, passed }) => `${gate.id}=${passed}`).join(","),
      claim === undefined ? 0 : await countNewTasks(deps.store, deps.runId),
    ].join(" "),
  };
}

async function decideOutcome(lane: LaneState, attempt: Attempted, said: Interpretation): Promise<Ruling> {
  const { claim, session, effects, lost } = attempt;
  const isStopped = lane.deps.stop.aborted || lost?.aborted === true || session.isOverBudget;
  const canShorten = !wasTooLong(attempt);
  const early = outcomeWithoutClaim(session.outcome, { hasChanged: effects.hasChanged, isStopped, canShorten });
  if (early !== undefined) return { outcome: early, reason: harnessFailure(session.outcome) };
  const planned = claim.task.id === lane.deps.goal?.task ? await goalOutcome(lane, claim, said) : undefined;
  if (planned !== undefined) return planned;
  if (said.claim === "done") return await verifyClaim(lane, attempt, said);
  const words = cutStart(stripSigils(said.text), LONGEST_REASON);
  if (said.claim === "failure") return { outcome: "failure", reason: words || "The agent gave no reason" };
  if (said.claim === "failed") return { outcome: "gave-up", reason: words || "The agent gave no reason" };
  if (said.claim === "parked") return { outcome: "parked", question: words || "The agent asked for a person" };
  return effects.hasChanged
    ? { outcome: "unfinished", reason: "No claim, but the session changed files" }
    : { outcome: "idle", reason: "No claim, and nothing changed" };
}

const LONGEST_REASON = 4000;

/** Defers a claim that comes too early, and verifies all others. */
async function verifyClaim(lane: LaneState, attempt: Attempted, said: Interpretation): Promise<Ruling> {
  const { deps, run } = lane;
  const { claim, iteration } = attempt;
  const { minIterations } = deps.rules;
  const isEarly = iteration < minIterations;
  // Counting is slow with very many tasks, so do it only if the count matters.
  const left = isEarly || said.promisesAll ? await workLeft(run, claim.task.id) : undefined;
  // Failed and waiting tasks do not keep a run going, but blocked ones may wait for this task.
  if (isEarly && left !== undefined && left.ready + left.blocked === 0) {
    const note = `The claim in iteration ${iteration} was deferred: the run goes on until iteration ${minIterations}. Look for further improvements, then claim again.`;
    deps.emit({ type: "verdict.reached", iteration, verdict: "deferred", reasons: [note] });
    return { outcome: "deferred", reason: note, notes: [note] };
  }
  const claimCheck = await verify(lane, attempt, said);
  const others = left === undefined ? undefined : withoutGoal(lane, left);
  const notes = said.promisesAll && others !== undefined && !isComplete(others) ? [PROMISE_NOTE] : [];
  for (const note of notes) deps.emit({ type: "protocol.broken", iteration, note });
  return { ...rulingFromVerdict(lane, { iteration, said, claimCheck }), claimCheck, wasMarked: true, notes };
}

/** The goal of a sprint is blocked by its own steps, so it does not count as work left. */
const withoutGoal = ({ deps }: LaneState, left: WorkLeft): WorkLeft =>
  deps.goal === undefined ? left : { ...left, blocked: Math.max(0, left.blocked - 1) };

const PROMISE_NOTE = "You promised that everything is complete, but there are tasks left that are not done.";

interface Verification {
  readonly iteration: number;
  readonly said: Interpretation;
  readonly claimCheck: ClaimCheck;
}

function rulingFromVerdict({ deps }: LaneState, { iteration, said, claimCheck }: Verification): Ruling {
  const { verdict, built } = claimCheck;
  const report = (reasons: readonly string[]): void =>
    deps.emit({ type: "verdict.reached", iteration, verdict: verdict.kind, reasons, tree: built.tree });
  if (verdict.kind === "undecided") {
    const absent = absentReviewer(claimCheck);
    const reason = absent && `The reviewer gave no answer: ${harnessFailure(absent.ended)}`;
    report([reason ?? "The gates were stopped"]);
    return absent === undefined ? { outcome: "stopped" } : { outcome: absent.outcome, reason };
  }
  if (verdict.kind === "parked") {
    report([verdict.question]);
    return { outcome: "parked", question: verdict.question };
  }
  if (verdict.kind === "rejected") {
    const reasons = verdict.reasons.map(describeReason);
    report(reasons);
    const isNoChange = verdict.reasons.some(({ kind }) => kind === "no change");
    const rejection = { reason: reasons.join("; "), report: rejectionReport(verdict.reasons) };
    return { outcome: "rejected", ...rejection, ...(isNoChange && { noChange: true }) };
  }
  const agents = verdict.agentsGates.length > 0 ? [`written by the agent: ${verdict.agentsGates.join(", ")}`] : [];
  report([PROOFS[verdict.proof], ...agents]);
  const summary = summaryOf(said);
  return { outcome: "verified", ...(summary !== undefined && { summary }), proof: verdict.proof };
}

const PROOFS = {
  gates: "proven by the gates",
  "the agent's own gates": "only gates that the agent wrote have passed, so it is unverified",
  none: "there is no gate, so it is unverified",
} as const;
