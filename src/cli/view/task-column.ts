import type { OtherTasks } from "../../app/run/other-tasks.ts";
import { printableLine } from "../../domain/printable.ts";
import type { TaskName } from "../../domain/run/event.ts";
import { openIterations, progressOf, type RunRecord } from "../../domain/run/run-record.ts";
import { hasLanes } from "../../domain/run/summary.ts";
import type { Paint, Palette } from "./palette.ts";
import { cell, painted, span, widthOf } from "./spans.ts";

interface Group {
  readonly name: string;
  readonly count: number;
  readonly titles: readonly string[];
  readonly paint: Paint;
}

const DOING = "Doing";

/** With so many columns, the tasks stand beside the rest. */
export const COLUMNS_FOR_TASKS = 120;

/** The tasks by what becomes of them, in at most so many lines of a width. */
export function taskColumn(
  run: RunRecord,
  other: OtherTasks,
  { palette, width, most }: { readonly palette: Palette; readonly width: number; readonly most: number },
): string[] {
  const groups = groupsOf(run, other, palette).filter(({ count }) => count > 0);
  // The tasks under way alone are in the other column.
  if (groups.every(({ name }) => name === DOING)) return [];
  const shares = sharesOf(groups, most);
  const names = Math.max(0, ...groups.map(({ name, count }) => `${name} ${count}`.length));
  return groups.flatMap(({ name, count, titles, paint }, group) => {
    const lines = shares[group]!;
    // The number is worth a line even if no task is known by name.
    const shown = titles.length === 0 ? [""].slice(0, lines) : titles.slice(0, lines);
    return shown.map((title, index) =>
      painted([
        span((index === 0 ? `${name} ${count}` : "").padEnd(names + 2), paint),
        ...cell([span(printableLine(title), palette.plain)], Math.max(0, width - names - 2)),
      ]).trimEnd(),
    );
  });
}

function groupsOf(run: RunRecord, { next, ready, waiting, asking }: OtherTasks, palette: Palette): Group[] {
  const { good, strong, faint, attention } = palette;
  const done = run.landed.map(({ task }) => task).toReversed();
  const byLane = openIterations(run).toSorted((one, other) => one.started.lane - other.started.lane);
  const doing = byLane.flatMap(({ started }) => (started.task === undefined ? [] : [started.task]));
  const coming = next.filter(({ id }) => !doing.some((task) => task.id === id));
  // Several lanes have lines of their own.
  const inLanes = hasLanes(run.summary) && doing.length > 0 ? [titlesOf(doing).join(", ")] : titlesOf(doing);
  return [
    { name: "Done", count: Math.max(done.length, progressOf(run)?.done ?? 0), titles: titlesOf(done), paint: good },
    { name: DOING, count: doing.length, titles: inLanes, paint: strong },
    { name: "Next", count: Math.max(coming.length, ready), titles: titlesOf(coming), paint: faint },
    { name: "For you", count: asking, titles: titlesOf(waiting), paint: attention },
  ];
}

const titlesOf = (tasks: readonly TaskName[]): string[] => tasks.map(({ title }) => title);

/** Each group gets a line, then each a further one as long as there are lines and tasks; questions come first. */
function sharesOf(groups: readonly Group[], most: number): number[] {
  const shares = groups.map(() => 0);
  for (let left = most, isFull = false; left > 0 && !isFull;) {
    isFull = true;
    for (let group = groups.length - 1; group >= 0 && left > 0; group -= 1) {
      if (shares[group]! >= Math.max(1, groups[group]!.titles.length)) continue;
      shares[group]! += 1;
      left -= 1;
      isFull = false;
    }
  }
  return shares;
}

/** Puts two columns of lines side by side. */
export function beside(left: readonly string[], right: readonly string[], { width, line }: SideBySide): string[] {
  const rows = Math.max(left.length, right.length);
  return Array.from({ length: rows }, (_, row) => {
    const text = left[row] ?? "";
    return `${text}${" ".repeat(Math.max(0, width - widthOf(text)))}${line}${right[row] ?? ""}`.trimEnd();
  });
}

interface SideBySide {
  /** Of the left column. */
  readonly width: number;
  /** Between the columns. */
  readonly line: string;
}
