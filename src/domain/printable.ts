/**
 * Text as it may reach a terminal (W-04): whole control sequences are left out, what is left of control characters and
 * of marks that turn the direction of writing becomes U+FFFD. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return SUSPICIOUS.test(text) ? text.replaceAll(SEQUENCE, "").replaceAll(UNPRINTABLE, "\ufffd") : text;
}

/** The same on one line: for titles, and for what stands in a column. */
export const printableLine = (text: string): string =>
  printable(text)
    .replaceAll(/[\s\u2028\u2029]+/gu, " ")
    .trim();

/** Without what tells terminals about colours, the cursor or the window: words in colour are the same words. */
export const stripAnsi = (text: string): string => text.replaceAll(SEQUENCE, "");

const SUSPICIOUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

// In this order: colours and cursor moves; titles, links and other strings with their end; all short ones. And \r\n.
const SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]|\r(?=\n)/g;

const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
