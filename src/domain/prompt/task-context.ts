import { foreignLine, foreignText, listEntry } from "./foreign-text.ts";

/** What the prompt says about the assigned task. */
export interface TaskInfo {
  readonly taskId: string;
  readonly title: string;
  readonly description: string;
  /** The prompt file is the task itself (P-03). */
  readonly isPrompt?: boolean | undefined;
  readonly parent?: ParentContext | undefined;
  readonly completedBlockers: readonly BlockerContext[];
  /** The number of further finished prerequisites. */
  readonly moreBlockers?: number | undefined;
  readonly specsDirs: readonly string[];
}

export interface ParentContext {
  readonly title: string;
  readonly description: string;
}

/** A finished prerequisite, with its summary for the tasks that need it. */
export interface BlockerContext {
  readonly taskId: string;
  readonly title: string;
  readonly summary: string;
}

/** The block that assigns a task. Sections for parent, prerequisites and specs appear only if there are any. */
export function buildTaskContext(task: TaskInfo): string {
  return [
    `## Assigned Task\n\n**ID:** ${foreignLine(task.taskId)}\n**Title:** ${foreignLine(task.title)}`,
    `### Description\n${descriptionText(task)}`,
    ...(task.parent ? [`### Parent Context\n${parentText(task.parent)}`] : []),
    ...(task.completedBlockers.length > 0 ? [`### Completed Prerequisites\n${blockerLines(task).join("\n")}`] : []),
    ...(task.specsDirs.length > 0
      ? [`### Reference Specs\nRead all files in: ${task.specsDirs.map(foreignLine).join(", ")}`]
      : []),
  ].join("\n\n");
}

const parentText = ({ title, description }: ParentContext): string =>
  [`**Parent:** ${foreignLine(title)}`, foreignText(description)].filter((text) => text !== "").join("\n");

const blockerLines = ({ completedBlockers, moreBlockers = 0 }: TaskInfo): string[] => [
  ...completedBlockers.map(blockerLine),
  ...(moreBlockers > 0 ? [`- and ${moreBlockers} more`] : []),
];

// A summary of several lines stays inside its list entry.
const blockerLine = ({ taskId, title, summary }: BlockerContext): string =>
  `- [${foreignLine(taskId)}] ${foreignLine(title)}${summary.trim() === "" ? "" : `: ${listEntry(summary).slice("- ".length)}`}`;

/** Never nothing: a heading without a text reads like a mistake. */
function descriptionText({ description, isPrompt }: TaskInfo): string {
  if (isPrompt !== true) return description.trim() === "" ? "See the title." : foreignText(description);
  return ["The prompt above is the task. Carry it out in full.", foreignText(description)].join("\n\n").trimEnd();
}
