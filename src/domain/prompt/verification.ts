import { printable } from "../printable.ts";
import { cutMiddle } from "./cut.ts";
import { breakFileMarks, foreignLine, oneLine } from "./foreign-text.ts";
import { introduced, listEntry } from "./list.ts";

/** A gate as an agent is told of it. */
export interface GateCommand {
  readonly id: string;
  readonly run: string;
}

/** What decides whether a claim holds. */
export interface Verification {
  readonly acceptance: readonly string[];
  /** In the order in which they run; undefined where nobody has looked for them. */
  readonly gates: readonly GateCommand[] | undefined;
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
      : introduced(
          "Ralph itself runs these checks after a claim. All of them must pass:",
          (gates ?? []).map(gateEntry),
        )),
    ...introduced(
      "These were red before the first attempt. Done still needs all checks green:",
      red.map((line) => listEntry(oneLine(line))),
    ),
  ];
  return paragraphs.length === 0 ? "" : ["## How this will be verified", ...paragraphs].join("\n\n");
}

const NO_GATE =
  "Ralph knows no check for this project: nothing but your word will stand for the result, and it is recorded as unverified. " +
  "Test your work yourself, and say in your final message how you did.";

/** A command of several lines stays one: put on one line it would be another command. */
function gateEntry({ id, run }: GateCommand): string {
  const command = breakFileMarks(cutMiddle(printable(run.trim()), MOST_OF_COMMAND));
  const name = `- \`${printable(foreignLine(id))}\`:`;
  return command.includes("\n") ? `${name}\n\n${command.replaceAll(/^/gm, "      ")}` : `${name} ${command}`;
}

const MOST_OF_COMMAND = 2000;
