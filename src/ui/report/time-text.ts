import type { Timeline } from "../../domain/run/timeline.ts";
import { localTime } from "../../format/run-text.ts";
import { timeRows, toneKeys } from "../parts/time-rows.ts";
import type { Tone } from "../parts/tone.ts";

const CELLS = 60;
const MARKS: Readonly<Record<Tone, string>> = { good: "█", bad: "▓", warn: "▒", idle: "░" };

/** The time line as text, if there are several rows; empty otherwise. */
export function timeText(timeline: Timeline): string {
  const { startedAtMs, lastAtMs } = timeline;
  const rows = timeRows(timeline);
  if (rows.every(({ name }) => name === "")) return "";
  const perMs = CELLS / Math.max(1, lastAtMs - startedAtMs);
  const cell = (ms: number): number => Math.min(CELLS - 1, Math.max(0, Math.floor((ms - startedAtMs) * perMs)));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, bars }) => {
    const cells = Array.from({ length: CELLS }, () => "·");
    for (const { fromMs, toMs, tone } of bars)
      cells.fill(MARKS[tone], cell(fromMs), cell(Math.max(fromMs, toMs - 1)) + 1);
    return `${name.padEnd(width)}  ${cells.join("")}`;
  });
  const [start, end] = [localTime(startedAtMs), localTime(lastAtMs)];
  const times = `${start} to ${end.slice(0, 10) === start.slice(0, 10) ? end.slice(11) : end}`;
  return [
    ...lines,
    `${"".padEnd(width)}  ${times}`,
    "",
    ...toneKeys(rows).map(([tone, text]) => `${MARKS[tone]} ${text}`),
  ].join("\n");
}
