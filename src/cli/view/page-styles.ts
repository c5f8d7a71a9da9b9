import type { Paint, Palette } from "./palette.ts";
import { type Span, span, wrapped } from "./spans.ts";

export interface PageLook {
  readonly palette: Palette;
  readonly width: number;
}

/** A page, an error with its hint, or lines of a log. */
export type PageShape = "page" | "message" | "log";

/** Styles a printable text. */
export function styleText(shape: PageShape, text: string, look: PageLook): string {
  if (shape === "message") return styleMessage(text, look);
  return shape === "log" ? styleLog(text, look) : stylePage(text, look);
}

/** What words mean that stand in a column of their own, or at the beginning of a line. */
const WORDS: Readonly<Record<string, "good" | "bad" | "attention" | "faint">> = {
  ok: "good",
  done: "good",
  verified: "good",
  sent: "good",
  problem: "bad",
  failed: "bad",
  FAILED: "bad",
  rejected: "bad",
  warning: "attention",
  parked: "attention",
  blocked: "faint",
  dropped: "faint",
};

/** Sentences that tell how something ended, by their first words. */
const ENDS: readonly (readonly [RegExp, "good" | "bad" | "attention"])[] = [
  [/^(?:Verified|Accepted|Complete and verified|Gate \S+: ok|Took back)\b/, "good"],
  [/^(?:Not verified|Rejected|Failed|Gate \S+: FAILED|Nothing was taken back)\b/, "bad"],
  [/^(?:Undecided|Blocked|Complete, but unverified|Stopped|Nothing to do)\b/, "attention"],
];

/** A page of text for a terminal: wrapped at words, and styled by its shape. The text is printable. */
export function stylePage(text: string, { palette, width }: PageLook): string {
  const lines = text.split("\n");
  let isNext = false;
  return lines
    .flatMap((line, at) => {
      if (!line.startsWith(" ")) isNext = line === "Next:" || line === "Begin:";
      // Output of programs stays as it is, and so do commands: people copy them.
      if (/^ +\| /.test(line)) return [palette.faint(line)];
      if (isNext && line.startsWith("  ")) return [commandLine(line, palette)];
      return folded(line, spansOf(line, lines[at + 1] ?? "", palette), width);
    })
    .join("\n");
}

function commandLine(line: string, palette: Palette): string {
  const [, indent = "", command = "", what = ""] = /^( *)(.*?)(| {2,}.*)$/.exec(line) ?? [];
  return `${indent}${palette.code(command)}${what}`;
}

/** Below its last column, if it has several. */
function folded(line: string, spans: readonly Span[], width: number): string[] {
  const [start] = /^ *(?:\S+(?: \S+){0,2} {2,})*/.exec(line)!;
  const rest = " ".repeat(Math.min(start.length || 2, Math.floor(width / 2)));
  return wrapped(spans, width, { first: [], rest });
}

function spansOf(line: string, next: string, palette: Palette): Span[] {
  const end = ENDS.find(([shape]) => shape.test(line))?.[1];
  if (end !== undefined) return [span(line, palette[end])];
  const [, first = "", gap = "", rest = ""] = /^(\S+)( {2,})(.*)$/.exec(line) ?? [];
  const isHeading = /^\S/.test(line) && gap === "" && (line.endsWith(":") || /^ {2}\S/.test(next));
  if (isHeading) return inner(line, palette, palette.strong);
  const word = WORDS[first];
  if (word !== undefined) return [span(first, palette[word]), span(gap), ...inner(rest, palette)];
  // A label with its value.
  const [, indent = "", label = "", space = "", value = ""] =
    /^( *)([A-Za-z][a-z]*(?: [a-z]+){0,2})( {2,})(\S.*)$/.exec(line) ?? [];
  if (label !== "") return [span(indent), span(label, palette.faint), span(space), ...inner(value, palette)];
  return inner(line, palette);
}

/** Ids, and words that stand alone between columns. */
function inner(text: string, palette: Palette, paint: Paint = palette.plain): Span[] {
  return text.split(PIECES).flatMap((piece) => {
    if (piece === undefined || piece === "") return [];
    if (/^[tr]-[0-9a-f]/.test(piece)) return [span(piece, palette.code)];
    const word = WORDS[piece];
    return [span(piece, word === undefined ? paint : palette[word])];
  });
}

const STATES = Object.keys(WORDS).join("|");
const PIECES = new RegExp(`(\\bt-[0-9a-f]{4,}\\b|\\br-\\d{8}-\\d{6}-\\w+\\b|(?<=^| {2})(?:${STATES})(?= {2}|$))`);

const PREFIXES: Readonly<Record<string, "bad" | "attention" | "code">> = {
  error: "bad",
  warning: "attention",
  hint: "code",
};

/** An error with its hint. */
function styleMessage(text: string, { palette, width }: PageLook): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const [, prefix = "", rest = line] = /^(error|warning|hint): (.*)$/.exec(line) ?? [];
      if (prefix === "") return [line];
      const paint = palette[PREFIXES[prefix]!];
      const spans = [span(`${prefix}:`, (word) => palette.strong(paint(word))), span(` ${rest}`)];
      return wrapped(spans, width, { first: [], rest: "  " });
    })
    .join("\n");
}

/** Times stand back, and ends stand out. Lines are not wrapped: each of them is one that people search for. */
const styleLog = (text: string, { palette }: PageLook): string =>
  text
    .split("\n")
    .map((line) => {
      const [time] = /^(?:\d\d:\d\d:\d\d {2}|\d{4}-\d\d-\d\d$)/.exec(line) ?? [""];
      const rest = line.slice(time.length);
      const end = ENDS.find(([shape]) => shape.test(rest.trimStart()))?.[1];
      const paint = /^ *\| /.test(rest) ? palette.faint : end === undefined ? palette.plain : palette[end];
      return `${time === "" ? "" : palette.faint(time)}${paint(rest)}`;
    })
    .join("\n");
