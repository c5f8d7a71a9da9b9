import { commitMessage } from "../domain/commit-message.ts";
import { harnessFailure, interpret, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { Attempted, Judged } from "./attempt.ts";
import { beginBuilding } from "./begin.ts";
import type { End } from "./decide.ts";
import { toJudged } from "./judge-attempt.ts";
import { keepPlanOnly } from "./plan-tree.ts";
import type { Assignment } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";
import type { Settled } from "./settle.ts";
import { hasReady, workLeft } from "./work-left.ts";

/** P-04: the plan is done if the agent ended normally, the plan files parse, and there is an open task. */
export async function judgePlan(lane: LaneState, attempt: Attempted<undefined>): Promise<Judged<undefined>> {
  const { deps } = lane;
  const { session, effects } = attempt;
  const said = interpret({ ...session, command: undefined, markedPlan: false }, { promise: deps.rules.promise });
  const isStopped = deps.stop.aborted || session.isOverBudget;
  const early = outcomeWithoutClaim(session.outcome, { hasChanged: effects.hasChanged, isStopped, canShorten: false });
  const missing = effects.followed.problems[0] ?? ((await hasReady(lane.run)) ? undefined : NO_TASKS);
  const judged = missing === undefined ? "verified" : "rejected";
  const outcome = early ?? (said.claim === "failure" ? "failure" : judged);
  return await toJudged(lane, { ...attempt, said }, { outcome, reason: missing });
}

const NO_TASKS = "The plan has no open task to work on";

/** Commits the plan and shelves all other changes of the session. */
export async function settlePlan(lane: LaneState, judged: Judged<undefined>): Promise<Settled> {
  const { deps } = lane;
  const { iteration, effects, said, outcome, reason: missing, session } = judged;
  const message = commitMessage({ subject: "Plan the work", trailers: { "Ralph-Run": deps.runId } });
  const commitWith = outcome === "verified" ? message : undefined;
  const { commit, shelved } = await keepPlanOnly(lane, { effects, commitWith, iteration });
  const notes = [...said.notes, ...effects.notes.filter((note) => note !== missing), ...shelved];
  for (const note of notes) deps.emit({ type: "protocol.broken", iteration, note });
  const failure = harnessFailure(session.outcome);
  lane.planNotes = {
    notes,
    ...(outcome === "rejected" && missing !== undefined && { validationFailure: missing }),
    ...(failure !== undefined && { harnessFailure: failure }),
  };
  return { outcome, task: undefined, commit, needsPerson: undefined };
}

/** An accepted plan ends the run, or starts building in the same run. */
export async function afterPlan(
  lane: LaneState,
  { outcome }: Settled,
  { buildsAfterPlan }: Assignment,
): Promise<End | undefined> {
  if (outcome !== "verified") return undefined;
  if (!buildsAfterPlan) return { isPlanned: true, reason: "The plan is written" };
  return await beginBuilding(lane, (await workLeft(lane.run)).ready);
}
