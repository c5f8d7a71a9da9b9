import type { RunStatus, StatusOfRun } from "../../app/run/run-status.ts";
import { scopeFlag } from "../../domain/scope-name.ts";
import { printableLine } from "../../domain/printable.ts";
import { countsOf, type IterationSummary } from "../../domain/run/summary.ts";
import { isoTime } from "../../domain/task-json.ts";
import { costText } from "./run-summary.ts";
import { dollars, durationText, grouped, outcomeText, taskText, withinSentence } from "./run-words.ts";
import { timeText } from "./task-text.ts";

const MOST_ITERATIONS = 10;

/** The newest run of a scope for a person: how it stands, and how the last iterations came out. */
export function statusText({ scope, newest }: RunStatus): string {
  if (newest === undefined) return `There was no run of ${scope} yet\n\nNext:\n  ralphctl run${scopeFlag(scope)}\n`;
  const { summary } = newest;
  const shown = summary.iterations.slice(-MOST_ITERATIONS);
  const left = summary.iterations.length - shown.length;
  const facts = [
    ["State", stateText(newest)],
    ["Started", timeText(newest.startedAtMs)],
    ["Last heard", timeText(newest.lastAtMs)],
    ["Tasks", tasksText(newest)],
    ["Cost", costText(summary)],
    ["Commits", grouped(summary.commits)],
  ] as const;
  return [
    `Run ${printableLine(newest.run)} of ${scope}${newest.elsewhere === undefined ? "" : ` in ${printableLine(newest.elsewhere)}`}`,
    "",
    ...facts.map(([name, value]) => `  ${name.padEnd("Last heard".length)}  ${value}`),
    "",
    shown.length === 0 ? "No iteration has begun" : "Iterations",
    ...(left > 0 ? [`  … ${grouped(left)} before`] : []),
    ...shown.map((iteration) => `  ${iterationText(iteration, newest.state)}`),
    ...summary.notices.filter(({ level }) => level === "warning").map(({ text }) => `Warning: ${printableLine(text)}`),
    "",
  ].join("\n");
}

function stateText({ state, summary: { started, finished, waiting } }: StatusOfRun): string {
  if (finished !== undefined) return printableLine(`${finished.ending}: ${withinSentence(finished.reason)}`);
  if (state === "ended") return "ended without a word; ralphctl run goes on where it stopped";
  const until = waiting?.untilMs === undefined ? "" : ` until ${timeText(waiting.untilMs)}`;
  const wait = waiting === undefined ? "" : `, waits (${waiting.for})${until}`;
  return printableLine(`running as process ${started?.pid}${wait}`);
}

function tasksText({ summary }: StatusOfRun): string {
  const shown = Object.entries(countsOf(summary)).filter(([, count]) => count > 0);
  return shown.length === 0 ? "none settled" : shown.map(([word, count]) => `${grouped(count)} ${word}`).join(" · ");
}

const iterationText = (
  { iteration, task, mode, outcome, durationMs, costUsd }: IterationSummary,
  state: StatusOfRun["state"],
): string =>
  [
    `${iteration}`,
    task === undefined ? printableLine(mode) : taskText(task),
    outcome === undefined ? (state === "running" ? "running" : "cut off") : outcomeText(outcome),
    ...(outcome === undefined ? [] : [durationText(durationMs)]),
    ...(costUsd === undefined ? [] : [dollars(costUsd)]),
  ].join(" · ");

/** The same for a program. What is not there is null. */
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
    iterations: summary.iterations.map(iterationJson),
    notices: summary.notices,
    kept: summary.kept,
  };
}

const iterationJson = (each: IterationSummary): unknown => ({
  iteration: each.iteration,
  mode: each.mode,
  task: each.task ?? null,
  harness: each.harness,
  model: each.model ?? null,
  folder: each.folder,
  outcome: each.outcome ?? null,
  reason: each.reason ?? null,
  commit: each.commit ?? null,
  durationMs: each.durationMs,
  costUsd: each.costUsd ?? null,
  tokens: each.tokens,
});
