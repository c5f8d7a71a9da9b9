import { join } from "node:path";
import { commitMessage } from "../domain/commit-message.ts";
import { isOutOfIdeas } from "../domain/run/goal-mode.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import { dropWork } from "../system/git/work-ref.ts";
import { OUTCOME_RULES } from "../domain/run/outcome.ts";
import { defaultIterations } from "../domain/run/policy.ts";
import { NOTHING_USED } from "../domain/usage.ts";
import type { Judged } from "./attempt.ts";
import type { End } from "./decide.ts";
import { gatherTask } from "./gather.ts";
import { STEPS_LEFT } from "./goal.ts";
import { judgeClaim } from "./judge-attempt.ts";
import { claimTask, withLease } from "./lease.ts";
import { landPlan } from "./land-plan.ts";
import { type LaneState, spend, tell } from "./run-state.ts";
import { rememberSettled, settle, type Settled } from "./settle.ts";
import { noEffects } from "./session-effects.ts";
import { workLeft } from "./work-left.ts";

/** After an iteration of a sprint with a goal: keeps planned steps, and checks a claim of the goal. */
export async function afterSprint(lane: LaneState, judged: Judged, settled: Settled): Promise<End | undefined> {
  const { goal } = lane.deps;
  if (goal === undefined) return undefined;
  if (judged.claim.task.id === goal.task) return await afterGoal(lane, judged, settled);
  lane.run.idle = 0;
  if (judged.said.completion !== undefined && settled.outcome === "verified") await claimGoal(lane, judged);
  return undefined;
}

/** D-12: an agent that repeatedly finds no step and does not claim the goal is stuck. */
async function afterGoal(lane: LaneState, judged: Judged, { outcome }: Settled): Promise<End | undefined> {
  const { deps, run } = lane;
  if (outcome === "verified" || !OUTCOME_RULES[outcome].isIteration) return undefined;
  // The goal needs every step, so it is blocked while one is open.
  const hasSteps = (await deps.store.get(deps.goal!.task))?.blocked === true;
  if (outcome === "planned" || hasSteps) await keepSteps(lane, judged);
  if (hasSteps) await allowSteps(lane);
  // A deferred claim does not count as an iteration without a new step.
  if (outcome !== "deferred") run.idle = hasSteps ? 0 : run.idle + 1;
  if (!isOutOfIdeas(run.idle, deps.goal!.idleThreshold)) return undefined;
  const reason = `${run.idle} iterations in a row found no step to add and did not achieve the goal`;
  return { brokeOff: "stuck", reason };
}

/** P-42: nobody could count the steps at the start. A run that plans without end reaches `limits.newTasks`. */
async function allowSteps({ run, deps }: LaneState): Promise<void> {
  if (deps.rules.iterations !== undefined) return;
  const { ready, blocked } = await workLeft(run);
  const enough = run.counted + defaultIterations({ mode: "build", tasks: ready + blocked });
  run.iterations = Math.max(run.iterations, enough);
}

/** As in plan mode (P-04): commits the steps and shelves the other changes. */
async function keepSteps(lane: LaneState, { iteration, effects }: Judged): Promise<void> {
  const { deps } = lane;
  const message = commitMessage({ subject: "Plan the sprint", trailers: { "Ralph-Run": deps.runId } });
  const { shelved } = await landPlan(lane, { effects, message, iteration });
  await dropWork(deps.home, deps.goal!.task);
  for (const note of shelved) deps.emit({ type: "protocol.broken", iteration, note });
  lane.lateNotes = shelved;
}

/** D-12: the agent claimed the goal with the last step. ralphctl verifies that claim like any other. */
async function claimGoal(lane: LaneState, step: Judged): Promise<void> {
  const { deps, run } = lane;
  const claim = await claimTask(lane, { only: [deps.goal!.task], iteration: step.iteration });
  if (claim === undefined) {
    lane.lateNotes = [STEPS_LEFT];
    return;
  }
  await withLease(lane, claim, async (lost) => {
    const { earlier } = await gatherTask(deps.store, claim.task, deps.rules);
    // The step's iteration has already counted this session and its effects. Only the claim is left.
    const said: Interpretation = { ...step.said, claim: "done", promisesAll: false, notes: [] };
    const session = { ...step.session, usage: NOTHING_USED };
    const folder = join(step.folder, "goal");
    const { iteration, startedMs, agent, model } = step;
    const effects = noEffects(lane.base);
    const judged = await judgeClaim(
      lane,
      { iteration, startedMs, agent, model, claim, earlier, lost, folder, session, effects },
      said,
    );
    // Only a review costs anything here.
    if (judged.claimCheck?.review !== undefined) spend(run, judged);
    const settled = await settle(lane, judged);
    rememberSettled(lane, judged, settled);
    if (settled.outcome === "verified")
      tell(lane, "The agent claimed the goal with the last step, and the claim is verified");
  });
}
