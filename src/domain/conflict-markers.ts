import { linesOf } from "./sigil/markdown.ts";

/**
 * L-26: whether a text holds an unresolved conflict: all three of git's markers, each at the beginning of its line, in
 * order. In Markdown, one that begins inside a code fence is an example.
 */
export function hasConflictMarkers(path: string, text: string): boolean {
  // Most files have none, and `includes` is much faster than reading lines.
  if (!text.includes("<<<<<<<") || !text.includes(">>>>>>>")) return false;
  const isMarkdown = /\.(?:md|mdx|mkd|markdown)$/i.test(path);
  let fence: string | undefined;
  let found: "none" | "ours" | "theirs" = "none";
  for (const { text: line } of linesOf(text)) {
    // A fence may begin or end between the markers, so only the first marker has to be outside.
    if (found === "none" && fence === undefined && OURS.test(line)) found = "ours";
    else if (found === "ours" && MIDDLE.test(line)) found = "theirs";
    else if (found === "theirs" && THEIRS.test(line)) return true;
    if (isMarkdown) fence = fenceAfter(fence, line);
  }
  return false;
}

const OURS = /^<{7}(?: |\r?$)/;
const MIDDLE = /^={7}\r?$/;
const THEIRS = /^>{7}(?: |\r?$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** The marks of the fence that is open after a line. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
  if (marks === "") return open;
  if (open === undefined) return marks.startsWith("`") && rest.includes("`") ? undefined : marks;
  return marks.startsWith(open) && rest.trim() === "" ? undefined : open;
}
