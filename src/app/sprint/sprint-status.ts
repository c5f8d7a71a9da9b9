import type { Task } from "../../domain/task.ts";
import type { Store } from "../../store/store.ts";
import { findRun } from "../run/find-run.ts";
import { plansOf } from "../run/plans.ts";
import { previewStore } from "../task-store.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings } from "../workspace.ts";
import { goalTask } from "./goal-task.ts";
import { openSprint, type OpenSprint } from "./open-sprint.ts";
import { sprintRun } from "./sprint-run.ts";
import { stepName } from "./sprint-text.ts";

export interface SprintStatus {
  readonly id: string;
  readonly scope: string;
  readonly folder: string;
  readonly shape: "ralph" | "phases";
  readonly goal: string;
  /** The run that works on it in this working tree. */
  readonly run: string | undefined;
  /** `done` once the claim that the goal is achieved was verified; of phases: once all are settled. */
  readonly state: "open" | "running" | "done";
  /** The summary of the verified claim. */
  readonly summary: string | undefined;
  readonly steps: readonly StepStatus[];
  readonly warnings: readonly string[];
}

export interface StepStatus extends Pick<Task, "title" | "status"> {
  /** In PROGRESS.yaml. */
  readonly id: string;
  readonly task: string;
}

/** How a sprint stands, by its files and its tasks. Only looks (W-06): it follows the files in a preview. */
export async function sprintStatus(
  { directory, isStrict }: { readonly directory: string; readonly isStrict: boolean },
  surroundings: Surroundings,
): Promise<SprintStatus> {
  const workspace = await openWorkspace(surroundings);
  const scope = await openWorkspaceScope(workspace, { sprint: directory });
  // A scope with a sprint has one.
  const sprint = (await openSprint(workspace, scope, { isStrict }))!;
  const holder = findRun(surroundings.cwd);
  const run = holder?.isAlive && holder.scope === scope.key ? holder.run : undefined;
  return await previewStore(workspace.root, async (store, notices) => {
    const before = await goalTask(store, scope.key);
    const loop = await sprintRun({ store, workspace, scope, sprint, isReadOnly: true });
    const own = plansOf({ store, root: workspace.root, tree: workspace.root, scope, isReadOnly: true });
    const { problems } = await loop.plans(own).follow({ editor: "person" });
    const goal = loop.goal === undefined ? undefined : await store.get(loop.goal.task);
    const steps = await stepsOf(store, scope.key, [goal?.id, before?.id]);
    return {
      ...aboutSprint(sprint, scope.key),
      run,
      state: run !== undefined ? "running" : isDone(goal, steps) ? "done" : "open",
      summary: goal?.status === "done" ? goal.summary : undefined,
      steps,
      warnings: [...sprint.definition.warnings, ...problems, ...notices],
    };
  });
}

const aboutSprint = ({ definition, folder }: OpenSprint, scope: string) => ({
  id: definition.id,
  scope,
  folder,
  shape: definition.shape,
  goal: definition.goal.trim(),
});

const isDone = (goal: Task | undefined, steps: readonly StepStatus[]): boolean =>
  goal === undefined
    ? steps.length > 0 && steps.every(({ status }) => status === "done" || status === "dropped")
    : goal.status === "done";

async function stepsOf(store: Store, scope: string, goals: readonly (string | undefined)[]): Promise<StepStatus[]> {
  const steps: StepStatus[] = [];
  for await (const task of store.each({ scopes: [scope] })) {
    if (goals.includes(task.id) || task.isParent) continue;
    steps.push({ id: stepName(task), task: task.id, title: task.title, status: task.status });
  }
  return steps;
}
