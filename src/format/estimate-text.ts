import { formatDuration } from "../domain/duration.ts";
import type { Estimate, Range } from "../domain/run/estimate.ts";
import { clockText, formatUsd } from "./run-text.ts";

/** `done in 12m to 18m (14:20 to 14:26), for $3.10 to $4.00 in all`; undefined without an estimate. */
export function estimateText(
  found: Estimate | undefined,
  nowMs: number,
  clock?: (ms: number) => string,
): string | undefined {
  if (found === undefined) return undefined;
  const { leftMs, costUsd, isCostPartial } = found;
  const ends = { from: nowMs + leftMs.from, to: nowMs + leftMs.to };
  const when = rangeText(ends, (ms) => clockText(ms, nowMs, clock));
  const cost =
    costUsd === undefined ? "" : `, for ${isCostPartial ? "at least " : ""}${rangeText(costUsd, formatUsd)} in all`;
  return `done in ${spanText(leftMs)} (${when})${cost}`;
}

/** `12m to 18m`, rounded outwards. */
function spanText(span: Range): string {
  const step = STEPS.find(([below]) => span.to < below)![1];
  const from = Math.floor(span.from / step) * step;
  const to = Math.max(step, Math.ceil(span.to / step) * step);
  return from === 0 ? `at most ${formatDuration(to)}` : rangeText({ from, to }, formatDuration);
}

const [SECOND, MINUTE] = [1000, 60_000];

/** Below the first number, as exact as the second. */
const STEPS = [
  [2 * MINUTE, 5 * SECOND],
  [10 * MINUTE, 30 * SECOND],
  [90 * MINUTE, MINUTE],
  [6 * 60 * MINUTE, 5 * MINUTE],
  [Infinity, 30 * MINUTE],
] as const;

function rangeText({ from, to }: Range, format: (value: number) => string): string {
  const [low, high] = [format(from), format(to)];
  return low === high ? low : `${low} to ${high}`;
}
