import { formatDuration } from "../../domain/duration.ts";
import { printableLine } from "../../domain/printable.ts";
import { estimateOf } from "../../domain/run/estimate.ts";
import type { RunStarted } from "../../domain/run/event.ts";
import { hasLanes } from "../../domain/run/summary.ts";
import { openIterations, type Progress, progressOf, type RunRecord, spentOf } from "../../domain/run/run-record.ts";
import { estimateText } from "../../format/estimate-text.ts";
import { agentText, iterationNumber, plural, formatUsd, costSign, shortSign } from "../../format/run-text.ts";
import { activity, unitOf } from "./activity.ts";
import type { BlockView, Detail, ViewState } from "./block-view.ts";
import { editorLine } from "./editor.ts";
import { laneLines, lanesOf } from "./lane-lines.ts";
import { beside, COLUMNS_FOR_TASKS, taskColumn } from "./task-column.ts";
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
  const lines = [ruleLine(run, view, width), ...stateLines(run, view, width)];
  const last = lastLine(run, view, width);
  const help = person.wantsHelp ? helpLines(run, person, { palette, width }) : [];
  return [...lines, ...help, ...last].slice(0, Math.max(0, rows - 3));
}

/** What goes on, and beside it the tasks if there is room for them. */
function stateLines(run: RunRecord, view: BlockView, width: number): string[] {
  const { columns, rows, palette, tasks } = view;
  if (columns < COLUMNS_FOR_TASKS || tasks === undefined) return ownLines(run, view, width);
  const line = `${palette.faint(" │")} `;
  const right = Math.min(WIDEST_TASKS, Math.floor(width / 3));
  const left = width - right - 3;
  const own = ownLines(run, view, left);
  const most = Math.max(own.length, Math.floor(rows / 4));
  const column = taskColumn(run, tasks, { palette, width: right, most });
  return column.length === 0 ? ownLines(run, view, width) : beside(own, column, { width: left, line });
}

const WIDEST_TASKS = 60;

function ownLines(run: RunRecord, view: BlockView, width: number): string[] {
  const isMany = hasLanes(run.summary) && run.summary.latest !== undefined;
  const one = (): string[] => [
    ...subjectLine(run, view, width),
    twoSided({ ...activity(run, { ...view, columns: width + 1 }), width, dot: view.palette.faint }),
  ];
  const lines = [...(isMany ? laneLines(run, view, width) : one()), ...progressLine(run, view, width)];
  // With this line, the one above and the keys, at most half of the terminal is block.
  return lines.length + 3 > view.rows / 2 ? lines : [...lines, ...estimateLine(run, view, width)];
}

/** When the run will probably be done, unless it is to stop before: this view may know of that first. */
function estimateLine(run: RunRecord, { nowMs, clock, palette, person }: BlockView, width: number): string[] {
  if (person.asked.stop || person.isStopped) return [];
  const text = estimateText(estimateOf(run, nowMs), nowMs, clock);
  return text === undefined ? [] : [painted(cutSpans([span(`Probably ${text}`, palette.faint)], width))];
}

/** The line above the block, with scope and duration. */
function ruleLine(run: RunRecord, view: BlockView, width: number): string {
  const { nowMs, palette, columns } = view;
  const { strong, faint, plain } = palette;
  const { started } = run.summary;
  const facts = [
    started === undefined ? "ralphctl" : scopeText(started),
    ...placeFacts(run, view),
    ...(columns >= WIDE && started?.branch !== undefined ? [`branch ${printableLine(started.branch)}`] : []),
  ];
  const left: Span[] = [span("── ", faint), span(facts.join(" · "), strong)];
  const elapsed = run.startedAtMs === undefined ? "" : formatDuration(nowMs - run.startedAtMs);
  const most = started?.limits.timeMs;
  const time = most === undefined ? elapsed : `${elapsed} of ${formatDuration(most)}`;
  const right: Span[][] = time === "" ? [] : [[span(time, plain)]];
  return twoSided({ left, right, width, dot: faint, fill: span("─", faint) }).trimEnd();
}

const scopeText = ({ scope, changes }: RunStarted): string =>
  printableLine(changes === undefined ? scope : plural(changes.length, "change"));

function placeFacts(run: RunRecord, { person }: BlockView): string[] {
  const { started, latest } = run.summary;
  if (!hasLanes(run.summary)) {
    const [current] = openIterations(run);
    return current === undefined ? [] : [`iteration ${iterationNumber(current.started)}`];
  }
  const { lanes = 1, fleet = false } = started!;
  const begun = Math.max(
    0,
    ...[latest, ...openIterations(run).map((each) => each.started)].map((each) => each?.iteration ?? 0),
  );
  const of = latest === undefined || latest.of === 0 ? "" : ` of ${latest.of}`;
  return [
    ...(fleet ? ["fleet"] : []),
    ...(person.lane === undefined
      ? fleet
        ? []
        : [`${lanes} lanes`]
      : [`lane ${person.lane}${fleet ? "" : ` of ${lanes}`}`]),
    ...(latest === undefined ? [] : [`${begun}${of} iterations`]),
  ];
}

const WIDE = 120;

/** The task, and who works on it. */
function subjectLine(run: RunRecord, { palette }: BlockView, width: number): string[] {
  const { plain, strong, faint } = palette;
  const [session] = openIterations(run);
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
function progressLine(run: RunRecord, { palette }: BlockView, width: number): string[] {
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
  const bar = width < NARROW ? 0 : Math.min(Math.floor(width / 6), MOST_BAR);
  const { full, empty } = barOf(progress, bar);
  const left: Span[] = [span(full, good), span(empty, faint), span(bar === 0 ? "" : " ", plain), ...counts];
  return [twoSided({ left, right, width, dot: faint, keepsLeft: true })];
}

const NARROW = 47;
const MOST_BAR = 40;

function spentItems(run: RunRecord, { plain, attention }: Palette): Span[][] {
  const { costUsd, tokens, isCostPartial, isCostEstimated } = spentOf(run);
  const { costUsd: mostUsd, tokens: mostTokens } = run.summary.started?.limits ?? {};
  const paint = (used: number, most: number | undefined) =>
    most !== undefined && used >= NEARLY * most ? attention : plain;
  const sign = costUsd === undefined ? "" : shortSign(costSign({ isCostPartial, isCostEstimated }));
  const cost = `${sign}${formatUsd(costUsd ?? 0)}`;
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
function helpLines(
  run: RunRecord,
  { detail, isWatching }: ViewState,
  { palette, width }: { readonly palette: Palette; readonly width: number },
): string[] {
  const keys: readonly (readonly [string, string])[] = [
    ["p", `pause after ${unitOf(run)}, or continue; also ends a wait`],
    ["s", `stop after ${unitOf(run)}`],
    ["c", "add a note for the next iteration"],
    ...(hasLanes(run.summary)
      ? [
          [
            "1-9",
            `show the words of this ${run.summary.started?.fleet === true ? "row" : "lane"}; again, or 0: all lanes`,
          ] as const,
        ]
      : []),
    ["v", NEXT_DETAIL[detail]],
    ...(isWatching
      ? ([
          ["S", "stop the run now; a proof under way is finished; again: at once"],
          ["q", "quit this view, also with Ctrl-C; the run goes on"],
        ] as const)
      : ([["Ctrl-C", "stop; a proof under way is finished; press again to stop at once"]] as const)),
    ["?", "hide this"],
  ];
  return keys.map(([key, meaning]) =>
    painted(cutSpans([span(key.padEnd(8), palette.strong), span(meaning, palette.plain)], width)),
  );
}

/** The keys in one line, as many as fit; `?` is kept longest. */
function keyHints(run: RunRecord, { person, palette }: BlockView, width: number): string {
  const { detail, asked, isStopped, isWatching, lane } = person;
  const { summary } = run;
  const lanes = lanesOf(run).length;
  const isHeld = summary.waiting !== undefined || asked.pause;
  // A stopping run accepts no other request.
  const isOpen = !asked.stop && !isStopped;
  const after = `stop after ${hasLanes(summary) ? "these" : "this"}`;
  const hints: readonly (readonly [key: string, meaning: string, isUseful: boolean])[] = [
    ["p", isHeld ? "continue" : "pause", isOpen],
    ["s", summary.waiting === undefined ? after : "stop", isOpen],
    ["q", "quit the view", isWatching],
    [`1-${Math.min(lanes, 9)}`, "lane", lanes > 1 && lane === undefined],
    ["0", "all lanes", lane !== undefined],
    ["c", "add context", isOpen],
    ["v", detail === "more" ? "less" : detail === "less" ? "normal" : "more", true],
    ["?", "help", true],
  ];
  const items: Span[][] = hints
    .filter(([, , isUseful]) => isUseful)
    .map(([key, meaning]) => [span(key, palette.strong), span(` ${meaning}`, palette.faint)]);
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
