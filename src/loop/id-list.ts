import type { TaskId } from "../domain/task.ts";

/** Ids as they are remembered in the store; whatever else is in their place is none. */
export const idsIn = (value: unknown): TaskId[] =>
  Array.isArray(value) ? value.filter((id): id is TaskId => typeof id === "string") : [];
