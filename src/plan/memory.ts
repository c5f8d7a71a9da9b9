import type { Task, TaskId } from "../domain/task.ts";
import type { KnownEntry, PlanEntry } from "./entry.ts";

/** An entry as it was last read or written: what differs from it was changed in the file, all else in the DAG. */
export interface Remembered extends KnownEntry {
  readonly acceptance: readonly string[];
  readonly priority?: number | undefined;
  /** The needs that come from the file. */
  readonly needs: readonly TaskId[];
}

/** The store's key of the memory, one for each working tree. `tree`: undefined for the first. */
export const memoryKey = (file: string, tree?: string): string => `plan:${tree === undefined ? "" : `${tree}:`}${file}`;

/** Why a task was dropped whose entry is gone; by this it is known again when the entry returns. */
export const goneReason = (file: string): string => `Its entry is gone from ${file}.`;

/** The tasks whose entries were in this file once. */
export const seenTasks = (memory: unknown): ReadonlySet<TaskId> =>
  new Set((Array.isArray(memory) ? memory : []).filter(isRemembered).map(({ taskId }) => taskId));

/**
 * The known entries of a file. A task without a memory, from another working tree, an import or a restored
 * store, is known by what it is itself. That its entry is open here does not undo what was done there.
 */
export function knownEntries(
  file: string,
  { memory, tasks, entries }: { memory: unknown; tasks: readonly Task[]; entries: readonly PlanEntry[] },
): Remembered[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const old = (Array.isArray(memory) ? memory : []).filter(isRemembered).filter(({ taskId }) => byId.has(taskId));
  const seen = new Set(old.map(({ taskId }) => taskId));
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const others = tasks.filter(({ id }) => !seen.has(id));
  return [...old, ...others.map((task) => fromTask(task, { file, byId, byKey }))];
}

interface Around {
  readonly file: string;
  readonly byId: ReadonlyMap<TaskId, Task>;
  readonly byKey: ReadonlyMap<string, PlanEntry>;
}

function fromTask(task: Task, { file, byId, byKey }: Around): Remembered {
  const { id, title, acceptance, needs, status } = task;
  const key = task.source!.key;
  const entry = byKey.get(key);
  const parent = task.parent === undefined ? undefined : byId.get(task.parent);
  return {
    taskId: id,
    key,
    kind: entry?.kind ?? (task.isParent ? "group" : "task"),
    title,
    // Text beyond the entry's was added to the task, such as an answer.
    description: entry && task.description.startsWith(entry.description) ? entry.description : task.description,
    acceptance,
    ...(entry?.priority === undefined ? {} : { priority: entry.priority }),
    needs: needs.filter((need) => byId.has(need)),
    status: entry?.status === "open" ? "open" : status === "done" || status === "dropped" ? status : "open",
    ...(parent && { parentKey: parent.source!.key }),
    ...(status === "dropped" && task.reason === goneReason(file) && { isGone: true }),
  };
}

/** It is our own data, but others can write to the database. */
function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Partial<Record<keyof Remembered, unknown>>;
  const texts = [entry.taskId, entry.key, entry.kind, entry.title, entry.description, entry.status];
  return (
    texts.every((text) => typeof text === "string") && Array.isArray(entry.needs) && Array.isArray(entry.acceptance)
  );
}
