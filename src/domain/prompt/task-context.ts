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

/** The block that assigns a task. Sections with nothing to say are left out whole. */
export function buildTaskContext(task: TaskInfo): string {
  return [
    `## Assigned Task\n\n**ID:** ${oneLine(task.taskId)}\n**Title:** ${oneLine(task.title)}`,
    section("Description", foreignText(task.description)),
    section("Parent Context", task.parent && parentText(task.parent)),
    section("Completed Prerequisites", task.completedBlockers.map(blockerLine).join("\n")),
    section("Reference Specs", task.specsDirs.length > 0 && `Read all files in: ${task.specsDirs.join(", ")}`),
  ]
    .filter((text) => text !== undefined)
    .join("\n\n");
}

const section = (heading: string, text: string | false | undefined): string | undefined =>
  text ? `### ${heading}\n${text}` : undefined;

const parentText = ({ title, description }: ParentContext): string =>
  [`**Parent:** ${oneLine(title)}`, foreignText(description)].filter((text) => text !== "").join("\n");

// A summary of several lines stays inside its list entry.
const blockerLine = ({ taskId, title, summary }: BlockerContext): string =>
  `- [${oneLine(taskId)}] ${oneLine(title)}: ${foreignText(summary.trim()).replace(/\r?\n(?=[^\r\n])/g, "\n  ")}`.trimEnd();
