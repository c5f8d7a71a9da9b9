import type { RunReport } from "../../app/report.ts";
import { formatDuration } from "../../domain/duration.ts";
import { stuckTasks } from "../../domain/run/run-finished.ts";
import { countsOf } from "../../domain/run/summary.ts";
import { iterationsOf, type Timeline } from "../../domain/run/timeline.ts";
import { describeScope } from "../../domain/scope-name.ts";
import { changeStates } from "../../format/change-lines.ts";
import { costText, headline } from "../../format/run-summary.ts";
import {
  costSign,
  countsText,
  formatNumber,
  formatUsd,
  gatesPlace,
  laneFact,
  localTime,
  plural,
} from "../../format/run-text.ts";
import { costPerVerified } from "./costs.ts";

/** The state of the run in a sentence. */
export function stateSentence({ timeline, isRunning }: RunReport): string {
  const { finished } = timeline.summary;
  if (finished !== undefined) return headline(finished);
  return isRunning ? "Running" : "Crashed or was killed";
}

/** Not where they are: a report is sent to others. */
function lanesOf(started: Parameters<typeof laneFact>[0]): ReturnType<typeof laneFact> {
  const [name, value] = laneFact(started);
  return [name, value?.replace(/, (?:in )?\/[^]*$/, "")];
}

/** Facts in a few words each. */
export function runFacts({
  timeline,
  flaky,
  isRunning,
  madeAtMs,
}: RunReport): (readonly [name: string, value: string])[] {
  const { summary, startedAtMs, lastAtMs } = timeline;
  const perVerified = costPerVerified(timeline);
  const facts: (readonly [string, string | undefined])[] = [
    ["Scope", describeScope(summary.started?.scope ?? "workspace")],
    ["Changes", changeStates(summary)],
    ["Branch", summary.started?.branch],
    lanesOf(summary.started),
    ["Gates", gatesPlace(summary.finished)],
    ["Started", localTime(startedAtMs)],
    // The last thing that it said may be long ago.
    isRunning
      ? ["So far", formatDuration(Math.max(0, madeAtMs - startedAtMs))]
      : ["Took", formatDuration(lastAtMs - startedAtMs)],
    ["Iterations", formatNumber(iterationsOf(timeline).length)],
    ["Tasks", countsText(Object.entries(countsOf(summary)), ", ") || undefined],
    ["Commits", formatNumber(summary.commits)],
    ["Flaky gates", flaky.map(({ id, times }) => `${id} (${plural(times, "time")})`).join(", ") || undefined],
    ["Cost", costText(summary)],
    ["Cost per verified task", perVerified === undefined ? undefined : `${costSign(summary)}${formatUsd(perVerified)}`],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** Tasks that need a person: id, title and reason. */
export function needsOfPerson({ timeline }: RunReport): (readonly [id: string, title: string, why: string])[] {
  const { finished } = timeline.summary;
  if (finished === undefined) return [];
  const { waiting, failed, look = [] } = finished;
  return [
    ...waiting.map(({ id, title, question }) => [id, title, `asks: ${question}`] as const),
    ...look.map(({ id, title, standing, reason }) => [id, title, `${standing}: ${reason}`] as const),
    ...failed.map(({ id, title, reason }) => [id, title, `failed: ${reason}`] as const),
    ...stuckTasks(finished).map(({ id, title, by }) => [id, title, `is blocked by ${by.join(", ")}`] as const),
  ];
}

/** T-23: tasks that were settled without a session of their own: id, title and reason. */
export const claimedTogether = ({ timeline }: RunReport): (readonly [id: string, title: string, why: string])[] =>
  (timeline.summary.finished?.together ?? []).map((task) => [
    task.id,
    task.title,
    `with ${task.with}: ${task.strength}`,
  ]);

/** L-42: where work is that has not landed, and why the branch does not follow. */
export function unfinishedLines({ summary: { finished } }: Timeline): string[] {
  const work = finished?.unfinished ?? [];
  return [
    ...work.map(({ task, ref, files }) => `Unfinished work of ${task}: ${ref} (${plural(files, "file")})`),
    ...(finished?.notFollowing === undefined ? [] : [`Your branch does not follow: ${finished.notFollowing}`]),
  ];
}
