import { relative } from "node:path";
import { harnessFailure, type Interpretation, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { IterationOutcome } from "../domain/run/outcome.ts";
import { readAttemptRecord } from "../domain/run/attempt-record.ts";
import type { WorkLeft } from "../domain/run/policy.ts";
import { totalTokens } from "../domain/usage.ts";
import { cutStart } from "../domain/prompt/cut.ts";
import { stripSigils } from "../domain/sigil/read-sigils.ts";
import { describeReason, rejectionReport } from "../domain/verdict-report.ts";
import type { Claim } from "../store/store.ts";
import { attemptsSoFar } from "./attempts-so-far.ts";
import { type TaskBrief, wasTooLong } from "./gather.ts";
import { type Attempted, type IterationSetting, taskEnv } from "./iteration.ts";
import { countNewTasks } from "./new-tasks.ts";
import { ruleGoal } from "./rule-goal.ts";
import type { RunState } from "./run-state.ts";
import type { SessionEnd } from "./session.ts";
import type { SessionEffects } from "./session-effects.ts";
import { absentReviewer, verify, type Verified } from "./verify.ts";
import { isComplete, workLeft } from "./work-left.ts";

export interface AttemptFindings {
  readonly claim: Claim;
  readonly setting: IterationSetting;
  readonly brief: TaskBrief;
  readonly session: SessionEnd;
  readonly effects: SessionEffects;
  readonly said: Interpretation;
}

type Ruling = Pick<Attempted, "outcome"> &
  Partial<Pick<Attempted, "reason" | "question" | "summary" | "proven" | "verified" | "wasMarked">> & {
    readonly report?: string;
    readonly noChange?: true;
    readonly notes?: readonly string[];
  };

/** What an attempt comes to: a session without a claim speaks for itself, a claim is verified. */
export async function judgeAttempt(state: RunState, evidence: AttemptFindings): Promise<Attempted> {
  const ruling = await rule(state, evidence);
  const { deps } = state;
  const { claim, setting, brief, session, effects, said } = evidence;
  const { report, noChange, notes = [], ...rest } = ruling;
  const failure = harnessFailure(session.outcome);
  const { usage } = session;
  const costs = [usage.costUsd, ruling.verified?.costUsd].filter((cost) => cost !== undefined);
  const results = ruling.verified?.results ?? [];
  return {
    wasMarked: effects.followed.claims.length > 0,
    ...rest,
    session,
    said,
    earlier: brief.earlier.length,
    record: {
      folder: relative(deps.root, setting.folder),
      harness: setting.agent.name,
      notes: [...said.notes, ...effects.notes, ...notes],
      ...(setting.model !== undefined && { model: setting.model }),
      ...(report !== undefined && { report }),
      ...(noChange && { noChange }),
      ...(failure !== undefined && { harnessFailure: failure }),
    },
    damage: effects.damage,
    costUsd: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    tokens: totalTokens(usage) + (ruling.verified?.tokens ?? 0),
    isEstimated: usage.isEstimated || ruling.verified?.isEstimated === true,
    fingerprint: [
      claim.task.id,
      effects.now.tree,
      results.map(({ gate, passed }) => `${gate.id}=${passed}`).join(","),
      await countNewTasks(deps.store, deps.run),
    ].join(" "),
  };
}

async function rule(state: RunState, evidence: AttemptFindings): Promise<Ruling> {
  const { session, effects, said, setting } = evidence;
  const isStopped = state.deps.stop.aborted || setting.signal.aborted || session.isOverBudget;
  const canShorten = !wasTooLong(evidence.brief);
  const early = outcomeWithoutClaim(session.outcome, { hasChanged: effects.hasChanged, isStopped, canShorten });
  if (early !== undefined) return { outcome: early, reason: harnessFailure(session.outcome) };
  const isGoal = evidence.claim.task.id === state.deps.goal?.task;
  const planned = isGoal ? await ruleGoal(state, evidence) : undefined;
  if (planned !== undefined) return planned;
  if (said.claim === "done") return await ruleClaim(state, evidence);
  const words = cutStart(stripSigils(said.text), LONGEST_REASON);
  if (said.claim === "failure") return { outcome: "failure", reason: words || "The agent gave no reason" };
  if (said.claim === "failed") return { outcome: "gave-up", reason: words || "The agent gave no reason" };
  if (said.claim === "parked") return { outcome: "parked", question: words || "The agent asked for a person" };
  const outcome: IterationOutcome = effects.hasChanged ? "unfinished" : "idle";
  return {
    outcome,
    reason: effects.hasChanged ? "No claim, but the work went on" : "No claim, and nothing was changed",
  };
}

const LONGEST_REASON = 4000;
const LONGEST_SUMMARY = 4000;

async function ruleClaim(state: RunState, evidence: AttemptFindings): Promise<Ruling> {
  const { deps } = state;
  const { claim, setting, effects, said, session } = evidence;
  const { iteration } = setting;
  const isEarly = iteration < deps.rules.minIterations;
  // Counting takes long where there are very many tasks: only where it matters.
  const left = isEarly || said.promisesAll ? await workLeft(state, claim.task.id) : undefined;
  // What failed or waits for a person does not keep a run going; what is held up may be waiting for this very task.
  if (isEarly && left !== undefined && left.ready + left.blocked === 0) {
    const note = `The claim in iteration ${iteration} was deferred: the run goes on until iteration ${deps.rules.minIterations}. Look for what could still be better, then claim again.`;
    deps.emit({ type: "verdict.reached", iteration, verdict: "deferred", reasons: [note] });
    return { outcome: "deferred", reason: note, notes: [note] };
  }
  if (effects.damage !== undefined) {
    deps.emit({ type: "verdict.reached", iteration, verdict: "rejected", reasons: [effects.damage] });
    return { outcome: "rejected", reason: effects.damage, report: effects.damage };
  }
  const attempts = evidence.brief.earlier.length === 0 ? [] : await attemptsSoFar(deps.store, claim.task.id);
  const verified = await verify(state, {
    iteration,
    task: claim.task,
    folder: setting.folder,
    effects,
    env: taskEnv(claim, iteration),
    summary: summaryOf(said),
    earlierNoChange: attempts.filter(({ details }) => readAttemptRecord(details)?.noChange === true).length,
    spent: session.usage,
  });
  state.work.last = verified.after;
  const others = left === undefined ? undefined : withoutGoal(state, left);
  const notes = said.promisesAll && others !== undefined && !isComplete(others) ? [PROMISE_NOTE] : [];
  for (const note of notes) deps.emit({ type: "protocol.broken", iteration, note });
  return { ...judged(state, evidence, verified), wasMarked: true, notes };
}

/** The goal of a sprint waits for all of its steps: it is not one of those that are left. */
const withoutGoal = ({ deps }: RunState, left: WorkLeft): WorkLeft =>
  deps.goal === undefined ? left : { ...left, blocked: Math.max(0, left.blocked - 1) };

const PROMISE_NOTE = "You promised that everything is complete, but there are tasks left that are not done.";

function judged(state: RunState, { setting, said }: AttemptFindings, verified: Verified): Ruling {
  const { verdict, built } = verified;
  const tell = (reasons: readonly string[]): void => {
    const { iteration } = setting;
    state.deps.emit({ type: "verdict.reached", iteration, verdict: verdict.kind, reasons, tree: built.tree });
  };
  if (verdict.kind === "undecided") {
    const absent = absentReviewer(verified);
    const reason = absent && `The reviewer gave no answer: ${harnessFailure(absent.ended)}`;
    tell([reason ?? "The gates were stopped"]);
    return absent === undefined ? { outcome: "stopped", verified } : { outcome: absent.outcome, reason, verified };
  }
  if (verdict.kind === "parked") {
    tell([verdict.question]);
    return { outcome: "parked", question: verdict.question, verified };
  }
  if (verdict.kind === "rejected") {
    const reasons = verdict.reasons.map(describeReason);
    tell(reasons);
    const isNoChange = verdict.reasons.some(({ kind }) => kind === "no change");
    const report = rejectionReport(verdict.reasons);
    return { outcome: "rejected", reason: reasons.join("; "), report, verified, ...(isNoChange && { noChange: true }) };
  }
  const agents = verdict.agentsGates.length > 0 ? [`written by the agent: ${verdict.agentsGates.join(", ")}`] : [];
  tell([PROOFS[verdict.proof], ...agents]);
  const summary = summaryOf(said);
  return {
    outcome: "verified",
    ...(summary !== undefined && { summary }),
    verified,
    proven: { built, now: verified.now, verified, proof: verdict.proof },
  };
}

const summaryOf = (said: Interpretation): string | undefined =>
  cutStart(said.completion || stripSigils(said.text), LONGEST_SUMMARY) || undefined;

const PROOFS = {
  gates: "proven by the gates",
  "the agent's own gates": "only gates that the agent wrote have passed, so it is unverified",
  none: "there is no gate, so it is unverified",
} as const;
