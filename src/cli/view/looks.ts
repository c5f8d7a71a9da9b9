import type { EventOf, RunEvent } from "../../domain/run/event.ts";
import type { LineLooks } from "../run-lines.ts";
import { freshMarkdown, markdownLine, type MarkdownState } from "./markdown.ts";
import type { Paint, Palette } from "./palette.ts";
import { wrapped } from "./spans.ts";

/** How the lines of a run look at a terminal: texts of agents as Markdown, all else by what it means. */
export function createLooks(palette: Palette, columns: () => number): LineLooks {
  let state: MarkdownState = freshMarkdown;
  // Prose that is wider than this is hard to read.
  const width = (): number => Math.min(columns() - 1, WIDEST_PROSE);
  return {
    text: ({ text, indent, isThought, isFirst }) => {
      if (isThought) {
        const first = [{ text: `${indent}~ `, paint: palette.faint }];
        return wrapped([{ text, paint: palette.faint }], width(), { first, rest: `${indent}  ` });
      }
      const after = markdownLine(isFirst ? freshMarkdown : state, text, { palette, width: width(), indent });
      state = after.state;
      return after.lines;
    },
    line: (line, event, index) => {
      const paint = paintOf(event, index, palette);
      const indent = /^ */.exec(line)![0];
      // What a gate or a tool printed stays as it is.
      if (line.startsWith("    | ")) return [paint(line)];
      const first = [{ text: indent, paint: palette.plain }];
      return wrapped([{ text: line.slice(indent.length), paint }], columns() - 1, { first, rest: `${indent}  ` });
    },
  };
}

const WIDEST_PROSE = 120;

type PaintName = Exclude<keyof Palette, "hasColors">;

/** Those whose lines all look the same. */
const PAINTS: { readonly [Type in RunEvent["type"]]?: PaintName } = {
  "run.started": "faint",
  "run.waiting": "attention",
  "agent.tool": "faint",
  "agent.tool-result": "faint",
  "agent.session": "faint",
  "agent.notice": "faint",
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

/** Those whose looks depend on what they say; `index`: which of their lines it is. */
const CHOICES: { readonly [Type in RunEvent["type"]]?: (event: EventOf<Type>, index: number) => PaintName } = {
  "run.notice": ({ level }) => (level === "warning" ? "attention" : "faint"),
  "check.finished": ({ red }) => (red.length === 0 ? "good" : "attention"),
  "gate.finished": ({ passed }, index) => (index > 0 ? "faint" : passed ? "good" : "bad"),
  "hook.finished": ({ passed }, index) => (index > 0 ? "faint" : passed ? "plain" : "bad"),
  "verdict.reached": ({ verdict }) => (verdict === "accepted" ? "good" : verdict === "rejected" ? "bad" : "attention"),
  "iteration.finished": ({ outcome }) => (outcome === "verified" ? "good" : "plain"),
};

function paintOf(event: RunEvent, index: number, palette: Palette): Paint {
  // Found by the event's own type, so it is the one for it.
  const choose = CHOICES[event.type] as ((event: RunEvent, index: number) => PaintName) | undefined;
  return palette[choose?.(event, index) ?? PAINTS[event.type] ?? "plain"];
}
