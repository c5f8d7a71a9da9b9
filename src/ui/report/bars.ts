import type { Timeline } from "../../domain/run/timeline.ts";
import { localTime } from "../../format/run-text.ts";
import { element, escaped, type Tone } from "./html.ts";
import { type Bar, type TimeRow, timeRows, toneKeys } from "./time-rows.ts";

const WIDTH = 1080;
/** Of the only row, and of one among several. */
const [HEIGHT, ROW_HEIGHT] = [44, 26];

/** Bars for iterations, gates, waits and checks, in rows, with start and end below. */
export function timeBars(timeline: Timeline): string {
  const { startedAtMs, lastAtMs } = timeline;
  const rows = timeRows(timeline);
  const scale = { fromMs: startedAtMs, perMs: WIDTH / Math.max(1, lastAtMs - startedAtMs) };
  const [only] = rows;
  const picture =
    rows.length === 1 && only!.name === ""
      ? rowPicture(only!, { ...scale, height: HEIGHT, label: "The iterations in time" })
      : `<div class="rows">\n${rows.map((row) => `${element("span", row.name)}${rowPicture(row, { ...scale, height: ROW_HEIGHT, label: `${row.name} in time` })}`).join("\n")}\n</div>`;
  const keys = toneKeys(rows).map(([tone, meaning]) => `<span class="key ${tone}">${meaning}</span>`);
  return `${picture}
<div class="under">${element("span", clock(startedAtMs))}${keys.join("")}${element("span", clock(lastAtMs))}</div>`;
}

interface Scale {
  readonly fromMs: number;
  readonly perMs: number;
  readonly height: number;
  readonly label: string;
}

function rowPicture({ bars }: TimeRow, scale: Scale): string {
  const { height, label } = scale;
  return `<svg viewBox="0 0 ${WIDTH} ${height}" width="100%" height="${height}" preserveAspectRatio="none" role="img" aria-label="${label}">
${bars.map((bar) => barPicture(bar, scale)).join("\n")}
</svg>`;
}

function barPicture({ fromMs, toMs, tone, text, iteration }: Bar, { perMs, height, ...scale }: Scale): string {
  const x = Math.max(0, (fromMs - scale.fromMs) * perMs);
  // A second within a night must still be visible.
  const width = Math.max(1.5, (toMs - fromMs) * perMs - 1.5);
  const shape = `<g class="${tone}"><title>${escaped(text)}</title><rect class="bar" x="${x.toFixed(1)}" y="4" width="${width.toFixed(1)}" height="${height - 8}"/></g>`;
  return iteration === undefined ? shape : `<a href="#iteration-${iteration}">${shape}</a>`;
}

const clock = (ms: number): string => localTime(ms).slice(0, 16);

const CELLS = 60;
const MARKS: Readonly<Record<Tone, string>> = { good: "█", bad: "▓", warn: "▒", idle: "░" };

/** The same as text, if there are several rows; empty otherwise. */
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
