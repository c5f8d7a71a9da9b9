import { formatDuration } from "../../domain/duration.ts";
import type { Estimate, Range } from "../../domain/run/estimate.ts";
import { formatUsd } from "./run-text.ts";

/** `12m to 18m`, rounded outwards. */
export function timeLeftText({ leftMs }: Estimate): string {
  const step = STEPS.find(([below]) => leftMs.to < below)![1];
  const from = Math.floor(leftMs.from / step) * step;
  const to = Math.max(step, Math.ceil(leftMs.to / step) * step);
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

/** `$3.10 to $4.00` for the whole run; undefined if it is not known. */
export const finalCostText = ({ costUsd }: Estimate): string | undefined => costUsd && rangeText(costUsd, formatUsd);

export function rangeText({ from, to }: Range, format: (value: number) => string): string {
  const [low, high] = [format(from), format(to)];
  return low === high ? low : `${low} to ${high}`;
}
