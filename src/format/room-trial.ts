import type { RoomTrial } from "../app/try-room.ts";
import { describeDifference, describeLines, hasLines, type RoomLines } from "../app/room-lines.ts";
import { printable } from "../domain/printable.ts";

/** What a person should know of a trial, in a few lines; with the lines that would help. */
export function trialText(trial: RoomTrial): string {
  const { difference, lines, notEnough, changed } = trial;
  const sentences = [
    difference === undefined ? resultOf(trial) : describeDifference(difference).message,
    ...(notEnough === undefined ? [] : [`Tried, and not enough: ${namesOf(notEnough)}`]),
    ...(changed.length === 0
      ? []
      : [`The gates changed files in your working tree: ${changed.slice(0, 10).join(", ")}`]),
    ...(hasLines(lines) ? [`${introductionOf(trial)}\n${blockOf(lines)}`] : []),
  ];
  return printable(`${sentences.join("\n")}\n`);
}

function resultOf({ verdict, gates, failedSetup }: RoomTrial): string {
  if (verdict === "stopped") return "Stopped";
  if (verdict === "green") return "The gates pass in a fresh checkout";
  if (failedSetup !== undefined) return `Set-up fails in a fresh checkout: ${failedSetup}. The gates fail here too`;
  const red = gates.filter(({ passed }) => !passed).map(({ id }) => id);
  return `These gates fail here and in a fresh checkout: ${red.join(", ")}. Tasks will need them to pass`;
}

function introductionOf({ difference, lines }: RoomTrial): string {
  if (difference === undefined) return "With this line each proof starts with what is slow to build:";
  if (lines.isInPlace) return "As a last resort, agents and gates can work in your own tree, which proves less:";
  return "With these lines they pass there:";
}

const namesOf = (lines: RoomLines): string =>
  describeLines(lines)
    .flatMap((part) => part.lines)
    .join(", ");

function blockOf(lines: RoomLines): string {
  const rows = describeLines(lines).flatMap(({ file, lines: all }) => all.map((line) => [file, line] as const));
  const width = Math.max(...rows.map(([file]) => file.length));
  return rows.map(([file, line]) => `  ${file.padEnd(width)}  ${line}`).join("\n");
}
