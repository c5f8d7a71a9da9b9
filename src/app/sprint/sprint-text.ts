import { buildPhasePrompt } from "../../domain/prompt/phase.ts";
import { buildSprintPrompt, type SprintMode, type SprintStep } from "../../domain/prompt/sprint.ts";
import { isSettled, type Task, type TaskId } from "../../domain/task.ts";
import type { OpenSprint } from "./open-sprint.ts";
import { promptOf, type StepsPlace } from "./write-steps.ts";

export interface SprintTextRequest {
  readonly mode: SprintMode | undefined;
  readonly iteration: number;
  /** The step or phase that is assigned. */
  readonly task: TaskId | undefined;
}

export interface SprintTextPlace extends Pick<StepsPlace, "store" | "scope" | "goal"> {
  readonly sprint: OpenSprint;
}

/** The prompt of a sprint's iteration, which replaces the prompt file (D-13). */
export async function sprintText(place: SprintTextPlace, request: SprintTextRequest): Promise<string> {
  const { sprint, goal } = place;
  const { definition, folder } = sprint;
  const { mode = "planning", iteration, task } = request;
  const steps = await stepsOf(place);
  const current = steps.find((step) => step.task === task);
  if (goal === undefined) {
    const phases = steps.length;
    const number = current === undefined ? phases : steps.indexOf(current) + 1;
    return buildPhasePrompt({ id: definition.id, goal: definition.goal, iteration, phase: current, number, phases });
  }
  const { id, goal: text, goalPrompt, reflectionPrompt } = definition;
  const state = { id, directory: folder, goal: text, steps, iteration, goalPrompt, reflectionPrompt };
  return buildSprintPrompt(mode, { ...state, ...(current !== undefined && { current: current.id }) });
}

interface Step extends SprintStep {
  readonly task: TaskId;
}

async function stepsOf({ store, scope, goal }: SprintTextPlace): Promise<Step[]> {
  const steps: Step[] = [];
  for await (const task of store.each({ scopes: [scope] })) {
    const isStep = task.id !== goal && !task.isParent && !isOldGoal(task);
    if (isStep && task.status !== "dropped") steps.push(stepOf(task));
  }
  return steps;
}

/** A goal that was achieved earlier. */
const isOldGoal = ({ source, allowNoChange, status }: Task): boolean =>
  source === undefined && allowNoChange && status === "done";

/** The id of a step in PROGRESS.yaml, or else of its task. */
export const stepName = ({ id, source }: Pick<Task, "id" | "source">): string =>
  source?.key.startsWith("id:") ? source.key.slice("id:".length) : id;

const stepOf = (task: Task): Step => ({
  task: task.id,
  id: stepName(task),
  prompt: promptOf(task),
  status: isSettled(task.status) ? "completed" : "pending",
});
