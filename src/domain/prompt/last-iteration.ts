import { plainOutput } from "../plain-output.ts";
import { printableLine } from "../printable.ts";
import { cutEnd, cutMiddle } from "./cut.ts";
import { foreignText } from "./foreign-text.ts";
import { introduced, listEntry } from "./list.ts";

/** How the session before was cut short. A part of its own: nothing was claimed, so nothing was rejected. */
export function harnessFailureText(failure: string | undefined): string {
  const text = plainOutput(failure ?? "").trim();
  if (text === "") return "";
  return `## Harness failure in the last iteration

The session before this one was cut short. It claimed nothing and nothing was checked: look at what it left in the files before you go on.

${foreignText(cutMiddle(text, MOST_OF_FAILURE))}`;
}

/** What the session before did against the protocol (D-05), an entry each. */
export function protocolNotesText(notes: readonly string[]): string {
  const lines = notes.map(printableLine).filter((note) => note !== "");
  const shown = lines.slice(0, MOST_NOTES).map((note) => listEntry(cutEnd(note, MOST_OF_NOTE)));
  const more = lines.length > shown.length ? [`- and ${lines.length - shown.length} more`] : [];
  return introduced("## Protocol notes\n\nWhat Ralph noticed in the last iteration:", [...shown, ...more]).join("");
}

const MOST_OF_FAILURE = 4096;
const MOST_NOTES = 20;
const MOST_OF_NOTE = 500;
