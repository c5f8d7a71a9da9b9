import type { InspectedAttempt, InspectedRun } from "../app/inspect/inspect.ts";
import { formatDuration } from "../domain/duration.ts";
import { printableLine } from "../domain/printable.ts";
import { countsOf } from "../domain/run/summary.ts";
import { iterationsOf, type IterationRecord, type TimelineEntry } from "../domain/run/timeline.ts";
import { scopeName } from "../domain/scope-words.ts";
import { shellWord } from "../domain/shell-word.ts";
import type { Task } from "../domain/task.ts";
import { stateOf } from "../domain/task-state.ts";
import { shortPath } from "./iteration-page.ts";
import { costWords, iterationName, resultWord, whySentence } from "./iteration-words.ts";
import { localTime } from "./local-time.ts";
import { aligned, prose } from "./page-parts.ts";
import { costText } from "./run-summary.ts";
import { counted, durationText, grouped, shortened, someOf, withinSentence } from "./run-words.ts";

/** A run for a person: how it stands or ended, and one line after the other what happened. */
export function timelineText({ timeline, isRunning }: InspectedRun): string {
  const { run, startedAtMs, lastAtMs, summary, entries } = timeline;
  const took = formatDuration(lastAtMs - startedAtMs);
  const tasks = Object.entries(countsOf(summary)).filter(([, count]) => count > 0);
  const records = iterationsOf(timeline);
  const facts = aligned([
    [isRunning ? "State" : "Ended", stateText({ timeline, isRunning })],
    ["Time", `${localTime(startedAtMs)}, ${took}${isRunning ? " so far" : ""}`],
    ["Tasks", tasks.length === 0 ? undefined : tasks.map(([word, count]) => `${grouped(count)} ${word}`).join(" · ")],
    ["Cost", costText(summary)],
    ["Commits", summary.commits === 0 ? undefined : grouped(summary.commits)],
  ]);
  const width = Math.max(1, ...records.map(({ started }) => String(started.iteration).length));
  const closer = records.findLast(({ finished }) => finished?.outcome !== "verified") ?? records.at(-1);
  return [
    printableLine(`Run ${run} of ${scopeName(summary.started?.scope ?? "workspace")}`),
    "",
    ...facts,
    ...(entries.length === 0 ? [] : [""]),
    ...entries.flatMap((entry) => entryLines(entry, width)),
    ...(closer === undefined ? [] : ["", `Look closer: ralphctl inspect ${iterationName(closer)}`]),
    "",
  ].join("\n");
}

function stateText({ timeline, isRunning }: Pick<InspectedRun, "timeline" | "isRunning">): string {
  const { finished, started } = timeline.summary;
  if (finished !== undefined) return `${finished.ending}: ${withinSentence(finished.reason)}`;
  return isRunning ? `running, as process ${started?.pid}` : "without a word: its process is gone";
}

const TITLE = 40;

function entryLines(entry: TimelineEntry, width: number): string[] {
  const margin = "".padEnd(width);
  if (entry.kind === "wait") return [`  ${margin}  ${clock(entry.fromMs)}  ${waitText(entry)}`];
  if (entry.kind === "check") return [`  ${margin}  ${clock(entry.atMs)}  ${checkText(entry)}`];
  const { iteration: record } = entry;
  const { started, startedAtMs } = record;
  const about = started.task === undefined ? started.mode : `${started.task.id} ${started.task.title}`;
  const head = `  ${String(started.iteration).padStart(width)}  ${clock(startedAtMs)}  ${shortened(printableLine(about), TITLE)}`;
  const why = record.verdict?.verdict === "accepted" ? undefined : whySentence(record);
  return [`${head} · ${factsText(record)}`, ...(prose(why) ?? []).map((line) => `  ${margin}    ${line}`)];
}

function factsText(record: IterationRecord): string {
  const { startedAtMs, endedAtMs, finished } = record;
  const took = endedAtMs === undefined ? [] : [durationText(endedAtMs - startedAtMs)];
  const isCostKnown = finished?.costUsd !== undefined;
  return [resultWord(record), ...took, ...(isCostKnown ? [costWords(record).split(" · ")[0]!] : [])].join(" · ");
}

const WAITS = { limit: "a usage limit", outage: "the model's server", pause: "a person" } as const;

function waitText({ for: reason, fromMs, toMs }: TimelineEntry & { readonly kind: "wait" }): string {
  const what = WAITS[reason] ?? printableLine(reason);
  return toMs === undefined ? `waits for ${what}` : `waited ${durationText(toMs - fromMs)} for ${what}`;
}

function checkText({ check, red }: TimelineEntry & { readonly kind: "check" }): string {
  const what = check === "final" ? "all gates once more" : "the gates before any work";
  if (red === undefined) return `${what}: not finished`;
  return red.length === 0 ? `${what}: green` : `${what}: red (${someOf(red, 5)})`;
}

const clock = (ms: number): string => localTime(ms).slice(11);

/** All attempts at a task, each with why it came out as it did. */
export function attemptsText(task: Task, attempts: readonly InspectedAttempt[], cwd: string): string {
  const last = attempts.findLast(({ iteration }) => iteration !== undefined)?.iteration;
  const asked = task.question === undefined ? undefined : `asks: ${task.question}`;
  return [
    `${printableLine(task.id)}  ${printableLine(task.title)}`,
    `  ${stateOf(task)} · ${attempts.length === 0 ? "nobody has worked on it yet" : counted(attempts.length, "claim")}`,
    ...(asked === undefined ? [] : [`  ${printableLine(asked)}`]),
    ...attempts.flatMap((each) => ["", ...attemptLines(each, cwd)]),
    ...(last === undefined ? [] : ["", `Look closer: ralphctl inspect ${iterationName(last.record)}`]),
    "",
  ].join("\n");
}

function attemptLines({ attempt, iteration }: InspectedAttempt, cwd: string): string[] {
  const when = localTime(attempt.startedAt);
  const isCounted = attempt.counted || attempt.outcome === "verified" ? "" : " · does not count";
  if (iteration === undefined) {
    const by =
      attempt.run === undefined ? "by a person" : `${attempt.run}/${attempt.iteration ?? "?"}, whose record is gone`;
    const outcome = attempt.outcome ?? "not finished";
    return [
      printableLine(`${when}  ${by} · ${outcome}${isCounted}`),
      ...(attempt.reason === undefined ? [] : [`  ${printableLine(attempt.reason)}`]),
    ];
  }
  const { record, promptFile, patch, reopen } = iteration;
  const gates = record.gates.map(
    ({ gate, result }) => `${gate} ${result === undefined ? "not ended" : result.passed ? "ok" : "FAILED"}`,
  );
  const files = patch?.files ?? [];
  const sum = (key: "added" | "removed"): string => grouped(files.reduce((total, file) => total + file[key], 0));
  return [
    printableLine(`${when}  ${iterationName(record)} · ${resultWord(record)}${isCounted}`),
    ...aligned([
      ["Why", prose(whySentence(record))],
      ["Gates", gates.length === 0 ? undefined : someOf(gates, 10)],
      [
        "Changes",
        files.length === 0 ? undefined : `${counted(files.length, "file")}, +${sum("added")} -${sum("removed")}`,
      ],
      ["Cost", costWords(record)],
      ["Prompt", promptFile === undefined ? undefined : shortPath(promptFile, cwd)],
      ["Reopen", reopen?.map(shellWord).join(" ")],
    ]),
  ];
}
