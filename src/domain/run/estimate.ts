import type { Pace } from "./pace.ts";
import { openIterations, type RunRecord, spentOf } from "./run-record.ts";

/**
 * L-43: when a run is done and what it costs then, if its tasks go on as before; undefined if that cannot be told, as while
 * fewer than three tasks are finished, or when a person has paused the run or asked it to stop.
 */
export function estimateOf(run: RunRecord, nowMs: number): Estimate | undefined {
  const { started, finished, latest, waiting, asked } = run.summary;
  const isHeld = waiting?.for === "pause" || asked.stop;
  if (run.left === undefined || finished !== undefined || isHeld) return undefined;
  const open = openIterations(run).filter((iteration) => iteration.started.task !== undefined);
  const spent = spentOf(run);
  const isWaiting = open.length === 0 && waiting?.untilMs !== undefined;
  return estimate({
    pace: run.pace,
    tasks: run.left.ready + run.left.blocked,
    underWayMs: open.map(({ startedAtMs }) => Math.max(0, nowMs - startedAtMs)),
    lanes: started?.lanes ?? 1,
    chain: latest?.chain,
    waitMs: isWaiting ? Math.max(0, waiting.untilMs - nowMs) : 0,
    spentUsd: spent.costUsd,
    isSpentPartial: spent.isCostPartial,
  });
}

export interface WorkAhead {
  readonly pace: Pace;
  /** Tasks to do, without those under way. */
  readonly tasks: number;
  /** How long each task under way has taken in its lane. */
  readonly underWayMs: readonly number[];
  readonly lanes: number;
  /** How many tasks must be done one after the other; undefined: not known. */
  readonly chain: number | undefined;
  /** Until work can go on. */
  readonly waitMs: number;
  readonly spentUsd: number | undefined;
  /** More was spent than that. */
  readonly isSpentPartial?: boolean;
}

/** From the least to the most that is likely. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface Estimate {
  /** How many finished tasks it is made from. */
  readonly tasks: number;
  /** Until all work is done. */
  readonly leftMs: Range;
  /** Of the whole run; undefined if too few tasks reported any. */
  readonly costUsd: Range | undefined;
  /** The cost of some sessions is unknown: it will be at least that. */
  readonly isCostPartial: boolean;
}

const FEWEST_TASKS = 3;

/** The same from what has to be known for it. */
export function estimate({
  pace,
  tasks,
  underWayMs,
  spentUsd,
  isSpentPartial = false,
  ...work
}: WorkAhead): Estimate | undefined {
  const count = tasks + underWayMs.length;
  const times = pace.finished.map(({ ms }) => ms);
  const costs = pace.finished.flatMap(({ costUsd }) => costUsd ?? []);
  if (count <= 0 || times.length < FEWEST_TASKS) return undefined;
  const typical = quantile(times, 0.5);
  const passed = underWayMs.map((ms) => Math.min(ms, typical));
  const usual = timeLeft(times, { ...work, count, passed });
  const left = { from: usual.from, to: Math.max(usual.to, overdue(times, underWayMs)) };
  // Agents of one kind may report a cost, and those of another none.
  const reporting = (count * costs.length) / times.length;
  const more = costs.length < FEWEST_TASKS ? undefined : sumOf(costs, reporting);
  // The cost of tasks under way is partly spent, and only known when they end.
  const done = typical === 0 ? 0 : passed.reduce((sum, ms) => sum + ms, 0) / typical;
  const isSpent = more === undefined ? 0 : (more.from / count) * done;
  const spent = spentUsd ?? 0;
  return {
    tasks: times.length,
    leftMs: { from: left.from + work.waitMs, to: left.to + work.waitMs },
    costUsd: more && { from: spent + more.from - isSpent, to: spent + more.to },
    isCostPartial: isSpentPartial || pace.finished.some(({ isCostPartial }) => isCostPartial),
  };
}

/** One that takes longer than every task before it is no usual one: for all that is known, half of its time has passed. */
function overdue(times: readonly number[], underWayMs: readonly number[]): number {
  const longest = Math.max(0, ...underWayMs);
  return longest > Math.max(...times) ? longest : 0;
}

interface Lanes extends Pick<WorkAhead, "lanes" | "chain"> {
  readonly count: number;
  readonly passed: readonly number[];
}

/** Not before a lane has done its part of all work and a chain of tasks is through; at the latest, one after the other. */
function timeLeft(times: readonly number[], { lanes, chain, count, passed }: Lanes): Range {
  const all = sumOf(times, count);
  const isPassed = passed.reduce((sum, ms) => sum + ms, 0);
  // A damaged log may say any number.
  const used = Math.max(1, Math.min(lanes, count));
  const inRow = sumOf(times, Math.max(1, Math.min(chain ?? 1, count)));
  const from = Math.max((all.from - isPassed) / used, inRow.from - Math.max(0, ...passed), 0);
  const last = chain === undefined && used > 1 ? all.to : inRow.to;
  const to = Math.min(all.to - isPassed, (all.to - isPassed) / used + (1 - 1 / used) * last);
  return { from, to: Math.max(from, to) };
}

/** Half of all values are between their quartiles. With this many distances from the middle, it is most of them. */
const WIDTH = 1.75;

/** The sum of so many more values like these. Its spread grows with the root of their number, and with few known values. */
function sumOf(values: readonly number[], count: number): Range {
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => quantile(values, part)) as [number, number, number];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = WIDTH * Math.sqrt(count + count ** 2 / values.length);
  return {
    from: Math.max(count * Math.min(...values), count * Math.min(median, mean) - (median - low) * spread),
    to: count * Math.max(median, mean) + (high - median) * spread,
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}
