import type { RunSummary } from "../../domain/run/summary.ts";
import { spentOf } from "../../domain/run/run-record.ts";
import { glanceAt } from "../run/run-glance.ts";
import { allRunLogs, isRunning, type RunLog } from "../run/run-logs.ts";
import { findStore } from "../task-store.ts";
import type { Caller } from "../task/caller.ts";

/** A run in the list of all. */
export interface ListedRun {
  readonly run: string;
  readonly startedAtMs: number;
  readonly lastAtMs: number;
  readonly state: "running" | "finished" | "ended";
  readonly summary: RunSummary;
  readonly spent: ReturnType<typeof spentOf>;
}

/** Lists runs whose records are kept, newest first. The log of a finished one is read once. Read-only (W-06). */
export function createRunList() {
  const finished = new Map<string, ListedRun>();
  return async ({ cwd }: Caller): Promise<ListedRun[]> => {
    const { root } = await findStore(cwd);
    const found: ListedRun[] = [];
    for (const log of (await allRunLogs(root)).reverse()) {
      const run = finished.get(log.file) ?? lookAt(log);
      if (run?.state === "finished") finished.set(log.file, run);
      if (run !== undefined) found.push(run);
    }
    return found;
  };
}

/** Undefined: it was refused before it started. */
function lookAt(log: RunLog): ListedRun | undefined {
  const lasts = isRunning(log);
  const glance = glanceAt(log.file);
  if (glance?.summary.started === undefined) return undefined;
  const { summary, startedAtMs, lastAtMs } = glance;
  const state = summary.finished !== undefined ? "finished" : lasts ? "running" : "ended";
  return { run: log.run, startedAtMs, lastAtMs, state, summary, spent: spentOf(glance) };
}
