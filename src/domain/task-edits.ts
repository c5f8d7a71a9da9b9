import { RalphError } from "./error.ts";
import type { NewTask, TaskPatch } from "./task-input.ts";
import type { TaskId, TaskStatus } from "./task.ts";
import type { Actor, StatusChange } from "./transition.ts";

/** Several edits that belong together: all of them are made, or none. */
export interface TaskEdits {
  readonly add?: readonly NewTask[] | undefined;
  readonly update?: readonly TaskUpdate[] | undefined;
  readonly change?: readonly ChangeWhen[] | undefined;
  /** What is remembered beside the tasks. `undefined` removes the key. */
  readonly meta?: readonly { readonly key: string; readonly value: unknown }[] | undefined;
  /** What must still be remembered so; otherwise nothing is done, and the error is `busy`: somebody else was first. */
  readonly when?: { readonly key: string; readonly value: unknown } | undefined;
}

/** Refuses edits that rest on what is no longer so. `now`: what is remembered. */
export function checkWhen({ when }: Pick<TaskEdits, "when">, now: (key: string) => unknown): void {
  if (when === undefined || JSON.stringify(now(when.key)) === JSON.stringify(when.value)) return;
  throw new RalphError("busy", "Another process just changed the tasks", { hint: "Try again" });
}

/** Parents and needs may name tasks that are added by the same edits. */
export interface TaskUpdate {
  readonly id: TaskId;
  readonly patch: TaskPatch;
  /** All that it needs from now on; left out: as before. */
  readonly needs?: readonly TaskId[] | undefined;
}

/** Left out when, by then, the task is in another state, has children, is worked on by somebody alive, or has an open verdict. */
export interface ChangeWhen {
  readonly id: TaskId;
  readonly when: TaskStatus;
  readonly change: StatusChange;
  readonly by: Actor;
}
