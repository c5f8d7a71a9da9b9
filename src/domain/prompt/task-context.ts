import { foreignText, oneLine } from "./foreign-text.ts";

/** What an agent is told of the task it was assigned. */
export interface TaskInfo {
  readonly taskId: string;
  readonly title: string;
  readonly description: string;
  readonly parent?: ParentContext | undefined;
  readonly completedBlockers: readonly BlockerContext[];
  readonly specsDirs: readonly string[];
}

export interface ParentContext {
  readonly title: string;
  readonly description: string;
}

/** A finished prerequisite, and what it left behind for those who depend on it. */
export interface BlockerContext {
  readonly taskId: string;
  readonly title: string;
  readonly summary: string;
}

/** The block that assigns a task. Without a parent or prerequisites their sections are left out whole. */
export function buildTaskContext(task: TaskInfo): string {
  return [
    `## Assigned Task\n\n**ID:** ${oneLine(task.taskId)}\n**Title:** ${oneLine(task.title)}`,
    `### Description\n${foreignText(task.description)}`,
    ...(task.parent ? [`### Parent Context\n${parentText(task.parent)}`] : []),
    ...(task.completedBlockers.length > 0
      ? [`### Completed Prerequisites\n${task.completedBlockers.map(blockerLine).join("\n")}`]
      : []),
    `### Reference Specs\nRead all files in: ${task.specsDirs.map(oneLine).join(", ")}`,
  ].join("\n\n");
}

const parentText = ({ title, description }: ParentContext): string =>
  [`**Parent:** ${oneLine(title)}`, foreignText(description)].filter((text) => text !== "").join("\n");

// A summary of several lines stays inside its list entry.
const blockerLine = ({ taskId, title, summary }: BlockerContext): string =>
  `- [${oneLine(taskId)}] ${oneLine(title)}: ${foreignText(summary.trim()).replace(/\r?\n(?=[^\r\n])/g, "\n  ")}`.trimEnd();
