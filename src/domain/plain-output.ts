import { printable } from "./printable.ts";

/**
 * Terminal output as plain text: without colours, titles and cursor movements. A line that was overwritten (progress
 * bars) becomes its last version, and no control character is left.
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
