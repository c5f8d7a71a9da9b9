import type { IterationRecord } from "../../domain/run/iteration-record.ts";
import { hasLanes } from "../../domain/run/summary.ts";
import { iterationsOf, type Timeline, type TimelineEntry } from "../../domain/run/timeline.ts";
import { checkText } from "../../format/check-text.ts";
import { gateResult } from "../../format/gate-lines.ts";
import { resultWord } from "../../format/iteration-text.ts";
import { durationText } from "../../format/run-text.ts";
import { outcomeTone, type Tone } from "./tone.ts";

/** What happened in one place, in time. */
export interface TimeRow {
  /** Empty if there is only one row. */
  readonly name: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly tone: Tone;
  readonly text: string;
  /** The iteration that it is about. */
  readonly iteration?: number;
}

/** L-43: a row per lane that worked, one for the room, and one for waits. With one lane all of it is one row. */
export function timeRows(timeline: Timeline): TimeRow[] {
  const { lastAtMs, entries, summary } = timeline;
  const records = iterationsOf(timeline);
  const barsOf = (kind: TimelineEntry["kind"]): Bar[] =>
    entries.flatMap((entry) => (entry.kind === kind ? otherBar(entry, lastAtMs) : []));
  const iterations = records.map((record) => iterationBar(record, lastAtMs));
  if (!hasLanes(summary)) return [{ name: "", bars: [...iterations, ...barsOf("wait"), ...barsOf("check")] }];
  const lanes = [...new Set(records.map(({ started }) => started.lane))].toSorted((one, other) => one - other);
  const rows: TimeRow[] = [
    ...lanes.map((lane) => ({
      name: `lane ${lane}`,
      bars: iterations.filter((_, at) => records[at]!.started.lane === lane),
    })),
    ...roomRows([...barsOf("check").map((bar) => [bar]), ...records.map((record) => gateBars(record, lastAtMs))]),
    { name: "waiting", bars: barsOf("wait") },
  ];
  return rows.filter(({ bars }) => bars.length > 0);
}

/** L-10: proofs at the same time were in different rooms. */
function roomRows(proofs: readonly (readonly Bar[])[]): TimeRow[] {
  const rows: Bar[][] = [];
  const fromOf = ([first]: readonly Bar[]): number => first!.fromMs;
  for (const bars of proofs.filter(({ length }) => length > 0).toSorted((one, other) => fromOf(one) - fromOf(other))) {
    const free = rows.find((row) => row.every(({ toMs }) => toMs <= fromOf(bars)));
    if (free === undefined) rows.push([...bars]);
    else free.push(...bars);
  }
  return rows.map((bars, at) => ({ name: at === 0 ? "room" : `room ${at + 1}`, bars }));
}

function iterationBar(record: IterationRecord, lastAtMs: number): Bar {
  const { started, finished, startedAtMs, endedAtMs } = record;
  const about = started.task?.title ?? started.mode;
  const toMs = endedAtMs ?? lastAtMs;
  return {
    fromMs: startedAtMs,
    toMs,
    tone: outcomeTone(finished),
    text: `${started.iteration}: ${about}: ${resultWord(record)} · ${durationText(toMs - startedAtMs)}`,
    iteration: started.iteration,
  };
}

function otherBar(entry: TimelineEntry, lastAtMs: number): Bar[] {
  if (entry.kind === "iteration") return [];
  const toMs = entry.toMs ?? lastAtMs;
  if (entry.kind === "wait") {
    const text = `Waiting: ${entry.for} · ${durationText(toMs - entry.fromMs)}`;
    return [{ fromMs: entry.fromMs, toMs, tone: "warn", text }];
  }
  const lane = entry.lane === undefined ? "" : `lane ${entry.lane}: `;
  const text = `${lane}${checkText(entry)} · ${durationText(toMs - entry.atMs)}`;
  return [{ fromMs: entry.atMs, toMs, tone: "idle", text }];
}

const gateBars = ({ gates, started: { iteration, lane } }: IterationRecord, lastAtMs: number): Bar[] =>
  gates.map(({ gate, startedAtMs, result }) => ({
    fromMs: startedAtMs,
    toMs: result === undefined ? lastAtMs : startedAtMs + result.durationMs,
    tone: result === undefined ? "idle" : result.passed ? "good" : "bad",
    text: `lane ${lane}, iteration ${iteration}: ${result === undefined ? `${gate}: did not finish` : gateResult(gate, result)}`,
    iteration,
  }));

/** What the tones of the rows mean. */
export function toneKeys(rows: readonly TimeRow[]): (readonly [Tone, string])[] {
  const used = new Set(rows.flatMap(({ bars }) => bars.map(({ tone }) => tone)));
  return KEYS.filter(([tone]) => used.has(tone));
}

const KEYS: readonly (readonly [Tone, string])[] = [
  ["good", "proven or unbroken"],
  ["bad", "rejected or failed"],
  ["warn", "waiting, or to look at"],
  ["idle", "checks, and unfinished work"],
];
