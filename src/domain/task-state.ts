import { type Task, type TaskStatus, taskStatuses } from "./task.ts";

/** What a task is called in lists: its status, or for a pending leaf what follows from the others. */
export type TaskState = TaskStatus | "ready" | "blocked";

export const taskStates: readonly TaskState[] = ["ready", "blocked", ...taskStatuses];

export const stateOf = (task: Pick<Task, "status" | "ready" | "blocked">): TaskState =>
  task.ready ? "ready" : task.blocked ? "blocked" : task.status;

/** Whether it is what was asked for: `pending` means ready ones, blocked ones and parents alike. */
export const isInState = (task: Pick<Task, "status" | "ready" | "blocked">, states: readonly TaskState[]): boolean =>
  states.includes(task.status) || states.includes(stateOf(task));

/** The statuses among which tasks in these states are found. */
export const statusesOf = (states: readonly TaskState[]): TaskStatus[] => [
  ...new Set(states.map((state) => (state === "ready" || state === "blocked" ? "pending" : state))),
];
