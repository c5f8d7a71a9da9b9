import { basename, dirname, resolve } from "node:path";
import type { TaskGraph } from "../domain/graph/graph.ts";
import { iterationsOf, type Timeline } from "../domain/run/timeline.ts";
import { scopesOfRun } from "../domain/run/ready-changes.ts";
import { writeAtomic } from "../system/folder.ts";
import { type InspectedIteration, inspectIteration } from "./inspect/iteration.ts";
import { readTimeline } from "./inspect/read-timeline.ts";
import { type FlakyGate, readFlaky } from "../loop/flaky-gates.ts";
import { findRunLog, isRunning, newestRunLog } from "./run/run-logs.ts";
import { type Caller, reading } from "./task/caller.ts";
import { graphOf } from "./task/graph-tasks.ts";
import { askedScopeKey, openWorkspace, type ScopeChoice } from "./workspace.ts";

/** Everything about a run. */
export interface RunReport {
  /** Of the workspace's folder. */
  readonly name: string;
  readonly timeline: Timeline;
  readonly isRunning: boolean;
  readonly iterations: readonly InspectedIteration[];
  /** The tasks of its scope, as they are now. */
  readonly graph: TaskGraph;
  /** Gates that failed and passed on the same files, in this run or an earlier one. */
  readonly flaky: readonly FlakyGate[];
  readonly madeAtMs: number;
  /** The folder of the run. */
  readonly folder: string;
}

export interface ReportRequest {
  /** A run, by its id or the beginning of it; undefined: the newest of the scope. */
  readonly run: string | undefined;
  readonly scope: ScopeChoice;
}

/** Makes a report; undefined without a run. Read-only (W-06). */
export async function makeReport({ run, scope }: ReportRequest, caller: Caller): Promise<RunReport | undefined> {
  const workspace = await openWorkspace(caller);
  const { root } = workspace;
  const log =
    run === undefined ? await newestRunLog(root, await askedScopeKey(workspace, scope)) : await findRunLog(run, root);
  const timeline = log && (await readTimeline(log));
  if (log === undefined || timeline === undefined) return undefined;
  const iterations: InspectedIteration[] = [];
  for (const record of iterationsOf(timeline)) iterations.push(await inspectIteration(record, log.root, workspace));
  const { started } = timeline.summary;
  return {
    name: basename(log.root),
    timeline,
    isRunning: isRunning(log),
    iterations,
    ...(await reading(caller, async ({ store }) => ({
      graph: await graphOf(store, started && scopesOfRun(started)),
      flaky: await readFlaky(store),
    }))),
    madeAtMs: Date.now(),
    folder: dirname(log.file),
  };
}

/** Returns where it was written. */
export async function writeReport(cwd: string, file: string, text: string): Promise<string> {
  const path = resolve(cwd, file);
  await writeAtomic(path, text);
  return path;
}
