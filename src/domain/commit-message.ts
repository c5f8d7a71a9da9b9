import { printable } from "./printable.ts";
import { oneLine } from "./prompt/foreign-text.ts";

export interface CommitText {
  /** One line; longer ones are cut. */
  readonly subject: string;
  readonly body?: string | undefined;
  /** `Ralph-Task: t-12`: for people and `git log --grep`, never believed by us. */
  readonly trailers: Readonly<Record<string, string>>;
}

const SUBJECT_LENGTH = 100;

/** A commit message with trailers. Titles are untrusted text: they cannot add a trailer or control a terminal. */
export function commitMessage({ subject, body, trailers }: CommitText): string {
  const line = printable(oneLine(subject)).trim() || "Work by ralphctl";
  const cut = line.length > SUBJECT_LENGTH ? `${line.slice(0, SUBJECT_LENGTH - 1).trimEnd()}…` : line;
  const facts = Object.entries(trailers).map(([name, value]) => `${name}: ${printable(oneLine(value)).trim()}`);
  const parts = [cut, printable(body ?? "").trim(), facts.join("\n")].filter((part) => part !== "");
  return `${parts.join("\n\n")}\n`;
}
