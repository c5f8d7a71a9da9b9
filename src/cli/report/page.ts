import type { RunReport } from "../../app/report.ts";
import { formatDuration } from "../../domain/duration.ts";
import { countsOf, type TaskResult } from "../../domain/run/summary.ts";
import { iterationsOf } from "../../domain/run/timeline.ts";
import { scopeFlag, describeScope } from "../../domain/scope-name.ts";
import { localTime } from "../format/local-time.ts";
import { costSign, costText, headline } from "../format/run-summary.ts";
import { counted, dollars, durationText, grouped } from "../format/run-words.ts";
import { timeBars } from "./bars.ts";
import { costPerVerified, taskCosts } from "./costs.ts";
import { element, escaped, table } from "./html.ts";
import { iterationDetails } from "./iteration.ts";
import { graphPicture } from "./picture.ts";
import { STYLE } from "./style.ts";
import type { Tone } from "./words.ts";

/** A run as one page that needs nothing else: no script, no font, no picture from anywhere. */
export function reportPage(report: RunReport, version: string): string {
  const { name, timeline } = report;
  const title = `${name}: run ${timeline.run}`;
  const parts = [
    header(report),
    section("What needs you", personParts(report)),
    section("Tasks, as they are now", picturePart(report)),
    section("Time", timeBars(timeline)),
    section("Cost for each task", costPart(report)),
    section("Iterations", report.iterations.map(iterationDetails).join("\n")),
    section("What else was said", noticesPart(report)),
    `<footer>${escaped(`Made ${localTime(report.madeAtMs)} by ralphctl ${version}. An agent can only claim; what is called verified here, gates have proven.`)}</footer>`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${parts.filter((part) => part !== "").join("\n")}
</body>
</html>
`;
}

const section = (title: string, body: string): string =>
  body === "" ? "" : `<section>\n<h2>${title}</h2>\n${body}\n</section>`;

/** How it stands, in a sentence. */
export function stateSentence({ timeline, isRunning }: RunReport): string {
  const { finished } = timeline.summary;
  if (finished !== undefined) return headline(finished);
  return isRunning ? "It is running" : "It ended without a word: its process is gone";
}

/** In a few words each; undefined: nothing is known. */
export function runFacts({ timeline }: RunReport): (readonly [name: string, value: string])[] {
  const { summary, startedAtMs, lastAtMs } = timeline;
  const tasks = Object.entries(countsOf(summary)).filter(([, count]) => count > 0);
  const perVerified = costPerVerified(timeline);
  const facts: (readonly [string, string | undefined])[] = [
    ["Scope", describeScope(summary.started?.scope ?? "workspace")],
    ["Branch", summary.started?.branch],
    ["Began", localTime(startedAtMs)],
    ["Took", formatDuration(lastAtMs - startedAtMs)],
    ["Iterations", grouped(iterationsOf(timeline).length)],
    ["Tasks", tasks.map(([word, count]) => `${grouped(count)} ${word}`).join(", ") || undefined],
    ["Commits", grouped(summary.commits)],
    ["Cost", costText(summary)],
    ["For each verified task", perVerified === undefined ? undefined : `${costSign(summary)}${dollars(perVerified)}`],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function header(report: RunReport): string {
  const facts = runFacts(report).map(([name, value]) => `<div>${element("dt", name)}${element("dd", value)}</div>`);
  return `<header>
${element("h1", `${report.name}: run ${report.timeline.run}`)}
${element("p", stateSentence(report), 'class="headline"')}
<dl class="facts">${facts.join("")}</dl>
</header>`;
}

/** What a person has to answer or to look at: each task with its id, title and why. */
export function needsOfPerson({ timeline }: RunReport): (readonly [id: string, title: string, why: string])[] {
  const { waiting = [], failed = [], blocked = [] } = timeline.summary.finished ?? {};
  return [
    ...waiting.map(({ id, title, question }) => [id, title, `asks: ${question}`] as const),
    ...failed.map(({ id, title, reason }) => [id, title, `failed: ${reason}`] as const),
    ...blocked.map(({ id, title, by }) => [id, title, `is held up by ${by.join(", ")}`] as const),
  ];
}

function personParts(report: RunReport): string {
  const rows = needsOfPerson(report);
  return rows.length === 0
    ? ""
    : table(
        ["Task", { long: "Title" }, { long: "What" }],
        rows.map((cells) => cells.map(escaped)),
      );
}

function picturePart({ graph, timeline }: RunReport): string {
  if (graph.tasks.length === 0) return "";
  const about = new Set(iterationsOf(timeline).flatMap(({ started }) => (started.task ? [started.task.id] : [])));
  const { svg, more } = graphPicture(graph, about);
  const rest =
    more === 0
      ? ""
      : element(
          "p",
          `${counted(more, "more task")} of the scope: ralphctl task graph${scopeFlag(timeline.summary.started?.scope)}`,
        );
  return `<div class="picture">\n${svg}\n</div>${rest}`;
}

function costPart({ timeline }: RunReport): string {
  const rows = taskCosts(timeline).map(({ task, state, iterations, durationMs, tokens, costUsd }) => [
    escaped(task.id),
    escaped(task.title),
    element("span", state ?? "open", `class="${RESULT_TONES[state ?? "open"]}"`),
    grouped(iterations),
    durationText(durationMs),
    tokens === 0 ? "" : grouped(tokens),
    costUsd === undefined ? "" : dollars(costUsd),
  ]);
  return rows.length === 0
    ? ""
    : table(["Task", { long: "Title" }, "Result", "Iterations", "Agent's time", "Tokens", "Cost"], rows);
}

const RESULT_TONES: Readonly<Record<TaskResult | "open", Tone>> = {
  verified: "good",
  unverified: "warn",
  failed: "bad",
  waiting: "warn",
  dropped: "idle",
  open: "idle",
};

function noticesPart({ timeline }: RunReport): string {
  const { notices, kept } = timeline.summary;
  const lines = [
    ...notices.map(({ level, text }) => element("li", text, level === "warning" ? 'class="warn"' : "")),
    ...kept.map(({ ref, why }) => element("li", `Work was put aside as ${ref}: ${why}`)),
  ];
  return lines.length === 0 ? "" : `<ul>\n${lines.join("\n")}\n</ul>`;
}
