import type { SprintMode } from "../domain/prompt/sprint.ts";
import { matchesAny } from "../domain/glob.ts";
import { goalMode } from "../domain/run/goal-mode.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import { standingOf } from "../domain/standing.ts";
import type { TaskId } from "../domain/task.ts";
import type { Claim } from "../store/store.ts";
import type { Attempted } from "./attempt.ts";
import type { Ruling } from "./judge-attempt.ts";
import type { LaneState, RunState } from "./run-state.ts";
import { isComplete, workLeft } from "./work-left.ts";

/** The mode of an iteration in a sprint with a goal (S003-05); undefined in any other scope. */
export function sprintModeOf({ deps, idle }: RunState, task: TaskId): SprintMode | undefined {
  if (deps.goal === undefined) return undefined;
  return task === deps.goal.task ? goalMode(idle, deps.goal.idleThreshold) : "executing";
}

/** The outcome of an iteration that planned steps; undefined if the agent's claim decides. */
export async function goalOutcome(
  { run }: LaneState,
  { task }: Claim,
  said: Interpretation,
): Promise<Ruling | undefined> {
  if (said.claim !== "done" && said.claim !== "none") return undefined;
  // All of the sprint: a run of one step is about the goal alone.
  const hasSteps = !isComplete(await workLeft({ ...run, only: undefined }, task.id));
  if (said.claim === "none") return { outcome: "planned", reason: hasSteps ? "Steps were added" : "No step was added" };
  if (!hasSteps) return undefined;
  return { outcome: "planned", reason: "Steps were added", notes: [STEPS_LEFT] };
}

/** T-15: the claim of a goal without a verified step and without a change. Green gates alone say nothing about it. */
export async function isEmptyGoal({ deps }: LaneState, { claim, effects }: Attempted): Promise<boolean> {
  if (claim.task.id !== deps.goal?.task) return false;
  if (effects.changes.some(({ path }) => !matchesAny(deps.rules.notWork, path))) return false;
  for await (const step of deps.store.done({ scopes: [deps.scope] })) {
    if (step.id !== claim.task.id && standingOf(step).kind !== "unrecorded") return false;
  }
  return true;
}

const NO_WORK =
  "The goal was claimed, but no step of the sprint is done and nothing has changed. Add steps, or do the work.";

export const EMPTY_GOAL = { outcome: "rejected", reason: NO_WORK, report: NO_WORK, noChange: true } as const;

export const STEPS_LEFT =
  "You said that the goal is achieved, but some steps are not done. The goal is achieved when none is left.";
