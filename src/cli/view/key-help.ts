import type { RunRecord } from "../../domain/run/run-record.ts";
import type { BlockView, Detail, Person } from "./block-view.ts";
import type { Palette } from "./palette.ts";
import { cutSpans, joined, painted, type Span, widthOfSpans } from "./spans.ts";

const NEXT_DETAIL: Readonly<Record<Detail, string>> = {
  less: "show the usual lines again",
  normal: "show more: thinking, results, notices",
  more: "show less: only verdicts and problems",
};

/** All keys, one under the other. */
export function helpLines({ detail }: Person, palette: Palette, width: number): string[] {
  const keys: readonly (readonly [string, string])[] = [
    ["p", "pause after this iteration, and go on again; ends a wait, too"],
    ["s", "stop after this iteration"],
    ["c", "tell the next iteration something"],
    ["v", NEXT_DETAIL[detail]],
    ["Ctrl-C", "stop now; again: kill the agent"],
    ["?", "hide this"],
  ];
  return keys.map(([key, meaning]) =>
    painted(
      cutSpans(
        [
          { text: key.padEnd(8), paint: palette.strong },
          { text: meaning, paint: palette.plain },
        ],
        width,
      ),
    ),
  );
}

/** The keys in one line, as many as fit; the one that explains them first of all. */
export function keyHints({ summary }: RunRecord, { person, palette }: BlockView, width: number): string {
  const { detail, asked, isStopped } = person;
  const isHeld = summary.waiting !== undefined || asked.pause;
  const steering = [
    ["p", isHeld ? "go on" : "pause"],
    ["s", summary.waiting === undefined ? "stop after this" : "stop"],
    ["c", "add context"],
  ] as const;
  const hints = [
    // Who is to stop cannot be asked for anything else.
    ...(asked.stop || isStopped ? [] : steering),
    ["v", detail === "more" ? "less" : detail === "less" ? "usual" : "more"],
    ["?", "help"],
  ] as const;
  const items: Span[][] = hints.map(([key, meaning]) => [
    { text: key, paint: palette.strong },
    { text: ` ${meaning}`, paint: palette.faint },
  ]);
  while (items.length > 1 && widthOfSpans(joined(items, palette.faint)) > width) items.splice(-2, 1);
  return painted(cutSpans(joined(items, palette.faint), width));
}
