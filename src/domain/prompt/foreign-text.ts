/**
 * The headings that structure a prompt. Untrusted text (context, proposal, description, report) may contain the same
 * lines, by accident or on purpose; then the agent could not tell where our section ends.
 */
const HEADINGS: ReadonlySet<string> = new Set([
  "additional context (added by user mid-loop)",
  "validation failure (completion rejected)",
  "your task",
  "instructions",
  "critical rules",
  "autonomy requirements (critical)",
  "a person works with you",
  "assigned task",
  "description",
  "parent context",
  "completed prerequisites",
  "reference specs",
  "how this will be verified",
  "earlier attempts",
  "harness failure in the last iteration",
  "protocol notes",
  "in the user's words",
  "goal",
  "current position",
  "adding a step",
  "when the goal is achieved",
  "task under review",
  "what must hold",
  "the work to review",
  "what has been checked",
]);

/** Headings of ours that go on with a number or a name. */
const BEGINNINGS: readonly string[] = [
  "ralph wiggum loop - iteration ",
  "current iteration: ",
  "change proposal (",
  "module (",
  "sprint: ",
];

/**
 * Untrusted text, safe inside a section of ours: a backslash escapes headings that read like one of ours, and file marks
 * that would make an agent's CLI read a file. Markdown shows the same words. Everything else stays verbatim, sigils
 * included: claims are read from the agent's final message alone, never from a prompt.
 */
export const foreignText = (text: string): string => escapeFileMarks(withoutHeadings(text));

/**
 * Claude Code, Gemini CLI and Qwen Code put the file into the prompt that a word with `@` before it names, wherever it
 * stands. In the user's own prompt file that is meant; a task, a proposal or a report must not do it.
 */
export const escapeFileMarks = (text: string): string => text.replaceAll(FILE_MARK, String.raw`$1\@`);

const FILE_MARK = /(^|\s)@(?=\S)/g;

function withoutHeadings(text: string): string {
  if (!MAY_HAVE_HEADING.test(text)) return text;
  let before = "";
  return text
    .split("\n")
    .map((line) => {
      const safe = isOurs(line) || (UNDERLINE.test(line) && isOurTitle(before)) ? line.replace(/\S/, "\\$&") : line;
      before = line;
      return safe;
    })
    .join("\n");
}

const MAY_HAVE_HEADING = /^ {0,3}(?:#|=|--)/m;

/** The second line of a heading that is underlined. */
const UNDERLINE = /^ {0,3}(?:=+|-{2,})\s*$/;

/** A heading of any level that Markdown would show with the words of one of ours. */
function isOurs(line: string): boolean {
  const marks = /^ {0,3}#{1,6}[ \t]/.exec(line)?.[0];
  return marks !== undefined && isOurTitle(line.slice(marks.length).trim().replace(/#+$/, ""));
}

function isOurTitle(title: string): boolean {
  if (title.length > MAX_LENGTH) return false;
  const plain = title.replaceAll(/[*_`]/g, "").replaceAll(/\s+/g, " ").trim().toLowerCase();
  return HEADINGS.has(plain) || BEGINNINGS.some((beginning) => plain.startsWith(beginning));
}

/** Nothing longer is taken for a heading of ours. */
const MAX_LENGTH = 300;

/** An untrusted title or id, safe for a prompt. */
export const foreignLine = (text: string): string => escapeFileMarks(oneLine(text));

/** Untrusted text on one line: titles, ids and list entries cannot start a section. */
export function oneLine(text: string): string {
  if (!LINE_BREAK.test(text)) return text;
  return text
    .split(LINE_BREAK)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

const LINE_BREAK = /[\r\n\u2028\u2029\u0085]/;

/** Untrusted text as a list entry: further lines stay inside it. */
export const listEntry = (text: string): string =>
  `- ${foreignText(text.trim()).replace(/\r?\n(?=[^\r\n])/g, "\n  ")}`.trimEnd();

/** A sentence and the list that it introduces; nothing when the list is empty. */
export const introduced = (sentence: string, entries: readonly string[]): string[] =>
  entries.length === 0 ? [] : [`${sentence}\n\n${entries.join("\n")}`];
