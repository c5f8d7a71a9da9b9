import { describeScope } from "../domain/scope-name.ts";
import { formatDuration } from "../domain/duration.ts";
import { printable, printableLine } from "../domain/printable.ts";
import type { DoneTaskName, RunFinished, UnfinishedWork } from "../domain/run/event.ts";
import type { RunEnding } from "../domain/run/policy.ts";
import { stuckTasks } from "../domain/run/run-finished.ts";
import { countsOf, type RunSummary } from "../domain/run/summary.ts";
import { STANDINGS } from "../domain/standing.ts";
import { changeLines } from "./change-lines.ts";
import { nextSteps } from "./next-steps.ts";
import { aligned, type Fact, pageOf, part } from "./page-parts.ts";
import { STANDING_WORDS } from "./task-text.ts";
import {
  countsText,
  gatesPlace,
  plural,
  formatUsd,
  lookup,
  formatNumber,
  taskText,
  lowercaseFirst,
} from "./run-text.ts";
import { costSign } from "./run-text.ts";

const MOST_LISTED = 5;

/** The summary of a run: how it ended, what it took, what is left, and the next commands. */
export function runSummary(finished: RunFinished, summary: RunSummary): string {
  const isIdle = finished.ending === "nothing" || isDoneBefore(finished);
  return printable(
    pageOf([
      [headline(finished)],
      aligned(isIdle ? [] : factsOf(finished, summary)),
      part("Changes:", changeLines(finished.changes)),
      ...leftParts(finished, summary),
      part("Next:", nextSteps(finished, summary)),
    ]),
  );
}

/** Work of earlier runs is not this run's to call verified. */
const isDoneBefore = ({ ending, iterations }: RunFinished): boolean => ending === "complete" && iterations === 0;

/** How it ended, without a full stop. */
export function headline(finished: RunFinished): string {
  const reason = doneText(finished) ?? printableLine(finished.reason);
  if (finished.ending === "complete" && finished.mode === "plan") return "The plan is written";
  if (["nothing", "interrupted"].includes(finished.ending) && reason !== "") return reason;
  const text = isDoneBefore(finished)
    ? "Nothing is left to do"
    : (lookup(HEADLINES, finished.ending) ?? printableLine(finished.ending));
  return reason === "" ? text : `${text}: ${lowercaseFirst(reason)}`;
}

/** "5 tasks (3 proven, 2 unbroken)": all that is done, by this run or earlier; undefined if something else ended it. */
function doneText({ ending, done, dropped }: RunFinished): string | undefined {
  if (done === undefined || (ending !== "complete" && ending !== "unverified")) return undefined;
  const words = countsText(
    STANDINGS.map((kind) => [STANDING_WORDS[kind], done[kind]] as const),
    ", ",
  );
  const tasks = plural(
    STANDINGS.reduce((sum, kind) => sum + done[kind], 0),
    "task",
  );
  return `${tasks}${words === "" ? "" : ` (${words})`}${dropped > 0 ? `, ${formatNumber(dropped)} dropped` : ""}`;
}

const HEADLINES: Readonly<Record<RunEnding, string>> = {
  complete: "Complete and verified",
  unverified: "Complete, but unverified",
  failure: "Failed",
  blocked: "Blocked until you act",
  nothing: "Nothing to do",
  limit: "Stopped at a limit, with work left",
  login: "Stopped",
  config: "Stopped",
  interrupted: "Stopped",
};

function factsOf(finished: RunFinished, summary: RunSummary): Fact[] {
  const { started } = summary;
  const branch = started?.branch === undefined ? undefined : printableLine(started.branch);
  const isBehind = finished.notFollowing !== undefined;
  const place = branch === undefined ? "" : isBehind ? ` landed, not on ${branch} yet` : ` on ${branch}`;
  return [
    ["Tasks", tasksText(finished, summary)],
    ["Iterations", iterationsText(finished, summary)],
    ["Gates", gatesPlace(finished)],
    ["Cost", costText(summary)],
    ["Commits", finished.commits === 0 ? "none" : `${formatNumber(finished.commits)}${place}`],
    ...hooksFact(summary),
  ];
}

/** `11 in 16s, in 4 lanes`. */
function iterationsText({ iterations, durationMs }: RunFinished, { started }: RunSummary): string {
  const lanes = started?.lanes ?? 1;
  const where = started?.fleet === true ? " in the fleet" : lanes === 1 ? "" : `, in ${formatNumber(lanes)} lanes`;
  return `${formatNumber(iterations)} in ${formatDuration(durationMs)}${where}`;
}

/** Only failures: hooks do not affect the work. */
const hooksFact = ({ hooks: { runs, failed } }: RunSummary): Fact[] =>
  failed === 0 ? [] : [["Hooks", `${formatNumber(failed)} of ${formatNumber(runs)} failed`]];

function tasksText(finished: RunFinished, summary: RunSummary): string {
  const { proven, unbroken, look, failed, waiting, blocked, dropped } = countsOf(summary);
  const counts = [
    ["proven", proven],
    ["unbroken", unbroken],
    ["to look at", look],
    ["failed", failed],
    ["waiting for a person", waiting],
    ["blocked", blocked],
    ["ready", finished.left.ready],
    ["dropped", dropped],
  ] as const;
  return countsText(counts) || "none";
}

/** Marks a cost that is incomplete or estimated from tokens. */
export function costText(known: Cost, limit = ""): string {
  const { costUsd, tokens, isCostEstimated } = known;
  const money =
    costUsd === undefined
      ? "not reported"
      : `${costSign(known)}${formatUsd(costUsd)}${isCostEstimated ? " (estimated)" : ""}${limit}`;
  return tokens === 0 ? money : `${money} · ${plural(tokens, "token")}`;
}

export type Cost = Pick<RunSummary, "costUsd" | "tokens" | "isCostPartial" | "isCostEstimated">;

/** Unfinished work and its reasons, which the next steps refer to. */
function leftParts(finished: RunFinished, { kept, leftOut }: RunSummary): string[][] {
  const { waiting, failed, droppedTasks, dropped, left } = finished;
  const why = (name: string, reason: string): string => [name, printableLine(reason)].filter(Boolean).join(": ");
  const blockers = (ids: readonly string[]): string => ids.map((id) => blockerText(id, finished)).join(", ");
  const [some, files] = [listing("ralphctl task list"), listing("git status")];
  return [
    some("Look at these", { items: finished.look ?? [] }, lookText),
    some("Claimed together, without a session of their own", { items: finished.together ?? [] }, togetherText),
    some("Waiting for a person", { items: waiting, of: left.waiting }, asks),
    some("Failed", { items: failed, of: left.failed }, (task) => `${taskText(task)}: ${printableLine(task.reason)}`),
    some(
      "Blocked",
      { items: stuckTasks(finished), of: left.blocked },
      (task) => `${taskText(task)} needs ${blockers(task.by)}`,
    ),
    some("Dropped, not done", { items: droppedTasks, of: dropped }, (task) => why(taskText(task), task.reason)),
    files("Not committed", { items: leftOut }, ({ path, why }) => `${printableLine(path)}: ${printableLine(why)}`),
    unfinishedPart(finished.unfinished ?? []),
    part(
      "Your branch does not follow",
      finished.notFollowing === undefined ? [] : [printableLine(finished.notFollowing)],
    ),
    some("Saved work", { items: kept }, keptText),
  ];
}

const asks = (task: RunFinished["waiting"][number]): string =>
  `${taskText(task)} asks: ${printableLine(task.question)}`;

/** T-23: nobody looked at these tasks one by one. */
const togetherText = (task: NonNullable<RunFinished["together"]>[number]): string =>
  `${taskText(task)} with ${printableLine(task.with)}: ${printableLine(task.strength)}`;

/** T-15: why a done task is not enough. */
const lookText = (task: DoneTaskName): string =>
  `${taskText(task)}${task.standing === "look" ? "" : ` (${lookup(OPEN_WORDS, task.standing) ?? printableLine(task.standing)})`}: ${printableLine(task.reason)}`;

const OPEN_WORDS: Readonly<Record<string, string>> = {
  unrecorded: "not on record",
  unbroken: "unbroken",
  elsewhere: "elsewhere",
};

/** L-42: the first parent of the work is the commit that its session began on. Of many lanes, the commands stand there once. */
function unfinishedPart(works: readonly UnfinishedWork[]): string[] {
  const textOf = ({ ref, files }: UnfinishedWork): string => `${printableLine(ref)} (${plural(files, "file")})`;
  const [only] = works;
  if (only === undefined || works.length > 1) {
    const lines = listing("ralphctl lanes")("Unfinished work", { items: works }, textOf);
    return only === undefined
      ? lines
      : [
          ...lines,
          "  See one: git diff REF^ REF; take it: ralphctl lanes take TASK; drop it: ralphctl lanes drop TASK",
        ];
  }
  const [name, task] = [printableLine(only.ref), printableLine(only.task)];
  const how = `See it: git diff ${name}^ ${name}; take it: ralphctl lanes take ${task}; drop it: ralphctl lanes drop ${task}`;
  return part("Unfinished work", [`${textOf(only)}. ${how}`]);
}

/** T-24: with the command that brings it over. */
const keptText = ({ task, ref, why }: RunSummary["kept"][number]): string =>
  `${printableLine(ref)}: ${printableLine(why)}${task === undefined ? "" : `. Take it: ralphctl lanes take ${printableLine(task)}`}`;

/** A blocker in another scope is named with it: this run cannot settle it. */
function blockerText(id: string, { outside = [] }: RunFinished): string {
  const other = outside.find((task) => task.id === id);
  return printableLine(other === undefined ? id : `${id} (${other.title}) of ${describeScope(other.scope)}`);
}

interface Some<Item> {
  readonly items: readonly Item[];
  /** How many there are, if an event names only the first. */
  readonly of?: number;
}

/** Lists a few items under a name; `all` prints the rest of many. */
function listing(all: string) {
  return <Item>(name: string, { items, of = 0 }: Some<Item>, textOf: (item: Item) => string): string[] => {
    const more = items.length === 0 ? 0 : Math.max(items.length, of) - Math.min(items.length, MOST_LISTED);
    const rest = more > 0 ? [`and ${formatNumber(more)} more: ${all}`] : [];
    return part(name, [...items.slice(0, MOST_LISTED).map(textOf), ...rest]);
  };
}
