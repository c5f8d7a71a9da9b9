import type { GraphTask } from "../domain/graph/graph.ts";

/** A task of `task graph --json`. */
export const graphTaskJson = ({ needs: _needs, ...task }: GraphTask) => ({ ...task, parent: task.parent ?? null });

/** An edge leads from the blocker to the task that needs it. */
export const edgesOf = ({ id, needs }: GraphTask) => needs.map((from) => ({ from, to: id }));
