import { changeStates } from "./change-lines.ts";
import type { RunGlance } from "../app/run/run-glance.ts";
import { type HeldTask, type LivingRun, type ScopeCounts, spentSoFar, type WorkspaceStatus } from "../app/status.ts";
import { formatDuration } from "../domain/duration.ts";
import { printableLine } from "../domain/printable.ts";
import { estimateOf } from "../domain/run/estimate.ts";
import { openIterations } from "../domain/run/run-record.ts";
import { hasLanes, type RunSummary } from "../domain/run/summary.ts";
import { describeScope, scopeFlag } from "../domain/scope-name.ts";
import type { Task } from "../domain/task.ts";
import { answerStep } from "./answer-step.ts";
import { foundLines } from "./found-lines.ts";
import { estimateText } from "./estimate-text.ts";
import { laneFacts } from "./lane-status.ts";
import { aligned, type Fact, pageOf, part, prose } from "./page-parts.ts";
import { type Cost, costText } from "./run-summary.ts";
import { agentText, iterationNumber, lookup, truncate, lowercaseFirst, underWay } from "./run-text.ts";
import { clockText, countsText, laneFact, plural, formatUsd, formatNumber } from "./run-text.ts";

/** The workspace for a person: runs, tasks, claims, cost and next commands. */
export function workspaceStatusText(status: WorkspaceStatus): string {
  const { running, leases } = status;
  const claimed = leases.filter((held) => isTold(held, running));
  return pageOf([
    ...(running.length === 0 ? [lastLines(status)] : running.map((run) => runLines(run, status))),
    taskLines(status),
    part("Next up", status.next, nameOf),
    part("Waiting for a person", status.waiting, (task) => [
      nameOf(task),
      ...indented(`asks: ${task.question ?? "?"}`),
    ]),
    part("Failed", status.failed, (task) => [nameOf(task), ...indented(task.reason ?? "")]),
    part("Claimed", claimed, (held) => leaseText(held, status.nowMs)),
    part("Your branch does not follow", status.behind, behindText),
    foundLines(status.found),
    part("Context that agents get", status.context, contextText),
    costLines(status),
    ["Next:", ...aligned(nextCommands(status))],
  ]);
}

function lastLines({ last, scope, nowMs }: WorkspaceStatus): string[] {
  const whose = scope === undefined ? "" : ` of ${describeScope(scope)}`;
  if (last === undefined) return [printableLine(`No runs${whose} yet`)];
  const how =
    last.finished === undefined
      ? "crashed or was killed"
      : `${last.finished.ending}: ${lowercaseFirst(last.finished.reason)}`;
  return [
    printableLine(`No active run${whose}`),
    ...aligned([
      ["Last run", `${last.run}${last.scope === undefined ? "" : ` of ${describeScope(last.scope)}`}`],
      ["Ended", `${agoText(nowMs - last.lastAtMs)}, ${how}`],
    ]),
  ];
}

function runLines({ run, scope, pid, host, root, glance }: LivingRun, status: WorkspaceStatus): string[] {
  const { nowMs } = status;
  const place = root === status.root ? "" : ` in ${root}`;
  const head = `Run ${run} of ${describeScope(scope)}${place}`;
  if (glance === undefined) return [printableLine(head), `  starting, as process ${pid} on ${host}`];
  const { summary, startedAtMs, lastAtMs } = glance;
  const limits = summary.started?.limits;
  const facts: Fact[] = [
    ["Running", `for ${spanText(nowMs - startedAtMs)}${summary.started?.fleet === true ? "" : `, as process ${pid}`}`],
    ["Changes", changeStates(summary)],
    laneFact(summary.started),
    ...(hasLanes(summary) ? laneFacts(glance, (ms) => spanText(nowMs - ms)) : iterationFacts(glance, nowMs)),
    ...waitFact(summary.waiting, nowMs),
    ...askedFact(summary),
    ...(summary.waiting === undefined ? [["Last event", agoText(nowMs - lastAtMs)] as const] : []),
    ["Cost", moneyText(spentSoFar(glance), limits?.costUsd)],
    ["Estimate", estimateText(estimateOf(glance, nowMs), nowMs)],
  ];
  return [printableLine(head), ...aligned(facts)];
}

const iterationFacts = (glance: RunGlance, nowMs: number): Fact[] =>
  openIterations(glance).flatMap(({ started, startedAtMs }): Fact[] => [
    ["Iteration", `${iterationNumber(started)}, for ${spanText(nowMs - startedAtMs)}`],
    ["Task", started.task === undefined ? `none: ${started.mode} mode` : nameOf(started.task)],
    ["Agent", agentText(started.harness, started.model)],
  ]);

const WAITS = { limit: "a usage limit to end", outage: "the model's server", pause: "you (paused)" } as const;

function waitFact(
  waiting: { readonly for: keyof typeof WAITS; readonly untilMs?: number } | undefined,
  nowMs: number,
): Fact[] {
  if (waiting === undefined) return [];
  const { untilMs } = waiting;
  const until = untilMs === undefined ? "" : `, until ${clockText(untilMs, nowMs)} (${inText(untilMs - nowMs)})`;
  return [["Waiting for", `${lookup(WAITS, waiting.for) ?? waiting.for}${until}`]];
}

/** A request that the run has not come to yet. */
function askedFact(summary: RunSummary): Fact[] {
  const { asked, waiting } = summary;
  const what = asked.stop ? "stop" : asked.pause && waiting?.for !== "pause" ? "pause" : undefined;
  return what === undefined ? [] : [["Asked to", `${what} after ${underWay(hasLanes(summary))}`]];
}

/** Counts, most interesting first. */
function countText({ leaves, ready, blocked }: ScopeCounts): string {
  return countsText([
    ["in progress", leaves.in_progress],
    ["ready", ready],
    ["blocked", blocked],
    ["waiting for a person", leaves.parked],
    ["failed", leaves.failed],
    ["done", leaves.done],
    ["dropped", leaves.dropped],
  ]);
}

const MOST_SCOPES = 10;

function taskLines({ counts, scope }: WorkspaceStatus): string[] {
  if (counts.length === 0) return ["Tasks", "  none yet"];
  if (counts.length === 1 && (scope !== undefined || counts[0]!.scope === "workspace")) {
    return ["Tasks", `  ${countText(counts[0]!)}`];
  }
  // Those with something left first.
  const left = ({ leaves }: ScopeCounts): number => leaves.pending + leaves.in_progress + leaves.parked + leaves.failed;
  const sorted = counts.toSorted((a, b) => Math.sign(left(b)) - Math.sign(left(a)));
  const more = sorted.length - MOST_SCOPES;
  return [
    "Tasks",
    ...aligned(sorted.slice(0, MOST_SCOPES).map((each) => [each.scope, countText(each)] as const)),
    ...(more > 0 ? [`  and ${plural(more, "more scope")}: ralphctl task list`] : []),
  ];
}

const TITLE = 56;

const nameOf = ({ id, title }: Pick<Task, "id" | "title">): string =>
  `${printableLine(id)}  ${truncate(printableLine(title), TITLE)}`;

/** Keeps long texts from hiding the rest. */
const LONGEST = 500;

const indented = (text: string): string[] => (prose(truncate(text, LONGEST)) ?? []).map((line) => `  ${line}`);

/** Tasks of a listed run are shown with it. */
const isTold = ({ task: { lease }, isAlive }: HeldTask, running: readonly LivingRun[]): boolean =>
  isAlive === false || !running.some(({ run }) => run === lease?.run);

function leaseText({ task, isAlive }: HeldTask, nowMs: number): string {
  const { lease } = task;
  if (lease === undefined) return `${nameOf(task)}, by nobody`;
  const by = lease.run === undefined ? `process ${lease.owner.pid}` : `run ${lease.run}`;
  const until = `until ${clockText(lease.untilMs, nowMs)}`;
  const state = isAlive === false ? "which crashed; the next run takes it over" : until;
  return `${printableLine(task.id)} by ${printableLine(by)}, ${state}`;
}

function behindText({ branch, ref, commits, refusal }: WorkspaceStatus["behind"][number]): string {
  const lacks =
    commits === undefined ? `Work landed on ${ref}` : `${branch} lacks ${plural(commits, "commit")} that landed`;
  const why = refusal === undefined ? "" : `. ${refusal.why}. ${refusal.remedy}`;
  return printableLine(`${lacks}${why}`);
}

function contextText({ scope, text }: WorkspaceStatus["context"][number]): string {
  const [first = "", ...more] = text.trim().split("\n");
  const rest =
    more.length === 0 ? "" : ` (and ${plural(more.length, "more line")}: ralphctl context show${scopeFlag(scope)})`;
  return `${scope === "workspace" ? "" : `${printableLine(scope)}: `}${truncate(printableLine(first), TITLE)}${rest}`;
}

function costLines({ spent, running }: WorkspaceStatus): string[] {
  if (spent.runs === 0 || (spent.runs === 1 && running.length === 1)) return [];
  return [`Cost of ${spent.runs === 1 ? "the one run" : `all ${formatNumber(spent.runs)} runs`}: ${moneyText(spent)}`];
}

const moneyText = (money: Cost, limitUsd?: number): string =>
  costText(money, limitUsd === undefined ? "" : ` of at most ${formatUsd(limitUsd)}`);

/** Seconds below an hour, minutes above. */
function spanText(ms: number): string {
  const safe = Math.max(0, ms);
  return formatDuration(safe < 3_600_000 ? safe : Math.floor(safe / 60_000) * 60_000);
}

function agoText(ms: number): string {
  if (ms < 1000) return "just now";
  return ms < 48 * 3_600_000 ? `${spanText(ms)} ago` : `${Math.floor(ms / 86_400_000)} days ago`;
}

const inText = (ms: number): string => (ms <= 0 ? "any moment" : `in ${spanText(ms)}`);

type Next = readonly [command: string, what: string];

const MOST = 4;

/** The next commands with their purpose, most useful first. */
export function nextCommands(status: WorkspaceStatus): readonly Next[] {
  const { running, waiting, failed, counts, scope, isTreeTaken, isFleet } = status;
  const run = `ralphctl run${scopeFlag(scope)}${status.isFleet ? " --fleet" : ""}`;
  const ready = counts.reduce((sum, each) => sum + each.ready, 0);
  const isLeft = status.leases.some(({ isAlive }) => isAlive === false);
  const steps: Next[] = [
    ...status.behind.slice(0, 1).flatMap(followSteps),
    ...running.flatMap((each) => stepsOf(each, status)),
    ...waiting.slice(0, 1).map(answerStep),
    ...failed.slice(0, 1).map(({ id }): Next => [`ralphctl inspect ${id}`, "see why it failed"]),
    ...(isTreeTaken || ready === 0 || (isFleet && running.length > 0) ? [] : [runStep(status, run)]),
    ...(isTreeTaken || ready > 0 || !isLeft ? [] : [[run, "go on with what the last run left"] as const]),
  ];
  if (steps.length > 0) return steps.slice(0, MOST);
  if (counts.length === 0) {
    return [
      [`ralphctl task add TITLE${scopeFlag(scope)}`, "describe the work"],
      [`${run} plan`.replace(/^(ralphctl run)(.*) plan$/, "$1 plan$2"), "let an agent plan tasks from the specs"],
    ];
  }
  return status.last === undefined
    ? [[`ralphctl task list${scopeFlag(scope)}`, "see the tasks"]]
    : [[`ralphctl inspect${scopeFlag(scope)}`, "see what the last run did"]];
}

function followSteps({ branch, commits, refusal }: WorkspaceStatus["behind"][number]): Next[] {
  const what = commits === undefined ? "take over the work" : `let ${printableLine(branch)} follow`;
  const lines = refusal?.steps ?? ["ralphctl land"];
  return lines.map((line, at): Next => [printableLine(line), at === 0 ? what : ""]);
}

/** If only one other scope has ready tasks, run that one. */
function runStep({ scope, counts, isFleet }: WorkspaceStatus, run: string): Next {
  const [only, ...others] = counts.filter(({ ready }) => ready > 0);
  const isElsewhere = scope === undefined && only !== undefined && others.length === 0;
  return [
    isElsewhere ? `ralphctl run${scopeFlag(only.scope)}${isFleet ? " --fleet" : ""}` : run,
    "work on the ready tasks",
  ];
}

function stepsOf({ run, root, glance }: WorkspaceStatus["running"][number], status: WorkspaceStatus): Next[] {
  const isHere = root === status.root;
  const follow: Next = [`ralphctl watch${isHere && status.running.length === 1 ? "" : ` ${run}`}`, "watch the run"];
  if (!isHere) return [follow];
  const waiting = glance?.summary.waiting?.for;
  const resume: Next[] =
    waiting === undefined ? [] : [["ralphctl resume", waiting === "pause" ? "continue" : "try again now"]];
  if (glance?.summary.asked.stop === true) return [follow, ["ralphctl stop", "stop now, or when a proof has ended"]];
  const unit = underWay(glance !== undefined && hasLanes(glance.summary));
  return [...resume, follow, ["ralphctl stop --after", `stop after ${unit}`]];
}
