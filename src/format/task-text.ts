import { printableLine } from "../domain/printable.ts";
import type { Standing, StandingKind } from "../domain/standing.ts";
import type { Task } from "../domain/task.ts";
import { isoTime } from "../domain/task-json.ts";
import { stateOf } from "../domain/task-state.ts";

export interface Columns {
  readonly hasScopes: boolean;
  /** The indentation of the title, for trees. */
  readonly depth?: number | undefined;
  readonly standing?: Standing | undefined;
}

type Row = readonly [task: Task, columns: Columns];

/** Aligned lines of a list. Column widths grow from batch to batch, so that a list is read only once. */
export function taskLines(): (rows: readonly Row[]) => string {
  let widths: readonly number[] = [];
  return (rows) => {
    const cells = rows.map(([task, columns]) => cellsOf(task, columns));
    for (const row of cells) widths = row.map(({ length }, index) => Math.max(length, widths[index] ?? 0));
    return cells
      .map((row, index) => {
        const [task, { depth = 0 }] = rows[index]!;
        const aligned = row.map((cell, column) => cell.padEnd(widths[column]!));
        return `${aligned.join("  ")}  ${movedIn(depth)}${printableLine(task.title)}\n`;
      })
      .join("");
  };
}

const cellsOf = (task: Task, { hasScopes, standing }: Columns): readonly string[] => [
  task.id,
  standing === undefined ? stateOf(task) : `${stateOf(task)}, ${STANDING_WORDS[standing.kind]}`,
  `p${task.priority}`,
  ...(hasScopes ? [printableLine(task.scope)] : []),
];

export const STANDING_WORDS: Readonly<Record<StandingKind, string>> = {
  proven: "proven",
  unbroken: "unbroken",
  word: "by your word",
  look: "to look at",
  unrecorded: "not on record",
};

/** "to look at: tests changed". */
export const standingText = ({ kind, reasons }: Standing): string =>
  [STANDING_WORDS[kind], ...(reasons.length === 0 ? [] : [reasons.join("; ")])].join(": ");

const DEEPEST = 20;

/** A tree may be very deep: beyond some depth, print the level instead. */
const movedIn = (depth: number): string =>
  depth <= DEEPEST ? "  ".repeat(depth) : `${"  ".repeat(DEEPEST)}(level ${depth + 1}) `;

/** A short line for one task among others. */
export const taskLine = (task: Task): string => `${task.id}  ${stateOf(task)}  ${printableLine(task.title)}`;

/** UTC, to the second. */
export const timeText = (ms: number): string => `${isoTime(ms).slice(0, 19).replace("T", " ")}Z`;
