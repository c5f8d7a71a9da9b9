import { printableLine } from "../../domain/printable.ts";
import { formatUsd, durationText, formatNumber } from "../../format/run-text.ts";
import { costPerTask, type RunCost } from "./run-costs.ts";
import { Table } from "../parts/table.tsx";
import type { GateData, RunData } from "./data.ts";

const [WIDTH, HEIGHT] = [600, 120];
const MOST_BARS = 40;

/** Cost per verified task, run by run: oldest first. */
export function CostChart({ runs }: { readonly runs: readonly RunData[] }) {
  const costs = costPerTask(runs).slice(-MOST_BARS);
  if (costs.length === 0) return <p class="faint">No run with a known cost has verified a task yet.</p>;
  const most = Math.max(...costs.map(({ usd }) => usd));
  const step = WIDTH / Math.max(8, costs.length);
  return (
    <figure>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={describe(costs)}
      >
        {costs.map(({ run, usd, isPartial }, at) => {
          const height = most === 0 ? 2 : Math.max(2, (usd / most) * (HEIGHT - 4));
          return (
            <g key={run}>
              <title>{`${run}: ${isPartial ? "at least " : ""}${formatUsd(usd)} per verified task`}</title>
              <rect class="column-area" x={at * step} y={0} width={step} height={HEIGHT} />
              <rect
                class={isPartial ? "column partial" : "column"}
                x={at * step + 2}
                y={HEIGHT - height}
                width={Math.max(2, step - 4)}
                height={height}
              />
            </g>
          );
        })}
      </svg>
      <figcaption class="faint">
        <span>{costs.length === 1 ? "1 run" : `${costs.length} runs, oldest first`}</span>
        <span>
          {costs.length > 1 && `highest ${formatUsd(most)}, last `}
          {formatUsd(costs.at(-1)!.usd)}
        </span>
      </figcaption>
    </figure>
  );
}

const describe = (costs: readonly RunCost[]): string =>
  `Cost per verified task of ${costs.length} runs, oldest first: ${costs.map(({ usd }) => formatUsd(usd)).join(", ")}`;

/** Gates, the slowest first: half of their runs took no longer than the dark bar, nearly all no longer than the light one. */
export function GateTable({ gates }: { readonly gates: readonly GateData[] }) {
  if (gates.length === 0) return <p class="faint">No gate has run yet.</p>;
  const slowest = Math.max(1, ...gates.map(({ p95Ms }) => p95Ms));
  return (
    <Table
      isNamed
      isCards
      label="Gates"
      columns={[
        "Gate",
        { chart: "Time" },
        ...["Median", "95 %", "Runs", "Failed", "Flaky"].map((number) => ({ number })),
      ]}
      rows={gates
        .toSorted((one, other) => other.medianMs - one.medianMs)
        .map(({ gate, medianMs, p95Ms, runs, failed, flaky }) => [
          <bdi>{printableLine(gate)}</bdi>,
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar-soft" width={Math.max(1, (p95Ms / slowest) * 100)} height="10" />
            <rect class="bar-full" width={Math.max(1, (medianMs / slowest) * 100)} height="10" />
          </svg>,
          durationText(medianMs),
          durationText(p95Ms),
          formatNumber(runs),
          formatNumber(failed),
          <span class={flaky > 0 ? "warn" : undefined}>{formatNumber(flaky)}</span>,
        ])}
    />
  );
}
