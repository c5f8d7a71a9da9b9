import { changeStates } from "./change-lines.ts";
import { checkText } from "./check-text.ts";
import type { InspectedAttempt, InspectedRun } from "../app/inspect/inspect.ts";
import { formatDuration } from "../domain/duration.ts";
import { printableLine } from "../domain/printable.ts";
import { countsOf, hasLanes } from "../domain/run/summary.ts";
import type { IterationRecord } from "../domain/run/iteration-record.ts";
import { iterationsOf, type TimelineEntry } from "../domain/run/timeline.ts";
import { describeScope } from "../domain/scope-name.ts";
import { shellWord } from "../domain/shell-word.ts";
import type { Task } from "../domain/task.ts";
import { stateOf } from "../domain/task-state.ts";
import { changesText, shortPath } from "./iteration-page.ts";
import { costWords, iterationName, shortResult, whySentence } from "./iteration-text.ts";
import { aligned, pageOf, prose } from "./page-parts.ts";
import { costText } from "./run-summary.ts";
import { lookup, truncate, listSome, lowercaseFirst, shortSign } from "./run-text.ts";
import { countsText, gatesPlace, laneFact, plural, durationText, formatNumber, localTime } from "./run-text.ts";

/** A run for a person: its state, then one line per entry. */
export function timelineText({ timeline, isRunning }: InspectedRun, nowMs: number): string {
  const { run, startedAtMs, lastAtMs, summary, entries } = timeline;
  const took = formatDuration(Math.max(0, (isRunning ? nowMs : lastAtMs) - startedAtMs));
  const records = iterationsOf(timeline);
  const closer = records.findLast(({ finished }) => finished?.outcome !== "verified") ?? records.at(-1);
  return pageOf([
    [printableLine(`Run ${run} of ${describeScope(summary.started?.scope ?? "workspace")}`)],
    aligned([
      [isRunning ? "State" : "Ended", stateText({ timeline, isRunning })],
      ["Time", `${localTime(startedAtMs)}, ${took}${isRunning ? " so far" : ""}`],
      laneFact(summary.started),
      ["Changes", changeStates(summary)],
      ["Gates", gatesPlace(summary.finished)],
      ["Tasks", countsText(Object.entries(countsOf(summary))) || undefined],
      ["Cost", costText(summary)],
      ["Commits", summary.commits === 0 ? undefined : formatNumber(summary.commits)],
    ]),
    entryLines(entries, hasLanes(summary)),
    detailsLines(closer),
  ]);
}

const detailsLines = (record: IterationRecord | undefined): string[] =>
  record === undefined ? [] : [`Details: ralphctl inspect ${iterationName(record)}`];

function stateText({ timeline, isRunning }: Pick<InspectedRun, "timeline" | "isRunning">): string {
  const { finished, started } = timeline.summary;
  if (finished !== undefined) return `${finished.ending}: ${lowercaseFirst(finished.reason)}`;
  if (isRunning) return started?.fleet === true ? "running" : `running, as process ${started?.pid}`;
  return "crashed or was killed";
}

/** The columns of an iteration before its task. */
type Cells = readonly [iteration: string, lane: string, at: string, result: string, took: string, cost: string];

function cellsOf(record: IterationRecord, withLane: boolean): Cells {
  const { started, startedAtMs, endedAtMs, finished } = record;
  const cost = finished?.costUsd === undefined ? "" : shortSign(costWords(record).split(" · ")[0]!);
  const took = endedAtMs === undefined ? "" : durationText(endedAtMs - startedAtMs);
  const lane = withLane ? `lane ${started.lane}` : "";
  return [String(started.iteration), lane, clock(startedAtMs), shortResult(record), took, cost];
}

const LINE = 79;
const LEAST_TITLE = 20;

/** Iterations in columns, with the reason below one that was not accepted, and waits and checks between them. */
function entryLines(entries: readonly TimelineEntry[], withLane: boolean): string[] {
  const rows = entries.flatMap((entry) => (entry.kind === "iteration" ? [cellsOf(entry.iteration, withLane)] : []));
  const widths = [0, 1, 2, 3, 4, 5].map((at) => Math.max(0, ...rows.map((cells) => cells[at]!.length)));
  /** Before a line that is about no iteration. */
  const margin = (lane?: number): string => {
    const column = lane === undefined ? "" : `lane ${lane}`;
    return `${"".padEnd(widths[0]!)}${widths[1] === 0 ? "" : `  ${column.padEnd(widths[1]!)}`}`;
  };
  return entries.flatMap((entry) => {
    if (entry.kind === "wait") return [`  ${margin()}  ${clock(entry.fromMs)}  ${waitText(entry)}`];
    if (entry.kind === "check") return [`  ${margin(entry.lane)}  ${clock(entry.atMs)}  ${checkText(entry)}`];
    const { iteration: record } = entry;
    // Skip empty columns.
    const cells = cellsOf(record, withLane).flatMap((cell, at) =>
      widths[at] === 0 ? [] : [padded(cell, widths[at]!, at)],
    );
    const head = `  ${cells.join("  ")}  `;
    const { task, mode } = record.started;
    const about = printableLine(task === undefined ? mode : `${task.id} ${task.title}`);
    const why = record.verdict?.verdict === "accepted" ? undefined : whySentence(record);
    return [
      `${head}${truncate(about, Math.max(LEAST_TITLE, LINE - head.length))}`,
      ...(prose(why) ?? []).map((line) => `  ${margin()}    ${line}`),
    ];
  });
}

/** Aligns words left and numbers right. */
const padded = (cell: string, width: number, at: number): string =>
  at >= 1 && at <= 3 ? cell.padEnd(width) : cell.padStart(width);

const WAITS = { limit: "a usage limit", outage: "the model's server", pause: "a person" } as const;

function waitText({ for: reason, fromMs, toMs }: TimelineEntry & { readonly kind: "wait" }): string {
  const what = lookup(WAITS, reason) ?? printableLine(reason);
  return toMs === undefined ? `waiting for ${what}` : `waited ${durationText(toMs - fromMs)} for ${what}`;
}

const clock = (ms: number): string => localTime(ms).slice(11);

/** All attempts at a task, each with its reason. */
export function attemptsText(task: Task, attempts: readonly InspectedAttempt[], cwd: string): string {
  const last = attempts.findLast(({ iteration }) => iteration !== undefined)?.iteration;
  return pageOf([
    [
      `${printableLine(task.id)}  ${printableLine(task.title)}`,
      `  ${stateOf(task)} · ${attempts.length === 0 ? "no attempts yet" : plural(attempts.length, "attempt")}`,
      ...(task.question === undefined ? [] : [`  asks: ${printableLine(task.question)}`]),
    ],
    ...attempts.map((each) => attemptLines(each, cwd)),
    detailsLines(last?.record),
  ]);
}

function attemptLines({ attempt, iteration }: InspectedAttempt, cwd: string): string[] {
  const when = localTime(attempt.startedAt);
  const isCounted = attempt.counted || attempt.outcome === "verified" ? "" : " · not counted";
  if (iteration === undefined) {
    const by = attempt.run === undefined ? "by a person" : `${attempt.run}/${attempt.iteration ?? "?"}, record deleted`;
    const outcome = attempt.outcome ?? "not finished";
    return [
      printableLine(`${when}  ${by} · ${outcome}${isCounted}`),
      ...(attempt.reason === undefined ? [] : [`  ${printableLine(attempt.reason)}`]),
    ];
  }
  const { record, promptFile, patch, reopen } = iteration;
  const gates = record.gates.map(
    ({ gate, result }) => `${gate} ${result === undefined ? "not finished" : result.passed ? "ok" : "FAILED"}`,
  );
  return [
    printableLine(`${when}  ${iterationName(record)} · ${shortResult(record)}${isCounted}`),
    ...aligned([
      ["Why", prose(whySentence(record))],
      ["Gates", gates.length === 0 ? undefined : listSome(gates, 10)],
      ["Changes", patch === undefined || patch.files.length === 0 ? undefined : changesText(patch.files)],
      ["Cost", costWords(record)],
      ["Prompt", promptFile === undefined ? undefined : shortPath(promptFile, cwd)],
      ["Reopen", reopen?.map(shellWord).join(" ")],
    ]),
  ];
}
