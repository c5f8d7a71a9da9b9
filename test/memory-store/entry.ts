import type { CleanTask } from "../../src/domain/task-input.ts";
import type { Task, TaskId, TaskStatus } from "../../src/domain/task.ts";
import type { StoredLease } from "../../src/store/lease.ts";
import { ADDED_AS_DONE } from "../../src/store/rows.ts";
import type { Attempt, LogEntry, TaskFilter } from "../../src/store/store.ts";

/** A task as the memory store keeps it: nothing in it is derived. */
export interface Entry extends Omit<CleanTask, "id" | "status" | "createdAt" | "updatedAt"> {
  readonly seq: number;
  readonly id: TaskId;
  /** Its own state; what shows is that of its children, if it has any. */
  readonly own: TaskStatus;
  readonly retryLimit: number | undefined;
  readonly fence: number;
  readonly lease: (StoredLease & { readonly run: string | undefined }) | undefined;
  readonly attemptLog: readonly (Attempt & { readonly recordedAt: number | undefined })[];
  readonly log: readonly LogEntry[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function newEntry(task: CleanTask, made: { id: TaskId; seq: number; now: number }): Entry {
  const { status, createdAt, updatedAt, ...rest } = task;
  const times = { createdAt: createdAt ?? made.now, updatedAt: updatedAt ?? createdAt ?? made.now };
  return {
    ...rest,
    id: made.id,
    seq: made.seq,
    ...times,
    own: status,
    retryLimit: undefined,
    fence: 0,
    lease: undefined,
    attemptLog: [],
    log: status === "done" ? [{ at: made.now, by: "person", kind: "complete", text: ADDED_AS_DONE }] : [],
  };
}

export function isWanted(task: Task, filter: TaskFilter): boolean {
  const text = filter.text === undefined ? undefined : asciiLower(filter.text);
  return (
    (filter.scopes?.includes(task.scope) ?? true) &&
    (filter.statuses?.includes(task.status) ?? true) &&
    (filter.tag === undefined || task.tags.includes(filter.tag)) &&
    (filter.parent === undefined || task.parent === filter.parent) &&
    (filter.sourceFile === undefined || task.source?.file === filter.sourceFile) &&
    (text === undefined || asciiLower(task.title).includes(text) || asciiLower(task.description).includes(text))
  );
}

const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
