import { basename, dirname, resolve } from "node:path";
import type { TaskGraph } from "../domain/graph/graph.ts";
import { iterationsOf, type Timeline } from "../domain/run/timeline.ts";
import { scopesOfRun } from "../domain/run/ready-changes.ts";
import { writeAtomic } from "../system/folder.ts";
import { type InspectedIteration, inspectIteration, patchBeginning } from "./inspect/iteration.ts";
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
  readonly iterations: readonly ReportedIteration[];
  /** The tasks of its scope, as they are now. */
  readonly graph: TaskGraph;
  /** Gates that failed and passed on the same files, in this run or an earlier one. */
  readonly flaky: readonly FlakyGate[];
  readonly madeAtMs: number;
  /** The folder of the run. */
  readonly folder: string;
}

export interface ReportedIteration extends InspectedIteration {
  /** The beginning of each file of its patch, as a patch. */
  readonly diff?: string;
}

export interface ReportRequest {
  /** A run, by its id or the beginning of it; undefined: the newest of the scope. */
  readonly run: string | undefined;
  readonly scope: ScopeChoice;
  /** With the beginning of each diff. */
  readonly withDiffs: boolean;
}

/** Enough to look at: a report is one file, which people send to each other. */
const DIFF_LIMITS = { perFile: 300, inAll: 4000, perLine: 1000 };

/** Makes a report; undefined without a run. Read-only (W-06). */
export async function makeReport(
  { run, scope, withDiffs }: ReportRequest,
  caller: Caller,
): Promise<RunReport | undefined> {
  const workspace = await openWorkspace(caller);
  const { root } = workspace;
  const log =
    run === undefined ? await newestRunLog(root, await askedScopeKey(workspace, scope)) : await findRunLog(run, root);
  const timeline = log && (await readTimeline(log));
  if (log === undefined || timeline === undefined) return undefined;
  const iterations: InspectedIteration[] = [];
  for (const record of iterationsOf(timeline)) iterations.push(await inspectIteration(record, log.root, workspace));
  const reported = withDiffs ? addDiffs(iterations) : iterations;
  const { started } = timeline.summary;
  return {
    name: basename(log.root),
    timeline,
    isRunning: isRunning(log),
    iterations: reported,
    ...(await reading(caller, async ({ store }) => ({
      graph: await graphOf(store, started && scopesOfRun(started)),
      flaky: await readFlaky(store),
    }))),
    madeAtMs: Date.now(),
    folder: dirname(log.file),
  };
}

function addDiffs(iterations: readonly InspectedIteration[]): ReportedIteration[] {
  let left = DIFF_LIMITS.inAll;
  return iterations.map((iteration) => {
    const kept = iteration.patch && patchBeginning(iteration.patch, { ...DIFF_LIMITS, inAll: left });
    if (kept === undefined) return iteration;
    left -= kept.lines;
    return { ...iteration, diff: kept.text };
  });
}

/** Returns where it was written. */
export async function writeReport(cwd: string, file: string, text: string): Promise<string> {
  const path = resolve(cwd, file);
  await writeAtomic(path, text);
  return path;
}
