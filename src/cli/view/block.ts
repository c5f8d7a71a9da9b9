import { formatDuration } from "../../domain/duration.ts";
import { printableLine } from "../../domain/printable.ts";
import { openIterations, progressOf, type RunRecord, spentOf } from "../../domain/run/run-record.ts";
import { agentText, counted, dollars } from "../format/run-words.ts";
import { activity } from "./activity.ts";
import type { BlockView } from "./block-view.ts";
import { editorLine } from "./editor.ts";
import { helpLines, keyHints } from "./key-help.ts";
import type { Palette } from "./palette.ts";
import { type Span, twoSided } from "./spans.ts";
import { barOf, compact } from "./words.ts";

/** Below this there is no room for a block beside the lines. */
const FEWEST_ROWS = 8;
const FEWEST_COLUMNS = 20;
/** With fewer rows the last line, which only helps, is left out. */
const ROWS_FOR_HINTS = 16;

/** The status block: how the run stands, in a few lines that are at most as wide as the terminal, less one column. */
export function renderBlock(run: RunRecord, view: BlockView): string[] {
  const { columns, rows, palette, person } = view;
  if (rows < FEWEST_ROWS || columns < FEWEST_COLUMNS || run.summary.finished !== undefined) return [];
  // In the last column a terminal may break the line.
  const width = columns - 1;
  const dot = palette.faint;
  const lines = [
    ruleLine(run, view, width),
    ...subjectLine(run, view, width),
    twoSided({ ...activity(run, view), width, dot }),
    ...progressLine(run, view, width),
  ];
  const last = lastLine(run, view, width);
  const help = person.wantsHelp ? helpLines(person, palette, width) : [];
  return [...lines, ...help, ...last].slice(0, Math.max(0, rows - 3));
}

/** What the run is about, and how long it has gone on: in the line that parts the block from what is above it. */
function ruleLine(run: RunRecord, { nowMs, palette, columns }: BlockView, width: number): string {
  const { strong, faint, plain } = palette;
  const { started } = run.summary;
  const current = openIterations(run).at(-1)?.started;
  const facts = [
    started === undefined ? "ralphctl" : printableLine(started.scope),
    ...(current === undefined ? [] : [`iteration ${current.iteration} of ${current.of}`]),
    ...(columns >= WIDE && started?.branch !== undefined ? [`branch ${printableLine(started.branch)}`] : []),
  ];
  const left: Span[] = [
    { text: "── ", paint: faint },
    { text: facts.join(" · "), paint: strong },
  ];
  const elapsed = run.startedAtMs === undefined ? "" : formatDuration(nowMs - run.startedAtMs);
  const most = started?.limits.timeMs;
  const time = most === undefined ? elapsed : `${elapsed} of ${formatDuration(most)}`;
  const right: Span[][] = time === "" ? [] : [[{ text: time, paint: plain }]];
  return twoSided({ left, right, width, dot: faint, fill: { text: "─", paint: faint } }).trimEnd();
}

const WIDE = 120;

/** The task, and who works on it. */
function subjectLine(run: RunRecord, { palette }: BlockView, width: number): string[] {
  const { plain, strong, faint } = palette;
  const session = openIterations(run).at(-1);
  if (session === undefined) return [];
  const { task, harness, model, attempts, attemptLimit, mode } = session.started;
  const left: Span[] =
    task === undefined
      ? [{ text: mode === "plan" ? "Planning" : "Working", paint: strong }]
      : [
          { text: `${printableLine(task.id)} `, paint: faint },
          { text: printableLine(task.title), paint: strong },
        ];
  const agent = agentText(harness, model ?? session.model);
  const right: Span[][] = [
    [{ text: agent, paint: plain }],
    ...(task === undefined || run.summary.started === undefined
      ? []
      : [[{ text: `attempt ${attempts + 1} of ${attemptLimit}`, paint: attempts > 0 ? palette.attention : plain }]]),
  ];
  return [twoSided({ left, right, width, dot: faint })];
}

/** How far the work is, and what it took. */
function progressLine(run: RunRecord, { palette, columns }: BlockView, width: number): string[] {
  const { plain, good, bad, attention, faint } = palette;
  const right = spentItems(run, palette);
  const progress = progressOf(run);
  if (progress === undefined) {
    const { started } = run.summary;
    const open = started === undefined || started.mode === "plan" ? "" : counted(started.tasks, "open task");
    return open === "" && right.length === 0
      ? []
      : [twoSided({ left: [{ text: open, paint: plain }], right, width, dot: faint })];
  }
  const { done, failed, waiting, total } = progress;
  const counts: Span[] = [
    { text: `${done} of ${total} done`, paint: plain },
    ...(failed === 0 ? [] : [{ text: ` · ${failed} failed`, paint: bad }]),
    ...(waiting === 0 ? [] : [{ text: ` · ${waiting} ${waiting === 1 ? "waits" : "wait"} for you`, paint: attention }]),
  ];
  const bar = columns < NARROW ? 0 : Math.min(Math.floor(width / 6), MOST_BAR);
  const { full, empty } = barOf(progress, bar);
  const left: Span[] = [
    { text: full, paint: good },
    { text: empty, paint: faint },
    { text: bar === 0 ? "" : " ", paint: plain },
    ...counts,
  ];
  return [twoSided({ left, right, width, dot: faint, keepsLeft: true })];
}

const NARROW = 48;
const MOST_BAR = 40;

function spentItems(run: RunRecord, { plain, attention }: Palette): Span[][] {
  const { costUsd, tokens } = spentOf(run);
  const { costUsd: mostUsd, tokens: mostTokens } = run.summary.started?.limits ?? {};
  const paint = (used: number, most: number | undefined) =>
    most !== undefined && used >= NEARLY * most ? attention : plain;
  const isRough = run.summary.isCostPartial || run.summary.isCostEstimated;
  const cost = `${isRough && costUsd !== undefined ? "~" : ""}${dollars(costUsd ?? 0)}`;
  return [
    ...(costUsd === undefined && mostUsd === undefined
      ? []
      : [
          [
            {
              text: mostUsd === undefined ? cost : `${cost} of ${dollars(mostUsd)}`,
              paint: paint(costUsd ?? 0, mostUsd),
            },
          ],
        ]),
    ...(tokens === 0 && mostTokens === undefined
      ? []
      : [
          [
            {
              text: `${compact(tokens)}${mostTokens === undefined ? "" : ` of ${compact(mostTokens)}`} tokens`,
              paint: paint(tokens, mostTokens),
            },
          ],
        ]),
  ];
}

/** From here on a budget is worth a look. */
const NEARLY = 0.8;

/** What is typed, else what was just said, else which keys there are. */
function lastLine(run: RunRecord, view: BlockView, width: number): string[] {
  const { person, palette, rows } = view;
  const { editor, note, hasKeys, wantsHelp } = person;
  const { faint, attention } = palette;
  if (editor !== undefined) return [editorLine(editor, palette, width)];
  if (note !== undefined) {
    return [twoSided({ left: [{ text: printableLine(note), paint: attention }], right: [], width, dot: faint })];
  }
  return hasKeys && !wantsHelp && rows >= ROWS_FOR_HINTS ? [keyHints(run, view, width)] : [];
}
