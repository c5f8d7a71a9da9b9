/**
 * Text that is safe for a terminal (W-04): without control sequences. Other control characters, and marks that change
 * the direction of text, become U+FFFD. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return SUSPICIOUS.test(text) ? text.replaceAll(SEQUENCE, "").replaceAll(UNPRINTABLE, "\ufffd") : text;
}

/** The same on one line: for titles and columns. */
export const printableLine = (text: string): string =>
  printable(text)
    .replaceAll(/[\s\u2028\u2029]+/gu, " ")
    .trim();

/** Removes control sequences: coloured text is the same text. */
export const stripAnsi = (text: string): string => text.replaceAll(SEQUENCE, "");

const SUSPICIOUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

// In this order: colours and cursor moves; titles, links and other strings with their end; all short ones. And \r\n.
export const SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]|\r(?=\n)/g;

const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
