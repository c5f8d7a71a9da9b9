import { printableLine } from "../printable.ts";
import type { KeptWork } from "../run/kept-work.ts";
import type { IterationOutcome } from "../run/outcome.ts";
import { cutEnd } from "./cut.ts";
import { breakFileMarks, foreignText } from "./foreign-text.ts";

/** An iteration that worked on the same task before. */
export interface EarlierAttempt {
  readonly run: string | undefined;
  readonly iteration: number | undefined;
  /** As the store has it: an outcome that this version does not know is shown as it is. */
  readonly outcome: string;
  readonly reason: string | undefined;
  readonly kept: KeptWork | undefined;
}

/** One line for each of the last attempts, oldest first; empty when there was none. */
export function earlierAttemptsText(attempts: readonly EarlierAttempt[], most = MOST_ATTEMPTS): string {
  if (attempts.length === 0) return "";
  const shown = attempts.slice(-most);
  const hidden = attempts.length - shown.length;
  const lines = [...(hidden > 0 ? [`- ${hidden} before these are left out`] : []), ...shown.map(attemptLine)];
  return `## Earlier attempts\n\nOther sessions worked on this task before. Do not repeat what did not work.\n\n${lines.join("\n")}`;
}

const MOST_ATTEMPTS = 20;
const MOST_OF_LINE = 300;

function attemptLine({ run, iteration, outcome, reason, kept }: EarlierAttempt): string {
  const where = [run, iteration === undefined ? undefined : `iteration ${iteration}`].filter(
    (part) => part !== undefined,
  );
  const start = `- ${where.length === 0 ? "" : `${printableLine(where.join(", "))}: `}${meaning(outcome)}`;
  const end = kept === undefined ? "" : `; its work was put aside: \`git show ${kept.ref}\``;
  const why = breakFileMarks(printableLine(reason ?? ""));
  const room = Math.max(MOST_OF_LINE - start.length - end.length, MOST_OF_LINE / 5);
  return `${start}${why === "" ? "" : `: ${cutEnd(why, room)}`}${end}`;
}

const meaning = (outcome: string): string =>
  Object.hasOwn(OUTCOME_RULES, outcome)
    ? OUTCOME_RULES[outcome as IterationOutcome]
    : foreignText(cutEnd(printableLine(outcome), 50));

const OUTCOME_RULES: Readonly<Record<IterationOutcome, string>> = {
  verified: "verified, and opened again later",
  rejected: "claimed done, and rejected",
  "gave-up": "given up",
  crashed: "the agent crashed",
  "timed-out": "stopped, out of time",
  idle: "no claim, and nothing changed",
  unfinished: "no claim, but changes",
  planned: "looked for steps of the sprint",
  limited: "cut short by a usage limit",
  outage: "cut short by an outage",
  overflow: "too long for the model",
  login: "the agent could not log in",
  stopped: "stopped by a person",
  deferred: "claimed done too early to end the run",
  parked: "parked with a question",
  failure: "the agent promised FAILURE",
  lost: "its worker died",
};
