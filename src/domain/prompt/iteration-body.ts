import { type ChangeTasks, changeTasksText } from "./change-tasks.ts";
import { cutMiddle } from "./cut.ts";
import { type EarlierAttempt, earlierAttemptsText } from "./earlier-attempts.ts";
import { foreignText } from "./foreign-text.ts";
import { harnessFailureText, protocolNotesText } from "./last-iteration.ts";
import type { Section } from "./section.ts";
import { buildTaskContext, type TaskInfo } from "./task-context.ts";
import { type Verification, verificationText } from "./verification.ts";

/** What an iteration is about, apart from its prompt file. */
export interface IterationBrief {
  readonly mode: "plan" | "build";
  /** Absent in plan mode, and where no task is ready. */
  readonly task?: TaskInfo | undefined;
  readonly verification?: Verification | undefined;
  /** How far the change has come that the scope is; undefined where it is none. */
  readonly changeTasks?: ChangeTasks | undefined;
  readonly earlier: readonly EarlierAttempt[];
  /** How many of them are shown at most. */
  readonly earlierShown?: number | undefined;
  /** Why the last claim for this very task was rejected. */
  readonly validationFailure?: string | undefined;
  readonly harnessFailure?: string | undefined;
  readonly notes: readonly string[];
  /** A session of the task was too long for its model: all that can be cut is. */
  readonly isShort?: boolean | undefined;
  /** What a person asked for, in plan mode; in build mode words are a task. */
  readonly words?: string | undefined;
}

/** The body of a prompt, in order. Only the first part is there even when it is empty. */
export function iterationBody(prompt: string, brief: IterationBrief): Section[] {
  const { mode, task, verification, changeTasks, earlier, earlierShown, harnessFailure, notes, words } = brief;
  const parts: Section[] = [
    { name: "change-tasks", text: changeTasks === undefined ? "" : changeTasksText(changeTasks, task) },
    { name: "task", text: task === undefined ? "" : buildTaskContext(task) },
    { name: "verification", text: verification === undefined ? "" : verificationText(verification) },
    { name: "earlier-attempts", text: earlierAttemptsText(earlier, earlierShown) },
    { name: "harness-failure", text: harnessFailureText(harnessFailure) },
    { name: "protocol-notes", text: protocolNotesText(notes) },
    { name: "words", text: mode === "plan" ? wordsText(words) : "" },
  ];
  return [{ name: "prompt", text: prompt }, ...parts.filter(({ text }) => text !== "")];
}

const wordsText = (words = ""): string =>
  words.trim() === "" ? "" : `## In the user's words\n\n${foreignText(words.trim())}`;

/** The brief, and then ever shorter ones, for a prompt that is too large: what is needed least is cut first. */
export function* shorterBriefs<Brief extends IterationBrief>(brief: Brief): Generator<Brief> {
  const { isShort } = brief;
  if (!isShort) yield brief;
  const fewer = { ...brief, earlierShown: FEW_ATTEMPTS };
  if (!isShort) yield fewer;
  const terse = { ...fewer, task: brief.task && withShortSummaries(brief.task) };
  if (!isShort) yield terse;
  const { validationFailure } = brief;
  yield { ...terse, validationFailure: validationFailure && cutMiddle(validationFailure, SHORT) };
}

const SHORT = 2048;

/** So many lines of 300 characters are {@link SHORT}. */
const FEW_ATTEMPTS = 6;

/** All summaries together are short: each has its share. */
function withShortSummaries(task: TaskInfo): TaskInfo {
  const share = Math.floor(SHORT / Math.max(task.completedBlockers.length, 1));
  const completedBlockers = task.completedBlockers.map((blocker) => ({
    ...blocker,
    summary: cutMiddle(blocker.summary, share),
  }));
  return { ...task, completedBlockers };
}
