import { oneLine } from "./foreign-text.ts";
import type { TaskInfo } from "./task-context.ts";

/** How far a change has come. */
export interface ChangeTasks {
  readonly changeId: string;
  /** Where its tasks are listed. */
  readonly planFile: string;
  /** Other documents of its folder, such as a design. */
  readonly documents: readonly string[];
  /** Its tasks without parents: all of them, and those that are done or dropped. */
  readonly all: number;
  readonly settled: number;
  readonly failed: number;
  readonly parked: number;
}

/** The status of a change's tasks, and the one that is next: the one that the iteration is about. */
export function changeTasksText(change: ChangeTasks, next: Pick<TaskInfo, "taskId" | "title"> | undefined): string {
  return [
    `## Change Tasks (${oneLine(change.changeId)})\n`,
    `- Status: ${statusText(change)}`,
    ...(next === undefined ? [] : [`- Next: [${oneLine(next.taskId)}] ${oneLine(next.title)}`]),
    `- Listed in: ${oneLine(change.planFile)}`,
    ...(change.documents.length === 0 ? [] : [`- Read also: ${change.documents.map(oneLine).join(", ")}`]),
  ].join("\n");
}

function statusText({ all, settled, failed, parked }: ChangeTasks): string {
  if (all === 0) return "no tasks yet";
  return [
    `${settled} of ${all} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(parked > 0 ? [`${parked} waiting for a person`] : []),
  ].join(", ");
}
