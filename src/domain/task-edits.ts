import { RalphError } from "./error.ts";
import type { NewTask, TaskPatch } from "./task-input.ts";
import type { TaskId, TaskStatus } from "./task.ts";
import type { Actor, StatusChange } from "./transition.ts";

/** Several edits that belong together: all of them are made, or none. */
export interface TaskEdits {
  readonly add?: readonly NewTask[] | undefined;
  readonly update?: readonly TaskUpdate[] | undefined;
  readonly change?: readonly ChangeWhen[] | undefined;
  /** Values stored next to the tasks. `undefined` removes the key. */
  readonly meta?: readonly { readonly key: string; readonly value: unknown }[] | undefined;
  /** A stored value that must be unchanged; otherwise nothing is done, and the error is `busy`: another process was first. */
  readonly when?: { readonly key: string; readonly value: unknown } | undefined;
}

/** Refuses edits that are based on an outdated value. `now` reads the stored one. */
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

/** Skipped if the task is in another state by then, has children, is claimed by a living process, or has an open verdict. */
export interface ChangeWhen {
  readonly id: TaskId;
  readonly when: TaskStatus;
  readonly change: StatusChange;
  readonly by: Actor;
}
