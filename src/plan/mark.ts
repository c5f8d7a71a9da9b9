import type { Task } from "../domain/task.ts";
import type { MarkChange, PlanEntry } from "./entry.ts";
import { matchEntries } from "./identity.ts";
import { markFor, shownMark } from "./judge-mark.ts";
import { goneReason, knownEntries, type Remembered } from "./memory.ts";

export interface MarkInput {
  readonly file: string;
  readonly entries: readonly PlanEntry[];
  /** Every task whose source is the file. */
  readonly tasks: readonly Task[];
  readonly memory: unknown;
}

/** The mark that an entry shall get. */
export interface EntryMark {
  readonly task: Task;
  readonly entry: PlanEntry;
  readonly change: MarkChange;
}

/**
 * How the file must say the states of its tasks. An entry whose mark somebody has changed since it was last followed is
 * left alone: that is for the following to judge. `[>]` stays while its task is open.
 */
export function planMarks({ file, entries, tasks, memory }: MarkInput): EntryMark[] {
  const known = knownEntries(file, { memory, tasks, entries });
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return matchEntries(known, entries).kept.flatMap(({ taskId, entry, changed }): EntryMark[] => {
    const task = byId.get(taskId)!;
    const change = markFor(task.status);
    if (entry.kind === "group" || changed.status || task.reason === goneReason(file)) return [];
    return change === "open" && entry.status === "started" ? [] : [{ task, entry, change }];
  });
}

/** The memory with these marks in it. */
export function withMarks(memory: unknown, marks: ReadonlyMap<string, MarkChange>): unknown {
  if (!Array.isArray(memory)) return memory;
  return (memory as Remembered[]).map((entry) => withMark(entry, marks.get(entry.taskId)));
}

const withMark = (entry: Remembered, change: MarkChange | undefined): Remembered =>
  change === undefined ? entry : { ...entry, status: shownMark(change) };
