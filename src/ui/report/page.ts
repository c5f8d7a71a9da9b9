import { changeStates } from "../../format/change-lines.ts";
import type { RunReport } from "../../app/report.ts";
import { costText, headline } from "../../format/run-summary.ts";
import {
  countsText,
  plural,
  formatUsd,
  durationText,
  formatNumber,
  costSign,
  moneyTexts,
} from "../../format/run-text.ts";
import { gatesPlace, laneFact, truncate, localTime } from "../../format/run-text.ts";
import { timeBars } from "./bars.ts";
import { costPerVerified, taskCosts } from "./costs.ts";
import { element, escaped, stateTone, table, type Tone } from "./html.ts";
import { iterationDetails } from "./iteration.ts";
import { formatDuration } from "../../domain/duration.ts";
import type { GraphTask, TaskGraph } from "../../domain/graph/graph.ts";
import { type Edge, type GridPlace, layOut } from "../../domain/graph/layout.ts";
import { stuckTasks } from "../../domain/run/run-finished.ts";
import { countsOf, type TaskResult } from "../../domain/run/summary.ts";
import { iterationsOf, type Timeline } from "../../domain/run/timeline.ts";
import { describeScope, scopeFlag } from "../../domain/scope-name.ts";
import type { TaskId } from "../../domain/task.ts";

/** A run as one self-contained page without scripts, fonts or images from elsewhere. */
export function reportPage(report: RunReport, version: string): string {
  const { name, timeline } = report;
  const title = `${name}: run ${timeline.run}`;
  const parts = [
    header(report),
    section("Needs you", personParts(report)),
    section("Claimed together", togetherPart(report)),
    section("Tasks now", picturePart(report)),
    section("Time", timeBars(timeline)),
    section("Cost per task", costPart(report)),
    section("Iterations", report.iterations.map(iterationDetails).join("\n")),
    section("Notices", noticesPart(report)),
    `<footer>${escaped(`Made ${localTime(report.madeAtMs)} by ralphctl ${version}. Agents only claim. Proven: a check failed without the work and passes with it, or a reviewer passed it. Unbroken: the checks still pass. Look: a person should look at it.`)}</footer>`,
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

/** The state of the run in a sentence. */
export function stateSentence({ timeline, isRunning }: RunReport): string {
  const { finished } = timeline.summary;
  if (finished !== undefined) return headline(finished);
  return isRunning ? "Running" : "Crashed or was killed";
}

/** Facts in a few words each. */
export function runFacts({ timeline, flaky }: RunReport): (readonly [name: string, value: string])[] {
  const { summary, startedAtMs, lastAtMs } = timeline;
  const perVerified = costPerVerified(timeline);
  const facts: (readonly [string, string | undefined])[] = [
    ["Scope", describeScope(summary.started?.scope ?? "workspace")],
    ["Changes", changeStates(summary)],
    ["Branch", summary.started?.branch],
    laneFact(summary.started),
    ["Gates", gatesPlace(summary.finished)],
    ["Started", localTime(startedAtMs)],
    ["Took", formatDuration(lastAtMs - startedAtMs)],
    ["Iterations", formatNumber(iterationsOf(timeline).length)],
    ["Tasks", countsText(Object.entries(countsOf(summary)), ", ") || undefined],
    ["Commits", formatNumber(summary.commits)],
    ["Flaky gates", flaky.map(({ id, times }) => `${id} (${plural(times, "time")})`).join(", ") || undefined],
    ["Cost", costText(summary)],
    ["Cost per verified task", perVerified === undefined ? undefined : `${costSign(summary)}${formatUsd(perVerified)}`],
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

const togetherPart = (report: RunReport): string => taskTable(claimedTogether(report));

function taskTable(tasks: readonly (readonly string[])[]): string {
  const rows = tasks.map((cells) => cells.map(escaped));
  return rows.length === 0 ? "" : table(["Task", { long: "Title" }, { long: "What" }], rows);
}

const personParts = (report: RunReport): string => taskTable(needsOfPerson(report));

function picturePart({ graph, timeline }: RunReport): string {
  if (graph.tasks.length === 0) return "";
  const about = new Set(iterationsOf(timeline).flatMap(({ started }) => (started.task ? [started.task.id] : [])));
  const { svg, more } = graphPicture(graph, about);
  const all = `ralphctl task graph${scopeFlag(timeline.summary.started?.scope)}`;
  const rest = more === 0 ? "" : element("p", `${plural(more, "more task")} of the scope: ${all}`);
  return `<div class="picture">\n${svg}\n</div>${rest}`;
}

function costPart({ timeline }: RunReport): string {
  const rows = taskCosts(timeline).map(({ task, state, iterations, durationMs, tokens, ...cost }) => [
    escaped(task.id),
    escaped(task.title),
    element("span", state ?? "open", `class="${RESULT_TONES[state ?? "open"]}"`),
    formatNumber(iterations),
    durationText(durationMs),
    tokens === 0 ? "" : formatNumber(tokens),
    moneyTexts(cost).join(""),
  ]);
  return rows.length === 0
    ? ""
    : table(["Task", { long: "Title" }, "Result", "Iterations", "Agent's time", "Tokens", "Cost"], rows);
}

const RESULT_TONES: Readonly<Record<TaskResult | "open", Tone>> = {
  proven: "good",
  unbroken: "good",
  look: "warn",
  failed: "bad",
  waiting: "warn",
  dropped: "idle",
  open: "idle",
};

/** L-42: where work is that has not landed, and why the branch does not follow. */
export function unfinishedLines({ summary: { finished } }: Timeline): string[] {
  const work = finished?.unfinished ?? [];
  return [
    ...work.map(({ task, ref, files }) => `Unfinished work of ${task}: ${ref} (${plural(files, "file")})`),
    ...(finished?.notFollowing === undefined ? [] : [`Your branch does not follow: ${finished.notFollowing}`]),
  ];
}

function noticesPart({ timeline }: RunReport): string {
  const { notices, kept } = timeline.summary;
  const lines = [
    ...notices.map(({ level, text }) => element("li", text, level === "warning" ? 'class="warn"' : "")),
    ...kept.map(({ ref, why }) => element("li", `Saved work as ${ref}: ${why}`)),
    ...unfinishedLines(timeline).map((text) => element("li", text)),
  ];
  return lines.length === 0 ? "" : `<ul>\n${lines.join("\n")}\n</ul>`;
}

const [WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN] = [200, 40, 56, 14, 6];
const TITLE = 27;

/** A larger picture is unreadable. */
const MOST_TASKS = 150;

/** The graph as SVG; of a large one only the tasks of the run and their neighbours. */
export function graphPicture(
  { tasks }: TaskGraph,
  about: ReadonlySet<TaskId>,
): { readonly svg: string; readonly more: number } {
  const shown = tasks.length <= MOST_TASKS ? tasks : nearest(tasks, about).slice(0, MOST_TASKS);
  const { places, columns, rows, edges } = layOut(shown);
  const [width, height] = [
    columns * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN,
    rows * (HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN,
  ];
  const svg = [
    `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The tasks and what they need">`,
    ...edges.map((edge) => arrow(edge, places)),
    ...shown.map((task) => node(task, places.get(task.id)!)),
    "</svg>",
  ];
  return { svg: svg.join("\n"), more: tasks.length - shown.length };
}

/** Tasks of the run first, then their neighbours, each in their order. */
function nearest(tasks: readonly GraphTask[], about: ReadonlySet<TaskId>): GraphTask[] {
  const needed = new Set(tasks.filter(({ id }) => about.has(id)).flatMap(({ needs }) => needs));
  const rank = ({ id, needs }: GraphTask): number =>
    about.has(id) ? 0 : needed.has(id) || needs.some((need) => about.has(need)) ? 1 : 2;
  return tasks.toSorted((one, other) => rank(one) - rank(other)).filter((task) => rank(task) < 2 || about.size === 0);
}

const left = ({ column }: GridPlace): number => MARGIN + column * (WIDTH + GAP_X);
const middle = ({ row }: GridPlace): number => MARGIN + row * (HEIGHT + GAP_Y) + HEIGHT / 2;

function arrow({ from, to, kind }: Edge, places: ReadonlyMap<TaskId, GridPlace>): string {
  const [start, end] = [places.get(from)!, places.get(to)!];
  const [x1, y1, x2, y2] = [left(start) + WIDTH, middle(start), left(end), middle(end)];
  const bend = (x1 + x2) / 2;
  return `<path class="${kind}" d="M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}"/>`;
}

function node({ id, title, state }: GraphTask, place: GridPlace): string {
  const [x, y] = [left(place), middle(place)];
  return (
    `<g><title>${escaped(`${id} · ${state} · ${title}`)}</title>` +
    `<rect class="node ${stateTone(state)}" x="${x}" y="${y - HEIGHT / 2}" width="${WIDTH}" height="${HEIGHT}" rx="5"/>` +
    `<text x="${x + 8}" y="${y - 3}">${escaped(truncate(title, TITLE))}</text>` +
    `<text x="${x + 8}" y="${y + 13}" opacity=".65">${escaped(`${id} · ${state}`)}</text></g>`
  );
}

/** For light and dark, for a screen and for paper. Colours of states are named once. */
export const STYLE = `
:root { color-scheme: light dark; --good: #2e7d32; --bad: #c62828; --warn: #b26a00; --idle: #607d8b;
  --line: color-mix(in srgb, CanvasText 20%, Canvas); --soft: color-mix(in srgb, CanvasText 6%, Canvas); }
@media (prefers-color-scheme: dark) { :root { --good: #66bb6a; --bad: #ef5350; --warn: #ffa726; --idle: #90a4ae; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
h1, p, li, summary { overflow-wrap: anywhere; }
p.headline { font-size: 1.15rem; margin: .25rem 0 1rem; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .5rem 1.5rem; margin: 0; }
dl.facts dt { font-size: .8rem; opacity: .7; } dl.facts dd { margin: 0; font-size: 1.05rem;
  overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem .3rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
td.long { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; } .wide { overflow-x: auto; }
th { font-size: .8rem; font-weight: 600; opacity: .7; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; } pre { background: var(--soft); padding: .6rem .8rem;
  overflow: auto; max-height: 24rem; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } summary .right { float: right; opacity: .7; }
summary::after { content: ""; display: block; clear: both; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .idle { color: var(--idle); }
.picture { overflow: auto; border: 1px solid var(--line); border-radius: .4rem; padding: .5rem; }
svg text { font: 12px system-ui, sans-serif; fill: CanvasText; } svg .node { fill: Canvas; stroke-width: 1.5; }
svg .good { stroke: var(--good); } svg .bad { stroke: var(--bad); } svg .warn { stroke: var(--warn); }
svg .idle { stroke: var(--idle); } svg path { fill: none; stroke: var(--line); stroke-width: 1.3; }
svg path.part { stroke-dasharray: 4 3; }
.rows { display: grid; grid-template-columns: max-content 1fr; gap: 0 .8rem; align-items: center; font-size: .85rem; }
.bar { fill: currentColor; } .under { display: flex; flex-wrap: wrap; gap: 0 1.2rem; font-size: .85rem; opacity: .8; }
.under :last-child { margin-left: auto; } .key::before { content: "■ "; } footer { margin: 3rem 0 1rem; font-size: .85rem; opacity: .7; }
@media print { details { break-inside: avoid; } details > * { display: block; } pre { max-height: none; } }
`;
