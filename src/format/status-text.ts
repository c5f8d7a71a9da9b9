import type { RunStatus, StatusOfRun } from "../app/run/run-status.ts";
import { scopeFlag } from "../domain/scope-name.ts";
import { printableLine } from "../domain/printable.ts";
import type { IterationRecord } from "../domain/run/iteration-record.ts";
import { countsOf, hasLanes } from "../domain/run/summary.ts";
import { iterationsOf } from "../domain/run/timeline.ts";
import { summaryJson } from "./inspect-json.ts";
import { aligned, pageOf } from "./page-parts.ts";
import { costText } from "./run-summary.ts";
import { outcomeText, taskText, lowercaseFirst, moneyTexts } from "./run-text.ts";
import { countsText, gatesPlace, laneFact, durationText, formatNumber } from "./run-text.ts";
import { timeText } from "./task-text.ts";
import { isPartial } from "../domain/usage.ts";

const MOST_ITERATIONS = 10;

/** The newest run of a scope: its state and last iterations. */
export function statusText({ scope, newest }: RunStatus): string {
  if (newest === undefined) return `No runs of ${scope} yet\n\nNext:\n  ralphctl run${scopeFlag(scope)}\n`;
  const { summary } = newest;
  const iterations = iterationsOf(newest);
  const shown = iterations.slice(-MOST_ITERATIONS);
  const left = iterations.length - shown.length;
  const where = newest.elsewhere === undefined ? "" : ` in ${newest.elsewhere}`;
  return pageOf([
    [printableLine(`Run ${newest.run} of ${scope}${where}`)],
    aligned([
      ["State", stateText(newest)],
      ["Started", timeText(newest.startedAtMs)],
      laneFact(summary.started),
      ["Gates", gatesPlace(summary.finished)],
      ["Last event", timeText(newest.lastAtMs)],
      ["Tasks", countsText(Object.entries(countsOf(summary))) || "none settled"],
      ["Cost", costText(summary)],
      ["Commits", formatNumber(summary.commits)],
    ]),
    [
      shown.length === 0 ? "No iterations yet" : "Iterations",
      ...(left > 0 ? [`  … ${formatNumber(left)} earlier`] : []),
      ...shown.map((iteration) => `  ${iterationText(iteration, newest)}`),
      ...summary.notices.flatMap(({ level, text }) => (level === "warning" ? [`Warning: ${printableLine(text)}`] : [])),
    ],
  ]);
}

function stateText({ state, summary: { started, finished, waiting } }: StatusOfRun): string {
  if (finished !== undefined) return printableLine(`${finished.ending}: ${lowercaseFirst(finished.reason)}`);
  if (state === "ended") return "crashed or was killed; ralphctl run continues where it stopped";
  const until = waiting?.untilMs === undefined ? "" : ` until ${timeText(waiting.untilMs)}`;
  const wait = waiting === undefined ? "" : `, waiting (${waiting.for})${until}`;
  return printableLine(`running as process ${started?.pid}${wait}`);
}

const iterationText = (
  { started: { iteration, task, mode, lane }, finished }: IterationRecord,
  { state, summary }: StatusOfRun,
): string =>
  [
    `${iteration}`,
    ...(hasLanes(summary) ? [`lane ${lane}`] : []),
    task === undefined ? printableLine(mode) : taskText(task),
    ...(finished === undefined
      ? [state === "running" ? "running" : "cut off"]
      : [outcomeText(finished), durationText(finished.durationMs)]),
    ...(finished === undefined ? [] : moneyTexts(finished)),
  ].join(" · ");

/** The same as JSON; null for missing values. */
export function statusJson({ scope, newest }: RunStatus): unknown {
  if (newest === undefined) return { version: 1, scope, run: null };
  const { run, state, summary } = newest;
  return {
    version: 1,
    scope,
    run,
    state,
    ...summaryJson(newest),
    waiting: summary.waiting ?? null,
    iterations: iterationsOf(newest).map(iterationJson),
    notices: summary.notices,
    kept: summary.kept,
  };
}

const iterationJson = ({ started, finished }: IterationRecord): unknown => ({
  iteration: started.iteration,
  mode: started.mode,
  task: started.task ?? null,
  harness: started.harness,
  model: started.model ?? null,
  lane: started.lane ?? null,
  folder: started.folder,
  outcome: finished?.outcome ?? null,
  strength: finished?.strength ?? null,
  reason: finished?.reason ?? null,
  commit: finished?.commit ?? null,
  durationMs: finished?.durationMs ?? 0,
  costUsd: finished?.costUsd ?? null,
  isCostPartial: finished === undefined ? null : isPartial(finished),
  tokens: finished?.tokens ?? 0,
});
