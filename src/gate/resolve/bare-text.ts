interface Language {
  readonly name: RegExp;
  readonly comment: RegExp;
  /** The next line belongs to this one, or to a text: a long text, a here document, a comment of several lines. */
  readonly goesOn: RegExp;
}

const LANGUAGES: readonly Language[] = [
  { name: /\.(?:sh|bash)$/, comment: /^#/, goesOn: /\\$|<<|`/ },
  { name: /\.py$/, comment: /^#/, goesOn: /\\$|"""|'''/ },
  { name: /\.[cm]?[jt]s$/, comment: /^\/\//, goesOn: /\\$|`|\/\*/ },
];

/** Comments that tools obey. */
const DIRECTIVE =
  /@|\b(?:eslint|oxlint|tslint|biome|prettier|istanbul|c8|v8|noqa|nosec|pragma|pylint|pyright|mypy|ruff|fmt|isort|flake8|shellcheck)\b|\btype: ?ignore/;

/**
 * A program without comments, blank lines and, except in Python, indentation: to add or change these is no change of what
 * it does. The text as it is if it may hold some of them in a text of several lines.
 */
export function bareText(path: string, text: string): string {
  const language = LANGUAGES.find(({ name }) => name.test(path));
  if (language === undefined) return text;
  const { comment, goesOn } = language;
  const isIndented = path.endsWith(".py");
  const lines = text.split("\n").map((line) => line.replace(isIndented ? /[ \t]+$/ : /^[ \t]+|[ \t]+$/g, ""));
  const kept = lines.filter((line, at) => {
    const words = line.trimStart();
    return words !== "" && (!comment.test(words) || DIRECTIVE.test(words) || (at === 0 && words.startsWith("#!")));
  });
  return kept.some((line) => goesOn.test(line) || hasOpenQuote(line)) || text.includes("coding")
    ? text
    : kept.join("\n");
}

const hasOpenQuote = (line: string): boolean => ['"', "'"].some((quote) => line.split(quote).length % 2 === 0);
