import { endOf, findCycle, tasksOnPath, waitGraph } from "../domain/dag.ts";
import { groupBy } from "../domain/group.ts";
import type { Task } from "../domain/task.ts";
import type { MarkChange, PlanEntry, PlanReading } from "./entry.ts";
import { matchEntries } from "./identity.ts";
import { markFor, shownMark } from "./mark-decision.ts";
import { goneReason, knownEntries, type Remembered } from "./memory.ts";

export { appendSteps, type NewStep } from "./append-steps.ts";
export { PlanError } from "./entry.ts";
export type { KnownEntry, MarkChange, PlanEntry, PlanNotice, PlanReading } from "./entry.ts";
export { planFollowing } from "./follow.ts";
export type { Following, FollowInput, LinkedTask } from "./follow.ts";
export { writeOwnPosition, writePosition } from "./position-mark.ts";
export { achievedMark, type GoalMark, isAchieved, readGoalMark, writeGoalMark } from "./goal-mark.ts";
export { matchEntries } from "./identity.ts";
export { goneReason, memoryKey } from "./memory.ts";
export type { PlanVersions } from "./unfollowed.ts";

/**
 * One kind of plan file: text → entries, marks → text. Pure; on any text at all the only thing thrown is `PlanError`.
 * `index.ts` lists the formats.
 */
export interface PlanFormat {
  /** Display name. */
  readonly name: string;
  /** Whether a file of this name (a path is fine) is read by this format. At most one format matches a name. */
  matches(fileName: string): boolean;
  /** The entries in document order. Throws `PlanError` when the text does not parse (P-53). */
  read(text: string): PlanReading;
  /**
   * The text with these entries marked and every other character as it was (P-50); the very same text when all of it
   * is there already. Keys are those of `read(text)`. Throws `PlanError`, having changed nothing, for a key that is
   * not there, for a group, and when reading the result back does not show exactly the marks that were asked for.
   */
  write(text: string, marks: ReadonlyMap<string, MarkChange>): string;
}

/** Entries that would wait for each other, as a path that ends where it began; undefined when none do. */
export function cycleIn(entries: readonly PlanEntry[]): PlanEntry[] | undefined {
  if (entries.every(({ needs }) => needs.length === 0)) return undefined;
  const at = new Map(entries.map(({ key }, index) => [key, index]));
  const parent = (index: number): number | undefined => at.get(entries[index]!.parentKey ?? "");
  const children = groupBy(entries.keys(), parent);
  const graph = waitGraph({
    needs: (index) => entries[index]!.needs.map((key) => at.get(key)!),
    children: (index) => children.get(index) ?? [],
    parent,
    dependents: () => [],
  });
  const path = findCycle(Array.from(entries.keys(), endOf), graph.next);
  return path && tasksOnPath(path).map((index) => entries[index]!);
}

export interface MarkInput {
  readonly file: string;
  readonly entries: readonly PlanEntry[];
  /** Every task whose source is the file. */
  readonly tasks: readonly Task[];
  readonly memory: unknown;
  /** Marks that changed since the last reading, too: it is not the file of the person. */
  readonly isOurs?: boolean | undefined;
}

/** The mark that an entry must get. */
export interface EntryMark {
  readonly task: Task;
  readonly entry: PlanEntry;
  readonly change: MarkChange;
}

/**
 * The marks that match the states of the tasks. An entry whose mark changed since the last reading is left alone: the
 * next reading decides about it. `[>]` stays while its task is open.
 */
export function planMarks({ file, entries, tasks, memory, isOurs = false }: MarkInput): EntryMark[] {
  const known = knownEntries(file, { memory, tasks, entries });
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return matchEntries(known, entries).kept.flatMap(({ taskId, entry, changed }): EntryMark[] => {
    const task = byId.get(taskId)!;
    const change = markFor(task.status);
    if (entry.kind === "group" || (changed.status && !isOurs) || task.reason === goneReason(file)) return [];
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
