import { formatDuration } from "../../domain/duration.ts";
import { printableLine } from "../../domain/printable.ts";
import { isProving, type IterationRecord } from "../../domain/run/iteration-record.ts";
import { inRooms, openIterations, type RunRecord } from "../../domain/run/run-record.ts";
import { agentText, plural, moneyTexts, shortSign } from "../../format/run-text.ts";
import { comingItems, gateSpans, idleSpans, isPausing, LONG_SILENCE_MS, shortWaitSpans, since } from "./activity.ts";
import { heldText } from "../../format/held-text.ts";
import type { BlockView } from "./block-view.ts";
import type { Palette } from "./palette.ts";
import { cell, cutSpans, joined, painted, span, type Span, twoSided, widthOf, widthOfSpans } from "./spans.ts";

/** L-43: a line per lane, then the room and the tasks that landed last. */
export function laneLines(run: RunRecord, view: BlockView, width: number): string[] {
  const { shown, folded } = lanesThatFit(run, view);
  const rows = shown.map((lane) => rowOf(run, lane, { ...view, columns: width }));
  const widths = widthsOf(rows, width);
  return [
    ...rows.map((row) => rowLine(row, view, widths)),
    ...(folded.length === 0 ? [] : [foldedLine(run, folded, { ...view, isRest: shown.length > 0 })]),
    roomLine(run, view, width),
    ...landedLine(run, view, width),
  ];
}

/** The other lines of the block: above the lanes, the room, what landed, progress, and keys. */
const OTHER_LINES = 5;

/** At most half of the terminal is block. Lanes at work come before idle ones; the rest is only counted. */
function lanesThatFit(run: RunRecord, { rows, person }: BlockView): { shown: number[]; folded: number[] } {
  const all = lanesOf(run);
  const room = Math.max(1, Math.floor(rows / 2) - OTHER_LINES);
  if (all.length <= room) return { shown: all, folded: [] };
  const rank = (lane: number): number => (lane === person.lane ? 0 : recordOf(run, lane) === undefined ? 2 : 1);
  const first = new Set(all.toSorted((one, other) => rank(one) - rank(other)).slice(0, room - 1));
  return { shown: all.filter((lane) => first.has(lane)), folded: all.filter((lane) => !first.has(lane)) };
}

/** Of a fleet those at work: which others there are, its machines know. */
export function lanesOf(run: RunRecord): number[] {
  const { fleet = false, lanes = 1 } = run.summary.started ?? {};
  const busy = openIterations(run).map(({ started }) => started.lane);
  if (fleet) return [...new Set(busy)].toSorted((one, other) => one - other);
  return Array.from({ length: Math.max(lanes, ...busy) }, (_, index) => index + 1);
}

const recordOf = (run: RunRecord, lane: number): IterationRecord | undefined =>
  openIterations(run).findLast(({ started }) => started.lane === lane);

interface Row {
  readonly lane: number;
  readonly isChosen: boolean;
  readonly task: readonly Span[];
  readonly agent: string;
  readonly doing: readonly Span[];
  readonly time: string;
  readonly cost: string;
}

/** From here on there is room for ids and models. */
const ROOMY = 100;

function rowOf(run: RunRecord, lane: number, view: BlockView): Row {
  const { nowMs, palette, columns, person } = view;
  const record = recordOf(run, lane);
  const row = { lane, isChosen: person.lane === lane };
  if (record === undefined) {
    return { ...row, ...withoutTask(run, lane, palette), agent: "", time: "", cost: "" };
  }
  const { task, mode, harness, model } = record.started;
  const isRoomy = columns >= ROOMY;
  return {
    ...row,
    task: [
      ...(isRoomy && task !== undefined ? [span(`${printableLine(task.id)} `, palette.faint)] : []),
      span(task === undefined ? (mode === "plan" ? "Planning" : "Working") : printableLine(task.title), palette.strong),
    ],
    agent: isRoomy ? agentText(harness, model ?? record.model) : printableLine(harness),
    doing: doingSpans(run, record, view),
    time: formatDuration(Math.max(0, nowMs - record.startedAtMs)),
    cost: moneyTexts(record.usage).map(shortSign).join(""),
  };
}

function withoutTask(
  { check, held }: RunRecord,
  lane: number,
  { faint, strong }: Palette,
): Pick<Row, "task" | "doing"> {
  if (check?.lane === lane) return { task: [], doing: [span("checks the gates of its next task", faint)] };
  if (held?.task !== undefined && held.lane === lane) {
    return {
      task: [span(printableLine(held.task.title), strong)],
      doing: [span("waits until no other lane works", faint)],
    };
  }
  return { task: [span("idle", faint)], doing: [span(heldText(held) ?? "", faint)] };
}

/** What happens in a lane now. */
function doingSpans(run: RunRecord, record: IterationRecord, { nowMs, palette }: BlockView): Span[] {
  const { attention, faint, plain, good, bad } = palette;
  const { ended, claims, verdict, doing, heardAtMs } = record;
  if (verdict !== undefined) {
    const isGood = verdict.verdict === "accepted";
    return [span(isGood ? "accepted, lands" : printableLine(verdict.verdict), isGood ? good : bad)];
  }
  if (isProving(record)) {
    const isIn = inRooms(run).includes(record);
    return [span(isIn ? "is being proven" : "waits for the room", isIn ? plain : faint)];
  }
  if (ended !== undefined) return [span(claims.length > 0 ? "settling" : "collecting the changes", faint)];
  if (nowMs - heardAtMs >= LONG_SILENCE_MS) return [span(`silent for ${since(heardAtMs, nowMs)}`, attention)];
  if (doing === undefined) return [span("starting", faint)];
  if (doing.kind === "thinking") return [span("thinking", faint)];
  const text = printableLine(doing.text);
  return doing.kind === "tool" ? [span(`> ${text}`, faint)] : [span(withoutMarks(text), plain)];
}

/** One line of Markdown, as words. */
const withoutMarks = (text: string): string => text.trim().replaceAll(/^#+ |^[-*] |\*\*|`/g, "");

interface Widths {
  readonly number: number;
  readonly task: number;
  readonly agent: number;
  readonly doing: number;
  readonly time: number;
  readonly cost: number;
}

const GAP = 2;
const WIDEST_AGENT = 24;
/** With less room for task and activity, the agent is left out, then the cost. */
const FEWEST_WORDS = 36;

/** Columns are as wide as their widest text; the task and what the agent does share the rest. */
function widthsOf(rows: readonly Row[], width: number): Widths {
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(widthOf));
  const number = widest(rows.map(({ lane }) => String(lane))) + 1;
  const time = widest(rows.map(({ time: text }) => text));
  let cost = widest(rows.map(({ cost: text }) => text));
  let agent = Math.min(WIDEST_AGENT, widest(rows.map(({ agent: text }) => text)));
  const restOf = (): number =>
    width - number - [agent, time, cost].reduce((sum, each) => sum + (each === 0 ? 0 : each + GAP), 0) - GAP;
  if (restOf() < FEWEST_WORDS) agent = 0;
  if (restOf() < FEWEST_WORDS) cost = 0;
  const rest = Math.max(0, restOf());
  const titles = Math.max(0, ...rows.map(({ task }) => widthOfSpans(task)));
  const words = Math.max(0, ...rows.map(({ doing }) => widthOfSpans(doing)));
  const task = Math.min(titles, Math.max(Math.ceil(rest / 2), rest - words));
  return { number, task, agent, time, cost, doing: rest - task };
}

function rowLine(row: Row, { palette }: BlockView, widths: Widths): string {
  const { plain, faint, attention } = palette;
  const gap = span(" ".repeat(GAP), plain);
  const optional = (text: string, width: number, side: "left" | "right"): Span[] =>
    width === 0 ? [] : [gap, ...cell([span(text, plain)], width, side)];
  return painted([
    span(`${row.lane}`.padStart(widths.number - 1), row.isChosen ? attention : faint),
    span(row.isChosen ? "▸" : " ", attention),
    ...cell(row.task, widths.task),
    ...optional(row.agent, widths.agent, "left"),
    gap,
    ...cell(row.doing, widths.doing),
    ...optional(row.time, widths.time, "right"),
    ...optional(row.cost, widths.cost, "right"),
  ]).trimEnd();
}

function foldedLine(
  run: RunRecord,
  folded: readonly number[],
  { palette, isRest }: BlockView & { readonly isRest: boolean },
): string {
  const busy = folded.filter((lane) => recordOf(run, lane) !== undefined).length;
  const counts = [busy > 0 ? `${busy} at work` : "", busy < folded.length ? `${folded.length - busy} idle` : ""];
  const what = isRest ? `and ${plural(folded.length, "more lane")}` : plural(folded.length, "lane");
  return palette.faint(`${what}: ${counts.filter(Boolean).join(", ")}`);
}

/** The gates that run now, and for which lane; otherwise what the run waits for. */
function roomLine(run: RunRecord, view: BlockView, width: number): string {
  const { palette } = view;
  const inside = inRooms(run);
  const [record] = inside;
  const waiting = openIterations(run).filter((each) => isProving(each) && !inside.includes(each)).length;
  const waits = isPausing(run) ? undefined : run.summary.waiting;
  const left =
    run.check !== undefined || record === undefined
      ? idleSpans({ ...run, summary: { ...run.summary, waiting: waits } }, view)
      : gateSpans(roomLabel(inside), record.gates, { ...view, run, columns: width });
  const pause = record === undefined || waits === undefined ? [] : [shortWaitSpans(waits, view)];
  const behind = waiting === 0 ? [] : [[span(`${waiting} ${waiting === 1 ? "waits" : "wait"}`, palette.faint)]];
  return twoSided({ left, right: [...comingItems(run, view), ...pause, ...behind], width, dot: palette.faint });
}

function roomLabel(inside: readonly IterationRecord[]): string {
  const lanes = inside.map(({ started }) => started.lane);
  return lanes.length === 1 ? `Room, lane ${lanes[0]}` : `Rooms, lanes ${lanes.join(", ")}`;
}

/** Newest first, as many as fit. */
function landedLine({ landed }: RunRecord, { palette, nowMs }: BlockView, width: number): string[] {
  if (landed.length === 0) return [];
  const items = landed
    .toReversed()
    .map(({ task, atMs }) => [
      span(printableLine(task.title), palette.plain),
      span(` ${since(atMs, nowMs)} ago`, palette.faint),
    ]);
  return [painted(cutSpans([span("Landed: ", palette.good), ...joined(items, palette.faint)], width))];
}
