import type { ListedRun } from "../app/page/list-runs.ts";
import { countsOf } from "../domain/run/summary.ts";
import { isoTime } from "../domain/task-json.ts";

/** A run in the list of the page; null for missing values. */
export const listedRunJson = ({ run, startedAtMs, lastAtMs, state, summary, spent }: ListedRun) => ({
  run,
  scope: summary.started?.scope ?? null,
  state,
  startedAt: isoTime(startedAtMs),
  lastAt: isoTime(lastAtMs),
  mode: summary.started?.mode ?? null,
  harness: summary.started?.harness ?? null,
  branch: summary.started?.branch ?? null,
  ending: summary.finished?.ending ?? null,
  reason: summary.finished?.reason ?? null,
  tasks: countsOf(summary),
  commits: summary.commits,
  costUsd: spent.costUsd ?? null,
  isCostPartial: spent.isCostPartial,
  isCostEstimated: spent.isCostEstimated,
  tokens: spent.tokens,
  iterations: summary.finished?.iterations ?? summary.latest?.iteration ?? 0,
});
