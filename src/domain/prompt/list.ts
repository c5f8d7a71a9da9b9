import { foreignText } from "./foreign-text.ts";

/** Somebody else's text as an entry of a list: further lines stay inside it. */
export const listEntry = (text: string): string =>
  `- ${foreignText(text.trim()).replace(/\r?\n(?=[^\r\n])/g, "\n  ")}`.trimEnd();

/** A sentence and the list that it introduces; nothing when the list is empty. */
export const introduced = (sentence: string, entries: readonly string[]): string[] =>
  entries.length === 0 ? [] : [`${sentence}\n\n${entries.join("\n")}`];
