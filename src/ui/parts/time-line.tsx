import { printableLine } from "../../domain/printable.ts";
import type { Timeline } from "../../domain/run/timeline.ts";
import { localTime } from "../../format/run-text.ts";
import { type Bar, type TimeRow, timeRows, toneKeys } from "./time-rows.ts";

const WIDTH = 1080;
/** Of the only row, and of one among several. */
const [HEIGHT, ROW_HEIGHT] = [44, 26];

/** Bars for iterations, gates, waits and checks, in rows, with start and end below. */
export function TimeLine({ timeline }: { timeline: Timeline }) {
  const { startedAtMs, lastAtMs } = timeline;
  const rows = timeRows(timeline);
  const scale = { fromMs: startedAtMs, perMs: WIDTH / Math.max(1, lastAtMs - startedAtMs) };
  const [only] = rows;
  return (
    <>
      {rows.length === 1 && only!.name === "" ? (
        <Row row={only!} scale={{ ...scale, height: HEIGHT }} label="The iterations in time" />
      ) : (
        <div class="time-rows">
          {rows.map((row) => (
            <>
              <span>{row.name}</span>
              <Row row={row} scale={{ ...scale, height: ROW_HEIGHT }} label={`${row.name} in time`} />
            </>
          ))}
        </div>
      )}
      <div class="time-keys">
        <span>{clock(startedAtMs)}</span>
        {toneKeys(rows).map(([tone, meaning]) => (
          <span class={`key ${tone}`}>{meaning}</span>
        ))}
        <span>{clock(lastAtMs)}</span>
      </div>
    </>
  );
}

interface Scale {
  readonly fromMs: number;
  readonly perMs: number;
  readonly height: number;
}

const Row = ({ row: { name, bars }, scale, label }: { row: TimeRow; scale: Scale; label: string }) => (
  <svg
    class={name === "" ? "only-row" : undefined}
    viewBox={`0 0 ${WIDTH} ${scale.height}`}
    width="100%"
    height={scale.height}
    preserveAspectRatio="none"
    role="group"
    aria-label={label}
  >
    {bars.map((bar) => (
      <BarPicture bar={bar} scale={scale} />
    ))}
  </svg>
);

function BarPicture({ bar, scale }: { bar: Bar; scale: Scale }) {
  const { fromMs, toMs, tone, text, iteration } = bar;
  const { perMs, height } = scale;
  const x = Math.max(0, (fromMs - scale.fromMs) * perMs);
  // A second within a night must still be visible.
  const width = Math.max(1.5, (toMs - fromMs) * perMs - 1.5);
  // Told apart without colours, too: what failed is a full block, what was accepted stands lower, what only passed is thin.
  const inset = { bad: 2, good: 5, warn: 8, idle: 10 }[tone] * (height / HEIGHT);
  const shape = (
    <g class={tone}>
      <title>{printableLine(text)}</title>
      <rect
        class="bar"
        x={x.toFixed(1)}
        y={inset.toFixed(1)}
        width={width.toFixed(1)}
        height={(height - 2 * inset).toFixed(1)}
      />
    </g>
  );
  return iteration === undefined ? shape : <a href={`#iteration-${iteration}`}>{shape}</a>;
}

const clock = (ms: number): string => localTime(ms).slice(0, 16);
