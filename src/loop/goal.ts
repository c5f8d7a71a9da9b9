import type { SprintMode } from "../domain/prompt/sprint.ts";
import { goalMode } from "../domain/run/goal-mode.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import type { TaskId } from "../domain/task.ts";
import type { Claim } from "../store/store.ts";
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

export const STEPS_LEFT =
  "You said that the goal is achieved, but some steps are not done. The goal is achieved when none is left.";
