import type { TaskId } from "../task.ts";
import type { TaskState } from "../task-state.ts";
import { printableLine } from "../printable.ts";

/** As much of a task as a picture of the DAG needs. */
export interface GraphTask {
  readonly id: TaskId;
  /** One line that may be printed. */
  readonly title: string;
  readonly state: TaskState;
  readonly scope: string;
  readonly parent: TaskId | undefined;
  readonly needs: readonly TaskId[];
}

/** Oldest first. */
export interface TaskGraph {
  readonly tasks: readonly GraphTask[];
  /** They are of more than one scope: each is shown with its own. */
  readonly hasScopes: boolean;
}

/** For each task the tasks that need it, in order. */
export function dependentsOf(tasks: readonly GraphTask[]): Map<TaskId, GraphTask[]> {
  const dependents = new Map<TaskId, GraphTask[]>(tasks.map(({ id }) => [id, []]));
  for (const task of tasks) for (const need of task.needs) dependents.get(need)?.push(task);
  return dependents;
}

export const labelOf = ({ id, state, scope, title }: GraphTask, { hasScopes }: TaskGraph): string =>
  [id, state, ...(hasScopes ? [printableLine(scope)] : []), printableLine(title)].join("  ");
