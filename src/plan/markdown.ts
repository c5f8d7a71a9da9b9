import { PlanError, type PlanNotice } from "./entry.ts";
import {
  closesFence,
  fenceAt,
  headingOf,
  isBlank,
  type Fence,
  type PlanLine,
  linesOf,
  type ListItem,
  listItemOf,
  underlineLevel,
} from "./markdown-line.ts";

/** A heading or a check box with the lines that belong to it and to nothing inside it. */
export interface MarkdownNode {
  readonly kind: "heading" | "item";
  readonly text: string;
  readonly box?: { readonly char: string; readonly offset: number };
  readonly line: number;
  /** Index of the check box or heading that holds it. */
  readonly parent: number | undefined;
  readonly body: PlanLine[];
}

export interface Outline {
  readonly nodes: readonly MarkdownNode[];
  readonly notices: readonly PlanNotice[];
}

interface OpenItem {
  readonly indent: number;
  readonly content: number;
  /** The node of a check box; for a plain item, of what holds it. */
  readonly owner: number | undefined;
}

interface Scan {
  readonly nodes: MarkdownNode[];
  readonly opaque: ReadonlySet<number>;
  /** Open headings, outermost first; levels rise. */
  readonly headings: { readonly level: number; readonly node: number }[];
  /** Open list items, outermost first; indents rise. */
  readonly items: OpenItem[];
  fence: (Fence & { readonly from: number; readonly line: number }) | undefined;
  /** The line where an HTML comment began that is still open. */
  comment: number | undefined;
  wasBlank: boolean;
  wasCode: boolean;
  /** A paragraph of one line outside every list: an underline below makes it a heading. */
  paragraph: PlanLine | undefined;
}

/**
 * The headings and check boxes of a Markdown text. Not seen as such: what stands in code fences, indented code, block
 * quotes and HTML comments. Follows CommonMark but for indentation, where people are sloppy: two columns more than an
 * item are inside it, one is beside it, and eight without a blank line are still a list, not code.
 *
 * Check boxes below a heading in one of the `opaque` lines belong to that heading's text.
 */
export function outlineOf(text: string, opaque: ReadonlySet<number> = new Set()): Outline {
  const scan: Scan = {
    nodes: [],
    opaque,
    headings: [],
    items: [],
    fence: undefined,
    comment: undefined,
    wasBlank: true,
    wasCode: false,
    paragraph: undefined,
  };
  const start = endOfFrontMatter(text);
  for (const line of linesOf(text)) {
    refuseTooMuch(scan, line);
    if (line.offset >= start) takeLine(scan, line);
  }
  return { nodes: scan.nodes, notices: unclosed(scan) };
}

// B-04: beyond these, no signal is heard for too long while the text is read.
const MAX_LINES = 50_000;
const MAX_NODES = 12_000;

function refuseTooMuch({ nodes }: Scan, { number }: PlanLine): void {
  const hint = "Split the file, or import the tasks from JSON lines: ralphctl task import";
  const problem = `The plan goes on beyond ${MAX_LINES} lines`;
  if (number > MAX_LINES) throw new PlanError({ line: number, column: 1 }, problem, hint);
  const tooMany = `The plan has more than ${MAX_NODES} headings and check boxes`;
  if (nodes.length > MAX_NODES) throw new PlanError({ line: number, column: 1 }, tooMany, hint);
}

/** `---`, keys, `---` at the top of a file is data about it. A rule above a list is not: the second line decides. */
function endOfFrontMatter(text: string): number {
  if (!/^\uFEFF?---[ \t]*\r?\n[\w-]+:/.test(text)) return 0;
  const closing = /\n---[ \t]*(?:\r?\n|$)/g;
  closing.lastIndex = 4;
  return closing.test(text) ? closing.lastIndex : 0;
}

function unclosed({ fence, comment }: Scan): PlanNotice[] {
  if (fence) return [{ line: fence.line, message: "A code fence opens here and is never closed: the rest is code" }];
  if (comment === undefined) return [];
  return [{ line: comment, message: "A comment opens here and is never closed: the rest is part of it" }];
}

function takeLine(scan: Scan, line: PlanLine): void {
  const { wasBlank, paragraph } = scan;
  scan.paragraph = undefined;
  if (isBlank(line)) {
    ownerBody(scan)?.push(line);
    scan.wasBlank = true;
    return;
  }
  scan.wasBlank = false;
  if (isInside(scan, line)) return;
  scan.wasCode = isIndentedCode(scan, line, wasBlank);
  if (scan.wasCode) return takeText(scan, verbatim(line), wasBlank);

  if (line.text.startsWith("<!--", line.first)) {
    if (!line.text.includes("-->", line.first + 4)) scan.comment = line.number;
    return;
  }
  const fence = fenceAt(line.text, line.first);
  if (fence) return openFence(scan, line, fence);
  const heading = headingOf(line);
  if (heading) return openHeading(scan, line, heading);
  const level = paragraph && underlineLevel(line);
  if (level) {
    ownerBody(scan)?.pop();
    return openHeading(scan, paragraph, { level, text: paragraph.text.trim() });
  }
  const item = listItemOf(line);
  if (item) return openItem(scan, line, item);
  const isQuote = line.text[line.first] === ">";
  takeText(scan, isQuote ? verbatim(line) : line, wasBlank);
  if (wasBlank && scan.items.length === 0 && !isQuote) scan.paragraph = line;
}

/** Whether an open comment or fence takes the line. */
function isInside(scan: Scan, line: PlanLine): boolean {
  if (scan.comment !== undefined) {
    if (line.text.includes("-->")) scan.comment = undefined;
    return true;
  }
  if (!scan.fence) return false;
  if (line.indent < scan.fence.from) {
    // The list item that held the fence has ended, and the fence with it.
    scan.fence = undefined;
    return false;
  }
  ownerBody(scan)?.push(verbatim(line));
  if (closesFence(line, scan.fence)) scan.fence = undefined;
  return true;
}

function isIndentedCode(scan: Scan, line: PlanLine, wasBlank: boolean): boolean {
  const holder = holderOf(scan, line.indent);
  if (line.indent - (scan.items[holder]?.content ?? 0) < 4) return false;
  if (scan.items.length === 0 || scan.wasCode) return true;
  const sibling = scan.items[holder + 1];
  return wasBlank && !(sibling && Math.abs(sibling.indent - line.indent) <= 1);
}

/** Index of the innermost open item that something at this column is inside of; -1 for none. */
function holderOf({ items }: Scan, indent: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.indent + 2 <= indent) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function openFence(scan: Scan, line: PlanLine, fence: Fence): void {
  scan.items.length = holderOf(scan, line.indent) + 1;
  const from = scan.items.length === 0 ? 0 : scan.items.at(-1)!.indent + 1;
  scan.fence = { ...fence, from, line: line.number };
  ownerBody(scan)?.push(verbatim(line));
}

function openHeading(scan: Scan, line: PlanLine, { level, text }: { level: number; text: string }): void {
  scan.items.length = 0;
  while (scan.headings.length > 0 && scan.headings.at(-1)!.level >= level) scan.headings.pop();
  const parent = scan.headings.at(-1)?.node;
  scan.headings.push({ level, node: scan.nodes.length });
  scan.nodes.push({ kind: "heading", text, line: line.number, parent, body: [] });
  scan.wasBlank = true;
}

function openItem(scan: Scan, line: PlanLine, { content, box, text }: ListItem): void {
  scan.items.length = holderOf(scan, line.indent) + 1;
  const parent = ownerOf(scan);
  const holder = scan.headings.at(-1)?.node;
  if (!box || (holder !== undefined && scan.opaque.has(scan.nodes[holder]!.line))) {
    ownerBody(scan)?.push(line);
    scan.items.push({ indent: line.indent, content, owner: parent });
    const fence = fenceAt(text, 0);
    if (fence) scan.fence = { ...fence, from: line.indent + 1, line: line.number };
    return;
  }
  scan.items.push({ indent: line.indent, content, owner: scan.nodes.length });
  scan.nodes.push({ kind: "item", text, box, line: line.number, parent, body: [] });
}

/** Without a blank line before it, text continues whatever came last; after one, its indentation decides. */
function takeText(scan: Scan, line: PlanLine, wasBlank: boolean): void {
  if (wasBlank) while (scan.items.length > 0 && scan.items.at(-1)!.indent >= line.indent) scan.items.pop();
  ownerBody(scan)?.push(line);
}

const verbatim = (line: PlanLine): PlanLine => ({ ...line, isVerbatim: true });

const ownerOf = ({ items, headings }: Scan): number | undefined =>
  items.length > 0 ? items.at(-1)!.owner : headings.at(-1)?.node;

function ownerBody(scan: Scan): PlanLine[] | undefined {
  const owner = ownerOf(scan);
  return owner === undefined ? undefined : scan.nodes[owner]!.body;
}
