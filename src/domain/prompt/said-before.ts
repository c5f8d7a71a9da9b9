import type { TaskId } from "../task.ts";
import { foreignLine } from "./foreign-text.ts";

/** A session of another task that said that this one is done, too, and the commit in which its work landed (T-23). */
export interface SaidBefore {
  readonly task: TaskId;
  readonly title: string;
  readonly commit: string;
}

export const saidBeforeText = (said: SaidBefore | undefined): string =>
  said === undefined
    ? ""
    : `## What an earlier session said

The session of ${said.task} "${foreignLine(said.title)}" said that this task is done as well. Its work is in commit ${said.commit.slice(0, 10)}.
Check it against the task. If it is done in full, claim it: no further change is needed. Otherwise do what is missing.`;
