import { posix, relative } from "node:path";
import { harnessFailure, interpret, type Interpretation, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { WorkLeft } from "../domain/run/policy.ts";
import { cutStart } from "../domain/prompt/cut.ts";
import { otherNotes } from "../domain/run/claim.ts";
import { stripSigils } from "../domain/sigil/read-sigils.ts";
import { describeStrength } from "../domain/strength.ts";
import { addCosts, costOf } from "../domain/usage.ts";
import type { TaskId } from "../domain/task.ts";
import { allowable, describeReason, namesInLine, rejectionReport } from "../domain/verdict-report.ts";
import type { Reason } from "../domain/verdict.ts";
import type { AttemptRecord } from "../domain/run/attempt-record.ts";
import type { Claim } from "../store/store.ts";
import type { Attempted, Judged } from "./attempt.ts";
import { wasTooLong } from "./gather.ts";
import { countNewTasks } from "./new-tasks.ts";
import { EMPTY_GOAL, goalOutcome, isEmptyGoal } from "./goal.ts";
import { proveClaim } from "./prove-claim.ts";
import type { LaneState } from "./run-state.ts";
import { isWholeScope, namedOthers } from "./said-done.ts";
import { markNotes } from "./session-effects.ts";
import { absentReviewer, summaryOf, type ClaimCheck } from "./verify.ts";
import { isComplete, workLeft } from "./work-left.ts";

/** The outcome of an attempt, and the information for the next one. */
export type Ruling = Pick<Judged, "outcome"> &
  Partial<Pick<Judged, "reason" | "question" | "asksIfDone" | "summary" | "claimCheck" | "rated">> & {
    readonly report?: string;
    readonly noChange?: true;
    readonly ask?: AttemptRecord["ask"];
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
async function interpretChannels(lane: LaneState, attempt: Attempted): Promise<Interpretation> {
  const { deps } = lane;
  const { claim, iteration, session, effects } = attempt;
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
  const claimed: Interpretation = isDone ? { ...heard, claim: "done", channel: "person" } : heard;
  const said = await withOthers(lane, attempt, claimed);
  if (said.claim !== "none") deps.emit({ type: "claim.made", iteration, claim: said.claim, channel: said.channel });
  for (const note of [...said.notes, ...effects.notes]) deps.emit({ type: "protocol.broken", iteration, note });
  return said;
}

/** T-23: finds out which other tasks a session claims. One that claims the whole scope does not break the protocol. */
async function withOthers(lane: LaneState, attempt: Attempted, said: Interpretation): Promise<Interpretation> {
  const { rules } = lane.deps;
  const { iteration, session } = attempt;
  const others = session.outcome.kind === "done" ? await namedOthers(lane, attempt, said) : [];
  const mayClaim = rules.together && !rules.demands.isStrict && iteration >= rules.minIterations;
  const isPromised = mayClaim && said.promised === true && said.claim === "done";
  const isWhole = isPromised && (await isWholeScope(lane, others, attempt));
  const about = otherNotes(said.others ?? [], attempt.claim.task.id);
  const notes = isWhole
    ? said.notes.filter((note) => !about.includes(note))
    : [...said.notes, ...markNotes(attempt.effects.followed)];
  return { ...said, others, notes, ...(isWhole && { isWhole }) };
}

/** Adds the costs and the record to the outcome. */
export async function withCosts<Assigned extends Claim | undefined>(
  { deps }: LaneState,
  attempt: Attempted<Assigned> & Pick<Judged, "said">,
  ruling: Ruling,
): Promise<Judged<Assigned>> {
  const { claim, folder, agent, model, session, effects, said } = attempt;
  const { report, noChange, ask, notes = [], ...rest } = ruling;
  const failure = harnessFailure(session.outcome);
  const { usage } = session;
  const { claimCheck } = ruling;
  const denied = ruling.outcome === "verified" ? [] : (session.denied ?? []);
  return {
    ...attempt,
    ...rest,
    ...(rest.reason !== undefined && { reason: [rest.reason, ...denied].join("; ") }),
    record: {
      folder: relative(deps.root, folder),
      harness: agent.name,
      notes: [...said.notes, ...effects.notes, ...notes, ...denied.map(denialNote)],
      ...(model !== undefined && { model }),
      ...(report !== undefined && { report }),
      ...(noChange && { noChange }),
      ...(ask && { ask }),
      ...(ruling.rated?.strength === "look" && claimCheck?.diff !== undefined && { look: claimCheck.diff }),
      ...(failure !== undefined && { harnessFailure: failure }),
    },
    ...(claimCheck?.took === undefined ? costOf(usage) : addCosts(costOf(usage), claimCheck.took)),
    fingerprint: [
      // What lands from other lanes is no progress of this task.
      claim === undefined ? effects.now.tree : JSON.stringify(effects.changes.map(({ path, after }) => [path, after])),
      (claimCheck?.results ?? []).map(({ gate, passed }) => `${gate.id}=${passed}`).join(","),
      claim === undefined ? 0 : await countNewTasks(deps.store, deps.runId),
    ].join(" "),
  };
}

/** P-20: the next session would try the same. */
const denialNote = (denied: string): string =>
  `In the last session, the settings of the agent did not allow a tool: ${denied} Work without it; if you cannot, say with <task-failed> which permission you need.`;

async function decideOutcome(lane: LaneState, attempt: Attempted, said: Interpretation): Promise<Ruling> {
  const { claim, session, effects, lost } = attempt;
  const isStopped = lane.deps.stop.aborted || lost?.aborted === true || session.isOverBudget;
  const canShorten = !wasTooLong(attempt);
  const early = outcomeWithoutClaim(session.outcome, { hasChanged: effects.hasChanged, isStopped, canShorten });
  if (early !== undefined) return { outcome: early, reason: harnessFailure(session.outcome) };
  const planned = claim.task.id === lane.deps.goal?.task ? await goalOutcome(lane, claim, said) : undefined;
  if (planned !== undefined) return planned;
  if (said.claim === "done" && effects.now.isGone === true) return rejectGone(lane, attempt);
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

/** The files are those of the base again, so that gates would say nothing about the session. */
function rejectGone({ deps, place }: LaneState, { iteration }: Attempted): Ruling {
  const reason = `${place.folder} was removed or replaced during the session, so there is no work to prove`;
  deps.emit({ type: "verdict.reached", iteration, verdict: "rejected", reasons: [reason] });
  return { outcome: "rejected", reason, report: `${reason}. Do it again, and keep the folder in which you work.` };
}

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
  if (await isEmptyGoal(lane, attempt)) {
    deps.emit({ type: "verdict.reached", iteration, verdict: "rejected", reasons: [EMPTY_GOAL.reason] });
    return EMPTY_GOAL;
  }
  const proven = await proveClaim(lane, attempt, said);
  if ("ruling" in proven) return proven.ruling;
  const { claimCheck } = proven;
  const ruling = rulingFromVerdict(lane, { iteration, task: claim.task.id, said, claimCheck });
  const others = left === undefined ? undefined : withoutGoal(lane, left);
  const isLeft = said.promisesAll && others !== undefined && !isComplete(others) && said.isWhole !== true;
  // Nothing is settled together with a claim that is rejected.
  const marks = said.isWhole && ruling.outcome !== "verified" ? markNotes(attempt.effects.followed) : [];
  const notes = [...(isLeft ? [PROMISE_NOTE] : []), ...marks];
  for (const note of notes) deps.emit({ type: "protocol.broken", iteration, note });
  return { ...ruling, claimCheck, notes: [...notes, ...askNotes(claimCheck)] };
}

/** The goal of a sprint is blocked by its own steps, so it does not count as work left. */
const withoutGoal = ({ deps }: LaneState, left: WorkLeft): WorkLeft =>
  deps.goal === undefined ? left : { ...left, blocked: Math.max(0, left.blocked - 1) };

const PROMISE_NOTE = "You promised that everything is complete, but there are tasks left that are not done.";

/** T-10: for the session that goes on after the answer. */
const askNotes = ({ verdict }: ClaimCheck): string[] =>
  verdict.kind !== "parked" || verdict.ask === undefined
    ? []
    : [
        `Your work changed files that decide how it is proven, or that act on the person's machine: ${namesInLine(verdict.ask.paths)}. Ralph asked a person. Keep such a change only if the answer allows it; otherwise restore these files and make the gates pass as they were.`,
      ];

interface Verification {
  readonly iteration: number;
  readonly task: TaskId;
  readonly said: Interpretation;
  readonly claimCheck: ClaimCheck;
}

function rulingFromVerdict({ deps }: LaneState, { iteration, task, said, claimCheck }: Verification): Ruling {
  const { verdict, built, diff } = claimCheck;
  const report = (reasons: readonly string[]): void =>
    deps.emit({
      type: "verdict.reached",
      iteration,
      verdict: verdict.kind,
      reasons,
      tree: built.tree,
      ...(diff !== undefined && { diff }),
    });
  if (verdict.kind === "undecided") {
    const absent = absentReviewer(claimCheck);
    const reason = absent && `The reviewer gave no answer: ${harnessFailure(absent.ended)}`;
    report([reason ?? "The gates were stopped"]);
    return absent === undefined ? { outcome: "stopped" } : { outcome: absent.outcome, reason };
  }
  if (verdict.kind === "parked") {
    report([verdict.question]);
    const { question, asksIfDone, ask } = verdict;
    const summary = ask === undefined ? undefined : summaryOf(said);
    return {
      outcome: "parked",
      question,
      ...(asksIfDone && { asksIfDone }),
      ...(ask && { ask: { paths: ask.paths, diff: ask.diff } }),
      ...(summary !== undefined && { summary }),
    };
  }
  if (verdict.kind === "rejected") {
    const reasons = verdict.reasons.map((reason) => describeReason(reason, task));
    report(reasons);
    const isNoChange = verdict.reasons.some(({ kind }) => kind === "no change");
    const rejection = { reason: reasons.join("; "), report: rejectionReport(verdict.reasons) };
    const ask = allowableIn(deps, verdict.reasons, diff);
    return { outcome: "rejected", ...rejection, ...(isNoChange && { noChange: true }), ...(ask && { ask }) };
  }
  const agents = verdict.agentsGates.length > 0 ? [`written by the agent: ${verdict.agentsGates.join(", ")}`] : [];
  report([describeStrength(verdict), ...agents]);
  const summary = summaryOf(said);
  const { strength, look, why } = verdict;
  return { outcome: "verified", ...(summary !== undefined && { summary }), rated: { strength, look, why } };
}

/** The files that `ralphctl task allow` lets a rejected task change, from the workspace. */
function allowableIn(
  { home, root }: LaneState["deps"],
  reasons: readonly Reason[],
  diff = "",
): AttemptRecord["ask"] | undefined {
  const above = relative(home.folder, root);
  const paths = allowable(reasons).map((path) => posix.relative(above, path));
  // Files that cannot be committed are not in the kept work.
  const isMore = reasons.some(({ kind }) => kind !== "protected" && kind !== "tests");
  return paths.length === 0 ? undefined : { paths, diff, ...(isMore && { isMore }) };
}
