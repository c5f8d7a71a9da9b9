/** One line of Markdown by itself, without its neighbours. All in time linear in the line. */
export interface PlanLine {
  /** Without its line ending. */
  readonly text: string;
  /** Where the line starts in the file. */
  readonly offset: number;
  /** 1-based. */
  readonly number: number;
  /** Column of the first character that is not blank; tabs go to the next multiple of four. */
  readonly indent: number;
  /** Index of that character; the length of the text for a blank line. */
  readonly first: number;
  /** Code or a quotation: it is text whatever it looks like. */
  readonly isVerbatim?: true;
}

export interface ListItem {
  /** Column where the item's text begins: what is indented this far belongs to it. */
  readonly content: number;
  /** The character in the check box, and its place in the file. Absent for a plain item. */
  readonly box?: { readonly char: string; readonly offset: number };
  /** The item's text, trimmed. */
  readonly text: string;
}

/** Lines end in `\n`, `\r\n` or `\r`; a byte order mark is not part of the first one. */
export function* linesOf(text: string): Generator<PlanLine> {
  let offset = text.startsWith("\uFEFF") ? 1 : 0;
  let number = 1;
  for (const ending of text.matchAll(/\r\n|\n|\r/g)) {
    yield lineAt(text.slice(offset, ending.index), offset, number);
    offset = ending.index + ending[0].length;
    number += 1;
  }
  yield lineAt(text.slice(offset), offset, number);
}

function lineAt(text: string, offset: number, number: number): PlanLine {
  let indent = 0;
  let first = 0;
  for (; first < text.length; first += 1) {
    const char = text[first];
    if (char === "\t") indent += 4 - (indent % 4);
    else if (char === " ") indent += 1;
    else break;
  }
  const isBlank = first === text.length || text.trim() === "";
  return { text, offset, number, indent, first: isBlank ? text.length : first };
}

export const isBlank = (line: PlanLine): boolean => line.first === line.text.length;

const MARKER = /([-*+]|\d{1,9}[.)])([ \t]+)/y;
const BOX = /\[([ xX>~/!?-])\][ \t]/y;

/** The list item that a line begins, if it does. A check box needs a title behind it. */
export function listItemOf(line: PlanLine): ListItem | undefined {
  MARKER.lastIndex = line.first;
  const marker = MARKER.exec(line.text);
  if (!marker) return undefined;
  const [whole, bullet = "", gap = ""] = marker;
  const content = line.indent + bullet.length + (gap.length > 4 ? 1 : gap.length);
  const start = line.first + whole.length;
  BOX.lastIndex = start;
  const box = BOX.exec(line.text);
  const title = box ? line.text.slice(start + 4).trim() : "";
  if (!box || title === "") return { content, text: line.text.slice(start).trim() };
  return { content, box: { char: box[1]!, offset: line.offset + start + 1 }, text: title };
}

/** Level and text of an ATX heading (`## Text ##`). By hand: a pattern for the closing hashes is not linear. */
export function headingOf(line: PlanLine): { readonly level: number; readonly text: string } | undefined {
  if (line.indent > 3 || line.text[line.first] !== "#") return undefined;
  let level = 0;
  while (line.text[line.first + level] === "#") level += 1;
  const rest = line.text.slice(line.first + level);
  if (level > 6 || (rest !== "" && rest[0] !== " " && rest[0] !== "\t")) return undefined;
  const text = rest.trim();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  const isClosed = end < text.length && (end === 0 || text[end - 1] === " " || text[end - 1] === "\t");
  return { level, text: isClosed ? text.slice(0, end).trim() : text };
}

/** 1 for a line of `=`, 2 for a line of `-` that can underline a heading. */
export function underlineLevel(line: PlanLine): 1 | 2 | undefined {
  const rule = line.text.trim();
  if (line.indent > 3 || rule.length < 2) return undefined;
  const char = rule[0];
  if (char !== "=" && char !== "-") return undefined;
  for (let at = 1; at < rule.length; at += 1) if (rule[at] !== char) return undefined;
  return char === "=" ? 1 : 2;
}

export interface Fence {
  readonly char: string;
  readonly length: number;
}

/** The code fence that opens at this index of a line. */
export function fenceAt(text: string, first: number): Fence | undefined {
  const char = text[first];
  if (char !== "`" && char !== "~") return undefined;
  let end = first;
  while (text[end] === char) end += 1;
  // A backtick behind the run makes it inline code, not a fence.
  if (end - first < 3 || (char === "`" && text.includes("`", end))) return undefined;
  return { char, length: end - first };
}

export function closesFence(line: PlanLine, fence: Fence): boolean {
  let end = line.first;
  while (line.text[end] === fence.char) end += 1;
  return end - line.first >= fence.length && line.text.slice(end).trim() === "";
}
