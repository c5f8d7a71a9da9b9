import { printable } from "./printable.ts";

/**
 * What a program wrote to a terminal, as a text: colours, titles and cursor movements are gone, a line that was
 * written over (progress bars) is its last version, and nothing is left that could steer a terminal.
 */
export function plainOutput(text: string): string {
  const bare = text.replaceAll(STRING_SEQUENCE, "").replaceAll(CONTROL_SEQUENCE, "").replaceAll(SHORT_SEQUENCE, "");
  const lines = bare.replaceAll("\r\n", "\n").split("\n");
  return printable(lines.map(lastVersion).join("\n"));
}

/** Titles, links, images: from the opening to BEL or the closing, or to the end of the line where there is none. */
const STRING_SEQUENCE = /\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?/g;
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g;
const SHORT_SEQUENCE = /\u001b[ -/]*[0-~]?/g;

function lastVersion(line: string): string {
  const written = line.replace(/\r+$/, "");
  return written.slice(written.lastIndexOf("\r") + 1);
}
