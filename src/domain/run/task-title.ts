const MAX_LENGTH = 120;

/** The title of a task that is made of a text: its first line that says something, as a heading without its marks. */
export function titleFromText(text: string): string {
  const [first = ""] = nonBlank(text.split("\n"));
  return shortened(/^#{1,6} /.test(first) ? first.replace(/^#+ /, "").replace(/ #+$/, "") : first);
}

/** The title of a prompt: its first heading, or else its first line. */
export function titleFromPrompt(prompt: string): string {
  let isCode = false;
  for (const line of prompt.split("\n")) {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^ {0,3}#{1,6}[ \t]+(.*)$/.exec(line)?.[1];
    const [title] = nonBlank([heading?.replace(/[ \t]+#+\s*$/, "") ?? ""]);
    if (title !== undefined) return shortened(title);
  }
  return titleFromText(prompt);
}

/** On one line each, without those that are blank. */
const nonBlank = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim()).filter((line) => line !== "");

function shortened(line: string): string {
  if (line.length <= MAX_LENGTH) return line;
  // By characters: half a character is none.
  let start = "";
  for (const character of line) {
    if (start.length + character.length >= MAX_LENGTH) break;
    start += character;
  }
  return `${start.trimEnd()}…`;
}
