import type { ChangeWhen } from "../domain/task-edits.ts";
import type { NewTask } from "../domain/task-input.ts";
import type { Task, TaskId, TaskStatus } from "../domain/task.ts";
import type { MarkChange, PlanEntry, PlanMark } from "./entry.ts";

/** A changed mark in the file. */
export interface MarkedTask {
  readonly id: TaskId;
  readonly title: string;
  readonly line: number;
  readonly mark: PlanMark;
}

export interface MarkContext {
  readonly file: string;
  readonly editor: "person" | "agent";
  readonly assigned?: TaskId | undefined;
}

/** The decision about the mark of one entry. */
export interface MarkDecision {
  readonly key: string;
  /** The mark to remember. */
  readonly mark: PlanMark;
  readonly changes: readonly ChangeWhen[];
  readonly revertTo?: MarkChange | undefined;
  readonly marked?: MarkedTask | undefined;
  readonly claim?: MarkedTask | undefined;
  readonly reverted?: MarkedTask | undefined;
}

/** The mark for a status. */
export function markFor(status: TaskStatus): MarkChange {
  return status === "pending" || status === "in_progress" ? "open" : status;
}

/** The mark that a reading shows for it. */
export const shownMark = (change: MarkChange): PlanMark =>
  change === "failed" || change === "parked" ? "open" : change;

/** Started is open: it is read for people, and no state of ours. */
const plain = (mark: PlanMark): PlanMark => (mark === "started" ? "open" : mark);

/** A new entry: a person's mark counts; an agent's mark must be proven first, and is reverted. */
export function decideNewMark(
  entry: PlanEntry,
  id: TaskId,
  { file, editor }: MarkContext,
): MarkDecision & { task: Partial<NewTask> } {
  const { key, kind, status, aside } = entry;
  const mark = plain(status);
  const asRead = { key, mark: status, changes: [] };
  // A heading has no work of its own: if it loses its entries, it must not be assigned.
  if (kind === "group") return { ...asRead, task: { status: "dropped" } };
  if (mark === "open" && (aside === undefined || editor === "agent")) return { ...asRead, task: {} };
  const marked = markedTask(entry, id);
  if (editor === "agent") return { ...asRead, mark: "open", revertTo: "open", reverted: marked, task: {} };
  const reason = `Marked so in ${file}.`;
  if (aside === "parked") return { ...asRead, task: { status: "parked", question: reason } };
  if (aside === "failed") return { ...asRead, task: { status: "failed", reason } };
  return { ...asRead, marked, task: mark === "dropped" ? { status: mark, reason } : { status: "done" } };
}

/** What is known of an entry. */
interface Known {
  /** Its mark when it was last read or written. */
  readonly before: PlanMark;
  /** Nobody has changed the mark since. `task`: the file gets it again. `file`: it is another branch's, and stays, too. */
  readonly stays: "task" | "file" | undefined;
}

/** An entry that is known. */
export function decideMark(
  entry: PlanEntry,
  task: Task,
  { before, stays, ...context }: MarkContext & Known,
): MarkDecision {
  const { key, kind, status } = entry;
  const [was, is] = [plain(before), plain(status)];
  const right = markFor(task.status);
  const asRead = { key, mark: status, changes: [] };
  if (kind === "group" || is === was || is === shownMark(right)) return asRead;
  const mark = markedTask(entry, task.id);
  const revert = { key, mark: shownMark(right), changes: [], revertTo: right };
  if (stays !== undefined) return stays === "task" ? revert : { ...asRead, mark: before };
  if (context.editor === "agent") {
    const isClaim = task.id === context.assigned && is === "done";
    return { ...revert, ...(isClaim ? { claim: mark } : { reverted: mark }) };
  }
  // The children decide about a parent, not its own mark.
  if (task.isParent) return { ...revert, reverted: mark };
  // It is in progress: the mark stays, and is checked again next time.
  if (task.status === "in_progress") return { ...asRead, mark: before };
  return { ...asRead, changes: changesTo(is, task, context.file), marked: mark };
}

function changesTo(mark: PlanMark, { id, status }: Task, file: string): ChangeWhen[] {
  const reason = `Marked so in ${file}.`;
  // The mark is the answer to the question of a parked task, which cannot be reset (dag-R6).
  const change =
    status === "parked" ? ({ kind: "answer", answer: reason } as const) : ({ kind: "reset", reason } as const);
  const reopen: ChangeWhen[] = status === "pending" ? [] : [{ id, when: status, change, by: "person" }];
  if (mark === "open") return reopen;
  const end = mark === "done" ? ({ kind: "complete" } as const) : ({ kind: "drop", reason } as const);
  return [...reopen, { id, when: "pending", change: end, by: "person" }];
}

const markedTask = ({ title, line, status }: PlanEntry, id: TaskId): MarkedTask => ({ id, title, line, mark: status });
