import type { Answered } from "../app/task/change-tasks.ts";
import type { Approved } from "../app/task/approve-tasks.ts";
import type { LandReport } from "../app/land.ts";
import type { Task } from "../domain/task.ts";
import { plural } from "./run-text.ts";
import { standingText } from "./task-text.ts";

// What a change did, for terminal and page.

export const resetWords = ({ id }: Pick<Task, "id">): string => `${id} is pending again`;

export const droppedWords = ({ id }: Pick<Task, "id">): string => `${id} is dropped`;

export function answeredWords(answered: Answered): string {
  const { task, paths } = answered;
  if (paths.length > 0) return allowedWords(answered);
  return `${task.id} ${task.status === "done" ? "is done, as you say" : "is pending again, with the answer in its description"}`;
}

export const allowedWords = ({ task, paths }: Answered): string =>
  `${task.id} may change ${paths.join(", ")}. The next run verifies its work`;

export const approvedWords = ({ task, before }: Approved): string =>
  `${task.id} is approved by you; it was ${standingText(before)}`;

/** What became of a branch that was to follow. */
export function landedWords({ target, result, commit, commits, refusal }: LandReport): string {
  const branch = target.branch ?? "HEAD";
  const at = `${branch} is at ${commit?.slice(0, 10)} now`;
  if (result === "followed") return `${at}: it got ${plural(commits, "commit")} that landed`;
  if (result === "merged") return `The gates pass on your commits together with those that landed. ${at}`;
  if (result === "even") return `${branch} has everything that landed`;
  if (result === "unlanded") return `Nothing has landed for ${branch} yet`;
  if (result === "interrupted") return "Stopped by you, and nothing has changed";
  return `${branch} does not follow: ${refusal?.why}\n${refusal?.remedy}`;
}
