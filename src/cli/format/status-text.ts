import type { RunStatus, StatusOfRun } from "../../app/run/run-status.ts";
import { scopeFlag } from "../../domain/scope-name.ts";
import { printableLine } from "../../domain/printable.ts";
import type { IterationRecord } from "../../domain/run/iteration-record.ts";
import { countsOf } from "../../domain/run/summary.ts";
import { iterationsOf } from "../../domain/run/timeline.ts";
import { isoTime } from "../../domain/task-json.ts";
import { costText } from "./run-summary.ts";
import { formatUsd, durationText, formatNumber, outcomeText, taskText, lowercaseFirst } from "./run-text.ts";
import { timeText } from "./task-text.ts";

const MOST_ITERATIONS = 10;

/** The newest run of a scope: its state and last iterations. */
export function statusText({ scope, newest }: RunStatus): string {
  if (newest === undefined) return `No runs of ${scope} yet\n\nNext:\n  ralphctl run${scopeFlag(scope)}\n`;
  const { summary } = newest;
  const iterations = iterationsOf(newest);
  const shown = iterations.slice(-MOST_ITERATIONS);
  const left = iterations.length - shown.length;
  const facts = [
    ["State", stateText(newest)],
    ["Started", timeText(newest.startedAtMs)],
    ["Last event", timeText(newest.lastAtMs)],
    ["Tasks", tasksText(newest)],
    ["Cost", costText(summary)],
    ["Commits", formatNumber(summary.commits)],
  ] as const;
  return [
    `Run ${printableLine(newest.run)} of ${scope}${newest.elsewhere === undefined ? "" : ` in ${printableLine(newest.elsewhere)}`}`,
    "",
    ...facts.map(([name, value]) => `  ${name.padEnd("Last event".length)}  ${value}`),
    "",
    shown.length === 0 ? "No iterations yet" : "Iterations",
    ...(left > 0 ? [`  … ${formatNumber(left)} earlier`] : []),
    ...shown.map((iteration) => `  ${iterationText(iteration, newest.state)}`),
    ...summary.notices.filter(({ level }) => level === "warning").map(({ text }) => `Warning: ${printableLine(text)}`),
    "",
  ].join("\n");
}

function stateText({ state, summary: { started, finished, waiting } }: StatusOfRun): string {
  if (finished !== undefined) return printableLine(`${finished.ending}: ${lowercaseFirst(finished.reason)}`);
  if (state === "ended") return "crashed or was killed; ralphctl run continues where it stopped";
  const until = waiting?.untilMs === undefined ? "" : ` until ${timeText(waiting.untilMs)}`;
  const wait = waiting === undefined ? "" : `, waiting (${waiting.for})${until}`;
  return printableLine(`running as process ${started?.pid}${wait}`);
}

function tasksText({ summary }: StatusOfRun): string {
  const shown = Object.entries(countsOf(summary)).filter(([, count]) => count > 0);
  return shown.length === 0
    ? "none settled"
    : shown.map(([word, count]) => `${formatNumber(count)} ${word}`).join(" · ");
}

const iterationText = (
  { started: { iteration, task, mode }, finished }: IterationRecord,
  state: StatusOfRun["state"],
): string =>
  [
    `${iteration}`,
    task === undefined ? printableLine(mode) : taskText(task),
    ...(finished === undefined
      ? [state === "running" ? "running" : "cut off"]
      : [outcomeText(finished.outcome), durationText(finished.durationMs)]),
    ...(finished?.costUsd === undefined ? [] : [formatUsd(finished.costUsd)]),
  ].join(" · ");

/** The same as JSON; null for missing values. */
export function statusJson({ scope, newest }: RunStatus): unknown {
  if (newest === undefined) return { version: 1, scope, run: null };
  const { run, state, startedAtMs, lastAtMs, summary } = newest;
  const { started, finished, waiting } = summary;
  return {
    version: 1,
    scope,
    run,
    state,
    startedAt: isoTime(startedAtMs),
    lastAt: isoTime(lastAtMs),
    mode: started?.mode ?? null,
    harness: started?.harness ?? null,
    branch: started?.branch ?? null,
    ending: finished?.ending ?? null,
    reason: finished?.reason ?? null,
    waiting: waiting ?? null,
    tasks: countsOf(summary),
    commits: summary.commits,
    costUsd: summary.costUsd ?? null,
    isCostPartial: summary.isCostPartial,
    isCostEstimated: summary.isCostEstimated,
    tokens: summary.tokens,
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
  folder: started.folder,
  outcome: finished?.outcome ?? null,
  reason: finished?.reason ?? null,
  commit: finished?.commit ?? null,
  durationMs: finished?.durationMs ?? 0,
  costUsd: finished?.costUsd ?? null,
  tokens: finished?.tokens ?? 0,
});
