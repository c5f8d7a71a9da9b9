import type { EventOf, RunEvent } from "../../domain/run/event.ts";
import type { LineStyles } from "../../format/run-lines.ts";
import { freshMarkdown, markdownLine, type MarkdownState, openLines } from "./markdown.ts";
import type { Paint, Palette } from "./palette.ts";
import { wrapped, span } from "./spans.ts";

export interface LineStyleOptions {
  readonly palette: Palette;
  readonly columns: () => number;
  /** Show diffs in full. */
  readonly wantsDiffs: () => boolean;
}

/** Styles the lines of a run: agent texts as Markdown, other lines by their meaning. */
export function createLineStyles({ palette, columns, wantsDiffs }: LineStyleOptions): LineStyles {
  let state: MarkdownState = freshMarkdown;
  let last = "";
  // Wider prose is hard to read.
  const width = (): number => Math.min(columns() - 1, WIDEST_PROSE);
  const view = (indent: string) =>
    ({ palette, indent, width: width(), diffs: wantsDiffs() ? "whole" : "counts" }) as const;
  /** Prints the open table or diff before another line. */
  const close = (): string[] => {
    const lines = openLines(state, view(last));
    if (lines.length > 0) state = { fence: state.fence };
    return lines;
  };
  return {
    text: ({ text, indent, isThought, isFirst, isLast }) => {
      const before = isFirst ? close() : [];
      last = indent;
      if (isThought) {
        const first = [span(`${indent}~ `, palette.faint)];
        return [...before, ...wrapped([{ text, paint: palette.faint }], width(), { first, rest: `${indent}  ` })];
      }
      const after = markdownLine(isFirst ? freshMarkdown : state, text, view(indent));
      state = isLast ? freshMarkdown : after.state;
      return [...before, ...after.lines, ...(isLast ? openLines(after.state, view(indent)) : [])];
    },
    line: (line, event, index) => {
      const paint = paintOf(event, index, palette);
      const indent = /^ */.exec(line)![0];
      const before = close();
      // Output of gates and tools stays as it is.
      if (line.startsWith("    | ")) return [...before, paint(line)];
      const first = [span(indent, palette.plain)];
      const spans = [{ text: line.slice(indent.length), paint }];
      return [...before, ...wrapped(spans, columns() - 1, { first, rest: `${indent}  ` })];
    },
  };
}

const WIDEST_PROSE = 120;

type PaintName = Exclude<keyof Palette, "hasColors">;

/** Events with one style. */
const PAINTS: { readonly [Type in RunEvent["type"]]?: PaintName } = {
  "run.started": "faint",
  "run.waiting": "attention",
  "agent.tool": "faint",
  "agent.tool-result": "faint",
  "agent.session": "faint",
  "agent.notice": "faint",
  "agent.refused": "attention",
  "agent.retry": "attention",
  "agent.limit-warning": "attention",
  "agent.long-line": "attention",
  "agent.ended": "bad",
  "iteration.started": "strong",
  "session.stopped": "attention",
  "protocol.broken": "attention",
  "gate.started": "faint",
  "hook.started": "faint",
};

/** Events whose style depends on their content; `index`: the line of the event. */
const CHOICES: { readonly [Type in RunEvent["type"]]?: (event: EventOf<Type>, index: number) => PaintName } = {
  "run.notice": ({ level }) => (level === "warning" ? "attention" : "faint"),
  "check.finished": ({ red }) => (red.length === 0 ? "good" : "attention"),
  "gate.finished": ({ passed }, index) => (index > 0 ? "faint" : passed ? "good" : "bad"),
  "hook.finished": ({ passed }, index) => (index > 0 ? "faint" : passed ? "plain" : "bad"),
  "verdict.reached": ({ verdict }) => (verdict === "accepted" ? "good" : verdict === "rejected" ? "bad" : "attention"),
  "change.finished": ({ ending }) => (ending === "complete" ? "good" : "attention"),
  "iteration.finished": ({ outcome }) => (outcome === "verified" ? "good" : "plain"),
};

function paintOf(event: RunEvent, index: number, palette: Palette): Paint {
  // Looked up by the event's type, so the types match.
  const choose = CHOICES[event.type] as ((event: RunEvent, index: number) => PaintName) | undefined;
  return palette[choose?.(event, index) ?? PAINTS[event.type] ?? "plain"];
}
