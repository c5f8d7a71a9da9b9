import { iterationsOf, type Timeline } from "../../domain/run/timeline.ts";
import { durationText } from "../run-words.ts";
import { resultWord } from "../iteration-words.ts";
import { escaped } from "./html.ts";
import { outcomeTone, type Tone } from "./words.ts";

const [WIDTH, HEIGHT] = [1080, 44];

interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly tone: Tone;
  readonly text: string;
}

/** What the time went by with: a bar for each iteration and each wait. */
export function timeBars(timeline: Timeline): string {
  const { startedAtMs, lastAtMs, entries } = timeline;
  const scale = WIDTH / Math.max(1, lastAtMs - startedAtMs);
  const waits = entries.flatMap((entry): Bar[] =>
    entry.kind === "wait"
      ? [{ fromMs: entry.fromMs, toMs: entry.toMs ?? lastAtMs, tone: "warn", text: `Waiting: ${entry.for}` }]
      : [],
  );
  const bars = [...iterationsOf(timeline).map((record) => iterationBar(record, lastAtMs)), ...waits].map((bar) => {
    const x = Math.max(0, (bar.fromMs - startedAtMs) * scale);
    // One of a second in a night must be seen, too.
    const width = Math.max(1.5, (bar.toMs - bar.fromMs) * scale - 0.5);
    const text = `${bar.text} · ${durationText(bar.toMs - bar.fromMs)}`;
    return `<g class="${bar.tone}"><title>${escaped(text)}</title><rect class="bar" x="${x.toFixed(1)}" y="4" width="${width.toFixed(1)}" height="${HEIGHT - 8}"/></g>`;
  });
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="100%" height="${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="The iterations in time">\n${bars.join("\n")}\n</svg>`;
}

function iterationBar(record: ReturnType<typeof iterationsOf>[number], lastAtMs: number): Bar {
  const { started, finished, startedAtMs, endedAtMs } = record;
  const about = started.task?.title ?? started.mode;
  return {
    fromMs: startedAtMs,
    toMs: endedAtMs ?? lastAtMs,
    tone: outcomeTone(finished?.outcome, finished?.proof !== undefined && finished.proof !== "gates"),
    text: `${started.iteration}: ${about}: ${resultWord(record)}`,
  };
}
