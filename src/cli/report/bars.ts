import { iterationsOf, type Timeline, type TimelineEntry } from "../../domain/run/timeline.ts";
import { resultWord } from "../format/iteration-text.ts";
import { durationText, localTime } from "../format/run-text.ts";
import { checkText } from "../format/timeline-text.ts";
import { element, escaped, outcomeTone, type Tone } from "./html.ts";

const [WIDTH, HEIGHT] = [1080, 44];

interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly tone: Tone;
  readonly text: string;
  /** The iteration that it links to. */
  readonly iteration?: number;
}

/** A bar for each iteration, wait and check, with start and end below. */
export function timeBars(timeline: Timeline): string {
  const { startedAtMs, lastAtMs, entries } = timeline;
  const scale = WIDTH / Math.max(1, lastAtMs - startedAtMs);
  const bars = [
    ...iterationsOf(timeline).map((record) => iterationBar(record, lastAtMs)),
    ...entries.flatMap((entry) => otherBar(entry, lastAtMs)),
  ];
  const shapes = bars.map((bar) => {
    const x = Math.max(0, (bar.fromMs - startedAtMs) * scale);
    // A second within a night must still be visible.
    const width = Math.max(1.5, (bar.toMs - bar.fromMs) * scale - 0.5);
    const text = `${bar.text} · ${durationText(bar.toMs - bar.fromMs)}`;
    const shape = `<g class="${bar.tone}"><title>${escaped(text)}</title><rect class="bar" x="${x.toFixed(1)}" y="4" width="${width.toFixed(1)}" height="${HEIGHT - 8}"/></g>`;
    return bar.iteration === undefined ? shape : `<a href="#iteration-${bar.iteration}">${shape}</a>`;
  });
  const keys = KEYS.filter(([tone]) => bars.some((bar) => bar.tone === tone)).map(
    ([tone, meaning]) => `<span class="key ${tone}">${meaning}</span>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="100%" height="${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="The iterations in time">
${shapes.join("\n")}
</svg>
<div class="under">${element("span", clock(startedAtMs))}${keys.join("")}${element("span", clock(lastAtMs))}</div>`;
}

const KEYS: readonly (readonly [Tone, string])[] = [
  ["good", "proven or unbroken"],
  ["bad", "rejected or failed"],
  ["warn", "waiting, or to look at"],
  ["idle", "checks, and unfinished work"],
];

const clock = (ms: number): string => localTime(ms).slice(0, 16);

function iterationBar(record: ReturnType<typeof iterationsOf>[number], lastAtMs: number): Bar {
  const { started, finished, startedAtMs, endedAtMs } = record;
  const about = started.task?.title ?? started.mode;
  return {
    fromMs: startedAtMs,
    toMs: endedAtMs ?? lastAtMs,
    tone: outcomeTone(finished),
    text: `${started.iteration}: ${about}: ${resultWord(record)}`,
    iteration: started.iteration,
  };
}

function otherBar(entry: TimelineEntry, lastAtMs: number): Bar[] {
  if (entry.kind === "wait") {
    return [{ fromMs: entry.fromMs, toMs: entry.toMs ?? lastAtMs, tone: "warn", text: `Waiting: ${entry.for}` }];
  }
  if (entry.kind !== "check") return [];
  return [{ fromMs: entry.atMs, toMs: entry.toMs ?? lastAtMs, tone: "idle", text: checkText(entry) }];
}
