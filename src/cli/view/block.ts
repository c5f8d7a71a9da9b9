import { formatDuration } from "../../domain/duration.ts";
import { printableLine } from "../../domain/printable.ts";
import { openIterations, type Progress, progressOf, type RunRecord, spentOf } from "../../domain/run/run-record.ts";
import { agentText, iterationNumber, plural, formatUsd } from "../format/run-text.ts";
import { activity } from "./activity.ts";
import type { BlockView, Detail, ViewState } from "./block-view.ts";
import { editorLine } from "./editor.ts";
import type { Palette } from "./palette.ts";
import { cutSpans, joined, painted, span, type Span, twoSided, widthOfSpans } from "./spans.ts";

/** Below this there is no room for a block. */
const FEWEST_ROWS = 8;
const FEWEST_COLUMNS = 20;
/** With fewer rows the line of hints is omitted. */
const ROWS_FOR_HINTS = 16;

/** The status block: the state of the run in a few lines, one column narrower than the terminal. */
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

/** The line above the block, with scope and duration. */
function ruleLine(run: RunRecord, { nowMs, palette, columns }: BlockView, width: number): string {
  const { strong, faint, plain } = palette;
  const { started } = run.summary;
  const current = openIterations(run).at(-1)?.started;
  const facts = [
    started === undefined ? "ralphctl" : printableLine(started.scope),
    ...(current === undefined ? [] : [`iteration ${iterationNumber(current)}`]),
    ...(columns >= WIDE && started?.branch !== undefined ? [`branch ${printableLine(started.branch)}`] : []),
  ];
  const left: Span[] = [span("── ", faint), span(facts.join(" · "), strong)];
  const elapsed = run.startedAtMs === undefined ? "" : formatDuration(nowMs - run.startedAtMs);
  const most = started?.limits.timeMs;
  const time = most === undefined ? elapsed : `${elapsed} of ${formatDuration(most)}`;
  const right: Span[][] = time === "" ? [] : [[span(time, plain)]];
  return twoSided({ left, right, width, dot: faint, fill: span("─", faint) }).trimEnd();
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
      ? [span(mode === "plan" ? "Planning" : "Working", strong)]
      : [span(`${printableLine(task.id)} `, faint), span(printableLine(task.title), strong)];
  const agent = agentText(harness, model ?? session.model);
  const right: Span[][] = [
    [span(agent, plain)],
    ...(task === undefined || run.summary.started === undefined
      ? []
      : [[span(`attempt ${attempts + 1} of ${attemptLimit}`, attempts > 0 ? palette.attention : plain)]]),
  ];
  return [twoSided({ left, right, width, dot: faint })];
}

/** Progress and cost. */
function progressLine(run: RunRecord, { palette, columns }: BlockView, width: number): string[] {
  const { plain, good, bad, attention, faint } = palette;
  const right = spentItems(run, palette);
  const progress = progressOf(run);
  if (progress === undefined) {
    const { started } = run.summary;
    const open = started === undefined || started.mode === "plan" ? "" : plural(started.tasks, "open task");
    return open === "" && right.length === 0 ? [] : [twoSided({ left: [span(open, plain)], right, width, dot: faint })];
  }
  const { done, failed, waiting, total } = progress;
  const counts: Span[] = [
    span(`${done} of ${total} done`, plain),
    ...(failed === 0 ? [] : [span(` · ${failed} failed`, bad)]),
    ...(waiting === 0 ? [] : [span(` · ${waiting} ${waiting === 1 ? "waits" : "wait"} for you`, attention)]),
  ];
  const bar = columns < NARROW ? 0 : Math.min(Math.floor(width / 6), MOST_BAR);
  const { full, empty } = barOf(progress, bar);
  const left: Span[] = [span(full, good), span(empty, faint), span(bar === 0 ? "" : " ", plain), ...counts];
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
  const cost = `${isRough && costUsd !== undefined ? "~" : ""}${formatUsd(costUsd ?? 0)}`;
  const costs = mostUsd === undefined ? cost : `${cost} of ${formatUsd(mostUsd)}`;
  const counts = `${compact(tokens)}${mostTokens === undefined ? "" : ` of ${compact(mostTokens)}`} tokens`;
  return [
    ...(costUsd === undefined && mostUsd === undefined ? [] : [[span(costs, paint(costUsd ?? 0, mostUsd))]]),
    ...(tokens === 0 && mostTokens === undefined ? [] : [[span(counts, paint(tokens, mostTokens))]]),
  ];
}

/** From here on a budget draws attention. */
const NEARLY = 0.8;

/** The editor, else a note, else the key hints. */
function lastLine(run: RunRecord, view: BlockView, width: number): string[] {
  const { person, palette, rows } = view;
  const { editor, note, hasKeys, wantsHelp } = person;
  const { faint, attention } = palette;
  if (editor !== undefined) return [editorLine(editor, palette, width)];
  if (note !== undefined) {
    return [twoSided({ left: [span(printableLine(note), attention)], right: [], width, dot: faint })];
  }
  return hasKeys && !wantsHelp && rows >= ROWS_FOR_HINTS ? [keyHints(run, view, width)] : [];
}

const NEXT_DETAIL: Readonly<Record<Detail, string>> = {
  less: "show the normal output again",
  normal: "show more: thinking, results, notices",
  more: "show less: only verdicts and problems",
};

/** All keys, one under the other. */
export function helpLines({ detail }: ViewState, palette: Palette, width: number): string[] {
  const keys: readonly (readonly [string, string])[] = [
    ["p", "pause after this iteration, or continue; also ends a wait"],
    ["s", "stop after this iteration"],
    ["c", "add a note for the next iteration"],
    ["v", NEXT_DETAIL[detail]],
    ["Ctrl-C", "stop; a proof under way is finished; press again to stop at once"],
    ["?", "hide this"],
  ];
  return keys.map(([key, meaning]) =>
    painted(cutSpans([span(key.padEnd(8), palette.strong), span(meaning, palette.plain)], width)),
  );
}

/** The keys in one line, as many as fit; `?` is kept longest. */
export function keyHints({ summary }: RunRecord, { person, palette }: BlockView, width: number): string {
  const { detail, asked, isStopped } = person;
  const isHeld = summary.waiting !== undefined || asked.pause;
  const controls = [
    ["p", isHeld ? "continue" : "pause"],
    ["s", summary.waiting === undefined ? "stop after this" : "stop"],
    ["c", "add context"],
  ] as const;
  const hints = [
    // A stopping run accepts no other request.
    ...(asked.stop || isStopped ? [] : controls),
    ["v", detail === "more" ? "less" : detail === "less" ? "normal" : "more"],
    ["?", "help"],
  ] as const;
  const items: Span[][] = hints.map(([key, meaning]) => [
    span(key, palette.strong),
    span(` ${meaning}`, palette.faint),
  ]);
  while (items.length > 1 && widthOfSpans(joined(items, palette.faint)) > width) items.splice(-2, 1);
  return painted(cutSpans(joined(items, palette.faint), width));
}

/** `999`, `1.2k`, `120k`, `3.4M`: how much it is at a glance. */
export function compact(count: number): string {
  for (const [unit, size] of UNITS) {
    // Where rounding would give a thousand of the smaller unit.
    if (count < (unit === "k" ? size : size * 0.9995)) continue;
    const value = count / size;
    return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
  }
  return String(Math.round(count));
}

const UNITS = [
  ["G", 1e9],
  ["M", 1e6],
  ["k", 1e3],
] as const;

/** Full only when everything is done, and not empty once something is. */
export function barOf({ done, total }: Progress, width: number): { readonly full: string; readonly empty: string } {
  const exact = total === 0 ? 0 : (done / total) * width;
  const cells = done >= total && total > 0 ? width : Math.min(Math.max(Math.round(exact), done > 0 ? 1 : 0), width - 1);
  const full = Math.max(0, Math.min(cells, width));
  return { full: "█".repeat(full), empty: "░".repeat(Math.max(0, width - full)) };
}
