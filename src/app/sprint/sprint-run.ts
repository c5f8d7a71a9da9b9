import type { TaskId } from "../../domain/task.ts";
import type { Plans, SprintGoal } from "../../loop/run-deps.ts";
import type { RunRules } from "../../loop/run-rules.ts";
import type { Scope } from "../../scope/scope.ts";
import type { Store } from "../../store/store.ts";
import type { IterationPromptRequest } from "../iteration-prompt.ts";
import type { Workspace } from "../workspace.ts";
import { ensureGoalTask } from "./goal-task.ts";
import type { OpenSprint } from "./open-sprint.ts";
import { sprintPlans } from "./sprint-plans.ts";
import { sprintText, type SprintTextRequest } from "./sprint-text.ts";

/** The parts of a run that a sprint changes. */
export interface SprintRun {
  readonly goal: SprintGoal | undefined;
  readonly rules: Partial<Pick<RunRules, "iterations" | "minIterations" | "timeMs">>;
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

/** Prepares the run of a sprint. */
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
      return await sprintText(at, request);
    },
  };
}

/** The sprint overrides configuration files, but not flags and environment variables. */
function rulesOf(workspace: Workspace, { definition }: OpenSprint): SprintRun["rules"] {
  const isOpen = (key: string): boolean => !["flag", "environment"].includes(workspace.lookup(key).origin.kind);
  const { minIterations, maxIterations, timeMs } = definition;
  return {
    ...(minIterations !== undefined && isOpen("limits.minIterations") && { minIterations }),
    ...(maxIterations !== undefined && isOpen("limits.iterations") && { iterations: maxIterations }),
    ...(timeMs !== undefined && isOpen("limits.time") && { timeMs }),
  };
}

/** A sprint's own prompt replaces the prompt file; planning and reflecting have no task (D-13). */
export async function sprintBody(
  sprint: SprintRun | undefined,
  request: SprintTextRequest,
): Promise<Partial<IterationPromptRequest>> {
  if (sprint === undefined) return {};
  const own = { body: await sprint.text(request), minIterations: sprint.rules.minIterations };
  const isStep = request.mode === undefined || request.mode === "executing";
  return isStep ? own : { ...own, isAboutGoal: true, task: undefined };
}
