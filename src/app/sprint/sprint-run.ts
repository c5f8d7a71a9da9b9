import type { TaskId } from "../../domain/task.ts";
import type { Plans, RunRules, SprintGoal } from "../../loop/run-deps.ts";
import type { Scope } from "../../scope/scope.ts";
import type { Store } from "../../store/store.ts";
import type { IterationPromptRequest } from "../iteration-prompt.ts";
import type { Workspace } from "../workspace.ts";
import { ensureGoalTask } from "./goal-task.ts";
import type { OpenSprint } from "./open-sprint.ts";
import { sprintPlans } from "./sprint-plans.ts";
import { sprintText, type SprintTextRequest } from "./sprint-text.ts";

/** What a sprint changes about a run. */
export interface SprintRun {
  readonly goal: SprintGoal | undefined;
  readonly rules: Partial<Pick<RunRules, "iterations" | "minIterations">>;
  readonly plans: (plans: Plans) => Plans;
  readonly text: (request: SprintTextRequest) => Promise<string>;
}

export interface SprintRunPlace {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly scope: Scope;
  readonly sprint: OpenSprint;
  /** No file is written; the store is a copy. */
  readonly isReadOnly?: boolean;
}

/** Takes up a sprint's goal, and puts together what its run needs. */
export async function sprintRun(place: SprintRunPlace): Promise<SprintRun> {
  const { store, workspace, scope, sprint, isReadOnly = false } = place;
  const { shape, goal: text, idleThreshold } = sprint.definition;
  const task: TaskId | undefined = shape === "ralph" ? await ensureGoalTask(store, scope.key, text) : undefined;
  let iteration: number | undefined;
  const at = { store, root: workspace.root, scope: scope.key, file: sprint.file, goal: task, sprint, isReadOnly };
  return {
    goal:
      task === undefined ? undefined : { task, idleThreshold: idleThreshold ?? workspace.config.sprint.idleThreshold },
    rules: rulesOf(workspace, sprint),
    plans: (plans) => sprintPlans(plans, { ...at, iteration: () => iteration }),
    text: async (request) => {
      iteration = request.iteration;
      return await sprintText({ store, scope: scope.key, sprint, goal: task }, request);
    },
  };
}

/** What the sprint says goes before the configuration's files, but not before what was said for this very run. */
function rulesOf(workspace: Workspace, { definition }: OpenSprint): SprintRun["rules"] {
  const isOpen = (key: string): boolean => !["flag", "environment"].includes(workspace.lookup(key).origin.kind);
  const { minIterations, maxIterations } = definition;
  return {
    ...(minIterations !== undefined && isOpen("limits.minIterations") && { minIterations }),
    ...(maxIterations !== undefined && isOpen("limits.iterations") && { iterations: maxIterations }),
  };
}

/** In a sprint, its own words stand in place of the prompt file; who looks at the goal has no task (D-13). */
export async function sprintBody(
  sprint: SprintRun | undefined,
  request: SprintTextRequest,
): Promise<Partial<IterationPromptRequest>> {
  if (sprint === undefined) return {};
  const own = { body: await sprint.text(request), minIterations: sprint.rules.minIterations };
  const isStep = request.mode === undefined || request.mode === "executing";
  return isStep ? own : { ...own, isAboutGoal: true, task: undefined };
}
