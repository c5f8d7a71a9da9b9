/** How lines of a program begin that are comments, by the ending of its name. */
const COMMENTS: readonly (readonly [name: RegExp, comment: RegExp])[] = [
  [/\.(?:sh|bash)$/, /^#/],
  [/\.py$/, /^#/],
  [/\.[cm]?[jt]s$/, /^\/\//],
];

/**
 * A program without comments, blank lines and, except in Python, indentation: to add or change these is no change of what
 * it does. The text as it is if it may hold some of them in a text of several lines.
 */
export function bareText(path: string, text: string): string {
  const comment = COMMENTS.find(([name]) => name.test(path))?.[1];
  if (comment === undefined) return text;
  const isIndented = path.endsWith(".py");
  const lines = text.split("\n").map((line) => line.replace(isIndented ? /[ \t]+$/ : /^[ \t]+|[ \t]+$/g, ""));
  const kept = lines.filter((line, at) => {
    const words = line.trimStart();
    return words !== "" && (!comment.test(words) || (at === 0 && words.startsWith("#!")));
  });
  return kept.some((line) => MAY_GO_ON.test(line) || hasOpenQuote(line)) || text.includes("coding")
    ? text
    : kept.join("\n");
}

/** The next line belongs to this one, or to a text: `\`, a here document, a long text, a comment of several lines. */
const MAY_GO_ON = /\\$|<<|`|"""|'''|\/\*/;

const hasOpenQuote = (line: string): boolean => ['"', "'"].some((quote) => line.split(quote).length % 2 === 0);
