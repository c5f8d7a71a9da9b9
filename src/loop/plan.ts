import { commitMessage } from "../domain/commit-message.ts";
import { harnessFailure, interpret, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { Attempted, Judged } from "./attempt.ts";
import { beginBuilding } from "./begin.ts";
import type { End } from "./decide.ts";
import { withCosts } from "./judge-attempt.ts";
import { landPlan } from "./land-plan.ts";
import { forgetBegun } from "./rescue.ts";
import type { LaneState } from "./run-state.ts";
import { markNotes } from "./session-effects.ts";
import type { Settled } from "./settle.ts";
import { hasReady, workLeft } from "./work-left.ts";

/** P-04: the plan is done if the agent ended normally, the plan files parse, and there is an open task. */
export async function judgePlan(lane: LaneState, attempt: Attempted<undefined>): Promise<Judged<undefined>> {
  const { deps } = lane;
  const { session, effects } = attempt;
  const heard = interpret({ ...session, command: undefined, markedPlan: false }, { promise: deps.rules.promise });
  const said = { ...heard, notes: [...heard.notes, ...markNotes(effects.followed)] };
  const isStopped = deps.stop.aborted || session.isOverBudget;
  const early = outcomeWithoutClaim(session.outcome, { hasChanged: effects.hasChanged, isStopped, canShorten: false });
  const missing = effects.followed.problems[0] ?? ((await hasReady(lane.run)) ? undefined : NO_TASKS);
  const planOutcome = missing === undefined ? "verified" : "rejected";
  const outcome = early ?? (said.claim === "failure" ? "failure" : planOutcome);
  const reason = early === undefined ? missing : (harnessFailure(session.outcome) ?? missing);
  return await withCosts(lane, { ...attempt, said }, { outcome, reason });
}

const NO_TASKS = "The plan has no open task to work on";

/** Lands the plan and shelves all other changes of the session. */
export async function settlePlan(lane: LaneState, judged: Judged<undefined>): Promise<Settled> {
  const { deps } = lane;
  const { iteration, effects, said, outcome, reason, record } = judged;
  const message = commitMessage({ subject: "Plan the work", trailers: { "Ralph-Run": deps.runId } });
  const landing = { effects, message: outcome === "verified" ? message : undefined, iteration };
  const { commit, shelved } = await landPlan(lane, landing);
  await forgetBegun(lane);
  const notes = [...said.notes, ...effects.notes.filter((note) => note !== reason), ...shelved];
  for (const note of notes) deps.emit({ type: "protocol.broken", iteration, note });
  lane.planNotes = {
    notes,
    ...(outcome === "rejected" && reason !== undefined && { validationFailure: reason }),
    ...(record.harnessFailure !== undefined && { harnessFailure: record.harnessFailure }),
  };
  return { outcome, task: undefined, commit };
}

/** An accepted plan ends the run, or starts building in the same run. */
export async function afterPlan(lane: LaneState, { outcome }: Settled): Promise<End | undefined> {
  if (outcome !== "verified") return undefined;
  if (!lane.run.buildsAfterPlan) return { isPlanned: true, reason: "The plan is written" };
  await beginBuilding(lane, (await workLeft(lane.run)).ready);
  return undefined;
}
