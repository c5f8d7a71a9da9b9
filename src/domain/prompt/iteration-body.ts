import type { Gate } from "../gate.ts";
import { plainOutput } from "../plain-output.ts";
import { printable, printableLine } from "../printable.ts";
import { type ChangeTasks, changeTasksText } from "./change-tasks.ts";
import { cutEnd, cutMiddle } from "./cut.ts";
import { type EarlierAttempt, earlierAttemptsText } from "./earlier-attempts.ts";
import { escapeFileMarks, foreignLine, foreignText, introduced, listEntry, oneLine } from "./foreign-text.ts";
import { type SaidBefore, saidBeforeText } from "./said-before.ts";
import type { Section } from "./section.ts";
import { buildTaskContext, type TaskInfo } from "./task-context.ts";

/** What an iteration is about, apart from its prompt file. */
export interface IterationBrief {
  readonly mode: "plan" | "build";
  /** Absent in plan mode, and where no task is ready. */
  readonly task?: TaskInfo | undefined;
  readonly verification?: Verification | undefined;
  /** How far the change has come that the scope is; undefined where it is none. */
  readonly changeTasks?: ChangeTasks | undefined;
  readonly said?: SaidBefore | undefined;
  readonly earlier: readonly EarlierAttempt[];
  /** How many of them are shown at most. */
  readonly earlierShown?: number | undefined;
  /** Why the last claim for this very task was rejected. */
  readonly validationFailure?: string | undefined;
  readonly harnessFailure?: string | undefined;
  readonly notes: readonly string[];
  /** A session of the task was too long for its model: all that can be cut is. */
  readonly isShort?: boolean | undefined;
  /** The user's request in plan mode; in build mode it becomes a task. */
  readonly words?: string | undefined;
}

/** The body of a prompt, in order. Only the first part is there even when it is empty. */
export function iterationBody(prompt: string, brief: IterationBrief): Section[] {
  const { mode, task, verification, changeTasks, said, earlier, earlierShown, harnessFailure, notes, words } = brief;
  const parts: Section[] = [
    { name: "change-tasks", text: changeTasks === undefined ? "" : changeTasksText(changeTasks, task) },
    { name: "task", text: task === undefined ? "" : buildTaskContext(task) },
    { name: "verification", text: verification === undefined ? "" : verificationText(verification) },
    { name: "said-before", text: saidBeforeText(said) },
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

/** How the session before was cut short. A part of its own: nothing was claimed, so nothing was rejected. */
export function harnessFailureText(failure: string | undefined): string {
  const text = plainOutput(failure ?? "").trim();
  if (text === "") return "";
  return `## Harness failure in the last iteration

The previous session was cut short before it claimed anything. Check what it left in the files before you continue.

${foreignText(cutMiddle(text, MAX_FAILURE_LENGTH))}`;
}

/** Protocol violations of the previous session (D-05), an entry each. */
export function protocolNotesText(notes: readonly string[]): string {
  const lines = notes.map(printableLine).filter((note) => note !== "");
  const shown = lines.slice(0, MAX_NOTES).map((note) => listEntry(cutEnd(note, MAX_NOTE_LENGTH)));
  const more = lines.length > shown.length ? [`- and ${lines.length - shown.length} more`] : [];
  return introduced("## Protocol notes\n\nFrom the last iteration:", [...shown, ...more]).join("");
}

const MAX_FAILURE_LENGTH = 4096;
const MAX_NOTES = 20;
const MAX_NOTE_LENGTH = 500;

/** How Ralph will verify a claim. */
export interface Verification {
  readonly acceptance: readonly string[];
  /** In the order in which they run; undefined if they are not known yet. */
  readonly gates: readonly Pick<Gate, "id" | "run">[] | undefined;
  /** P-24: what was red before the first attempt, a sentence or a name each. */
  readonly red: readonly string[];
}

/** The part of a prompt that says how a claim is checked; empty when there is nothing to say. */
export function verificationText({ acceptance, gates, red }: Verification): string {
  const paragraphs = [
    ...introduced(
      "The task is done when all of this is true:",
      acceptance.filter((text) => text.trim() !== "").map(listEntry),
    ),
    ...(gates?.length === 0
      ? [NO_GATE]
      : introduced("When you claim the task, Ralph runs these checks. All must pass:", (gates ?? []).map(gateEntry))),
    ...introduced(
      "These failed before the first attempt. They must pass, too:",
      red.map((line) => listEntry(oneLine(line))),
    ),
  ];
  return paragraphs.length === 0 ? "" : ["## How this will be verified", ...paragraphs].join("\n\n");
}

const NO_GATE =
  "Ralph knows no check for this project, so it will record the result as unverified. " +
  "Test your work yourself, and say how in your final message.";

/** A command of several lines stays one: put on one line it would be another command. */
function gateEntry({ id, run }: Pick<Gate, "id" | "run">): string {
  const command = escapeFileMarks(cutMiddle(printable(run.trim()), MAX_COMMAND_LENGTH));
  const name = `- \`${printable(foreignLine(id))}\`:`;
  return command.includes("\n") ? `${name}\n\n${command.replaceAll(/^/gm, "      ")}` : `${name} ${command}`;
}

const MAX_COMMAND_LENGTH = 2000;
