import { printableLine } from "../printable.ts";
import type { ShelvedWork } from "../run/shelved-work.ts";
import type { IterationOutcome } from "../run/outcome.ts";
import { cutEnd } from "./cut.ts";
import { escapeFileMarks, foreignText } from "./foreign-text.ts";

/** An iteration that worked on the same task before. */
export interface EarlierAttempt {
  readonly run: string | undefined;
  readonly iteration: number | undefined;
  /** As the store has it: an outcome that this version does not know is shown as it is. */
  readonly outcome: string;
  readonly reason: string | undefined;
  readonly kept: ShelvedWork | undefined;
}

/** One line for each of the last attempts, oldest first; empty when there was none. */
export function earlierAttemptsText(attempts: readonly EarlierAttempt[], most = MAX_ATTEMPTS): string {
  if (attempts.length === 0) return "";
  const shown = attempts.slice(-most);
  const hidden = attempts.length - shown.length;
  const lines = [...(hidden > 0 ? [`- ${hidden} earlier ones omitted`] : []), ...shown.map(attemptLine)];
  return `## Earlier attempts\n\nEarlier sessions worked on this task. Do not repeat what did not work.\n\n${lines.join("\n")}`;
}

const MAX_ATTEMPTS = 20;
const MAX_LINE_LENGTH = 300;

function attemptLine({ run, iteration, outcome, reason, kept }: EarlierAttempt): string {
  const where = [run, iteration === undefined ? undefined : `iteration ${iteration}`].filter(
    (part) => part !== undefined,
  );
  const start = `- ${where.length === 0 ? "" : `${printableLine(where.join(", "))}: `}${meaning(outcome)}`;
  const end = kept === undefined ? "" : `; its work is saved: \`git show ${kept.ref}\``;
  const why = escapeFileMarks(printableLine(reason ?? ""));
  const room = Math.max(MAX_LINE_LENGTH - start.length - end.length, MAX_LINE_LENGTH / 5);
  return `${start}${why === "" ? "" : `: ${cutEnd(why, room)}`}${end}`;
}

const meaning = (outcome: string): string =>
  Object.hasOwn(OUTCOME_WORDS, outcome)
    ? OUTCOME_WORDS[outcome as IterationOutcome]
    : foreignText(cutEnd(printableLine(outcome), 50));

const OUTCOME_WORDS: Readonly<Record<IterationOutcome, string>> = {
  verified: "verified, reopened later",
  rejected: "claimed done, rejected",
  conflict: "claimed done, conflicted with other work",
  "gave-up": "gave up",
  crashed: "the agent crashed",
  "timed-out": "timed out",
  idle: "no claim, no changes",
  unfinished: "no claim, but changes",
  planned: "planned steps of the sprint",
  limited: "cut short by a usage limit",
  outage: "cut short by an outage",
  overflow: "outgrew the model's context",
  login: "the agent could not log in",
  model: "the agent had no such model",
  stopped: "stopped by a person",
  deferred: "claimed done before the run may end",
  parked: "parked with a question",
  failure: "the agent promised FAILURE",
  lost: "its worker died",
};
