import { printable, printableLine } from "../domain/printable.ts";
import { createLaneFinder } from "../domain/run/event-lane.ts";
import { memberOf } from "../domain/run/fleet-lane.ts";
import type { CheckKind, EventOf, IterationStarted, RunEvent } from "../domain/run/event.ts";
import { AGENT_LINES, createTextPieces, type LineTable, type LineView, type AgentTextLine } from "./agent-lines.ts";
import { formatDuration } from "../domain/duration.ts";
import { gateText, outputEnd } from "./gate-lines.ts";
import { heldLines } from "./held-text.ts";
import { hookLines, hookStartText, hookText } from "./hook-lines.ts";
import { agentText, claimText, plural, durationText, spentTexts, underWay } from "./run-text.ts";
import { iterationNumber, lookup, lowercaseFirst, outcomeText, truncate, listSome, taskText } from "./run-text.ts";
import { startLines } from "./start-lines.ts";

export interface RunLinesOptions extends LineView {
  /** Also thinking, tool results, gates that start, and the agent's notices. */
  readonly verbose: boolean;
  /** Only verdicts and problems. */
  readonly quiet: boolean;
  /** Whether each line begins with the time. */
  readonly time: boolean;
  /** Whether the reader has stopped the run, and so expects it to end. */
  readonly isStopping?: () => boolean;
  /** Local time as `2026-11-16 14:05:09`. */
  readonly clock: (ms: number) => string;
  /** Styles for a terminal, one per lane; absent: plain. `margin`: the width of the column before each line. */
  readonly looks?: (margin: () => number) => LineStyles;
}

/** Their input must be printable. */
export interface LineStyles {
  readonly text: (line: AgentTextLine) => string[];
  /** `index`: which of the event's lines it is. */
  readonly line: (line: string, event: RunEvent, index: number) => string[];
}

export type RunLines = (event: RunEvent, atMs: number) => string[];

/**
 * Turns the events of a run into lines for a person; many have none. `runSummary` prints the end. With several lanes each
 * line begins with its lane (L-43), and the texts of one are not cut by lines of others.
 */
export function createRunLines(options: RunLinesOptions): RunLines {
  const laneOf = createLaneFinder();
  const voices = new Map<number | undefined, RunLines>();
  let lanes = 1;
  const linesOf = (lane: number | undefined): RunLines => {
    const known = voices.get(lane) ?? createVoice(options, () => lanes);
    voices.set(lane, known);
    return known;
  };
  return (event, atMs) => {
    if (event.type === "run.started") lanes = Math.max(event.lanes ?? 1, event.fleet === true ? FLEET_LANE : 1);
    const before = options.time ? `${options.clock(atMs).slice(11)}  ` : "";
    const lane = laneOf(event);
    // A worker hears of the run only what happens in its own lanes.
    if (lane !== undefined && memberOf(lane) !== undefined) lanes = Math.max(lanes, lane);
    const isOne = lanes === 1;
    // All texts that are still open end with the run.
    const told = isOne || event.type !== "run.finished" ? [isOne ? undefined : lane] : [...voices.keys()];
    return told.flatMap((each) =>
      linesOf(each)(event, atMs).map((line) => `${before}${laneMark(each, lanes)}${line}`.trimEnd()),
    );
  };
}

/** As wide as those of most fleets. */
const FLEET_LANE = 101;

/** `2│ `: a column as wide as the largest number; empty with one lane. */
const laneMark = (lane: number | undefined, lanes: number): string =>
  lanes === 1 ? "" : `${String(lane ?? "").padStart(String(lanes).length)}│ `;

/** The lines of one lane, or of the run itself. */
function createVoice(options: RunLinesOptions, lanes: () => number): RunLines {
  const pieces = createTextPieces();
  const margin = (): number => laneMark(undefined, lanes()).length;
  const looks = options.looks?.(margin) ?? PLAIN_STYLES;
  let current: IterationStarted | undefined;
  return (event, atMs) => {
    if (event.type === "iteration.started") current = event;
    if (options.isStopping?.() === true && !options.verbose && isOfStop(event)) return [];
    const view: View = { ...options, width: options.width - margin(), atMs, current, lanes: lanes() };
    const { quiet, verbose } = view;
    const own = (quiet ? quietLines(event, view) : usualLines(event, view)).flatMap((text) => text.split("\n"));
    // A blank line above a heading would be between lines of other lanes.
    const kept = lanes() === 1 ? own : own.filter((line) => line !== "");
    const others = kept.flatMap((line, index) => looks.line(printable(line), event, index));
    // Verbosity may change in the middle of a text, which must not be printed later then.
    const all = pieces(event, others, verbose && !quiet);
    const shown = quiet ? others : all;
    return shown.flatMap((line) =>
      typeof line === "string" ? [line] : looks.text({ ...line, text: printable(line.text) }),
    );
  };
}

/** Events that only follow from a stop. */
function isOfStop(event: RunEvent): boolean {
  if (event.type === "agent.ended") return event.outcome.kind === "aborted";
  if (event.type === "gate.finished") return event.end.kind === "stopped";
  if (event.type === "iteration.finished") return event.outcome === "stopped";
  if (event.type === "verdict.reached") return event.verdict === "undecided";
  return ["session.stopped", "check.finished", "run.resumed"].includes(event.type);
}

const PLAIN_STYLES: LineStyles = {
  text: ({ text, indent, isThought }) => [`${indent}${isThought ? "~ " : ""}${text}`],
  line: (line) => [line],
};

interface View extends RunLinesOptions {
  readonly atMs: number;
  readonly current: IterationStarted | undefined;
  /** How many work. */
  readonly lanes: number;
}

/** Only verdicts and problems, each line understandable on its own. */
function quietLines(event: RunEvent, view: View): string[] {
  if (event.type === "run.started") return startLines(event).slice(0, 1);
  if (event.type === "verdict.reached") return [`${placeText(event.iteration, view)}: ${verdictText(event)}`];
  if (event.type === "gate.finished") return event.passed ? [] : [gateLine(event, view)];
  if (event.type === "iteration.finished") {
    const hasVerdict = event.outcome === "verified" || event.outcome === "rejected";
    return hasVerdict ? [] : [`${placeText(event.iteration, view)}: ${resultText(event)}${whyText(event)}`];
  }
  if (event.type === "hook.finished") return event.passed ? [] : [hookText(event, undefined)];
  const isProblem =
    (event.type === "run.notice" && event.level === "warning") ||
    (event.type === "check.finished" && event.red.length > 0) ||
    event.type === "change.finished" ||
    event.type === "run.waiting";
  return isProblem ? usualLines(event, view) : [];
}

/** A gate without an iteration is part of a check, which has a line of its own. */
const gateLine = (event: EventOf<"gate.finished">, view: View): string =>
  event.iteration === undefined ? gateText(event) : `${placeText(event.iteration, view)}: ${gateText(event)}`;

function placeText(iteration: number, { current }: View): string {
  const task = current?.iteration === iteration ? current.task : undefined;
  return `Iteration ${iteration}${task === undefined ? "" : ` · ${taskText(task)}`}`;
}

function usualLines(event: RunEvent, view: View): string[] {
  // Looked up by the event's type, so the types match.
  const lines = LINES[event.type] as (event: RunEvent, view: View) => string[];
  return lines(event, view);
}

const LINES: LineTable<RunEvent["type"], View> = {
  ...AGENT_LINES,
  "run.started": startLines,
  "run.notice": ({ level, text }) => [level === "warning" ? `Warning: ${text}` : text],
  "run.waiting": (event, view) => [waitText(event, view)],
  "run.resumed": () => ["Continuing"],
  "lanes.held": heldLines,
  "run.asked": (event, { lanes }) => askedLines(event, lanes > 1),
  "run.finished": () => [],
  // An extra one is part of an iteration.
  "check.started": ({ check }) =>
    check === "extra" ? [`  ${CHECKS.extra}`] : ["", lookup(CHECKS, check) ?? "Checking gates"],
  "check.finished": (event) => [checkText(event)],
  "tasks.changed": ({ change, tasks, strength }) => [
    `Tasks ${change}: ${listSome(tasks.map(taskText), 3)}${strength === undefined ? "" : ` · ${printableLine(strength)}`}`,
  ],
  "iteration.started": (event) => ["", iterationText(event)],
  "change.finished": ({ change, ending, reason }) => [
    printableLine(`Change ${change} ${ending}: ${lowercaseFirst(reason)}`),
  ],
  "session.stopped": (event) => [`  Stopped: ${stopText(event)}`],
  "session.changed": ({ files, paths }, { width }) =>
    files === 0
      ? ["  Changed nothing"]
      : [truncate(`  Changed ${plural(files, "file")}: ${listSome(paths, 5, files)}`, width)],
  "claim.made": (event) => [`  ${event.channel === "person" ? "Claimed" : "The agent claims"}: ${claimText(event)}`],
  // Notes are sentences for the agent.
  "protocol.broken": ({ note }) => [`  Protocol violation: ${printableLine(note).replace(/\.$/, "")}`],
  "gate.started": ({ gate, command }, { verbose, width }) =>
    verbose ? [truncate(`  Gate ${printableLine(gate)}: ${printableLine(command)}`, width)] : [],
  "gate.finished": (event) => [`  ${gateText(event)}`, ...(event.passed ? [] : outputEnd(event.output))],
  "verdict.reached": (event) => [`  ${verdictText(event)}`],
  "commit.made": ({ commit, subject, files, leftOut }) => [
    `  Commit ${commit.slice(0, 10)} "${printableLine(subject)}" · ${plural(files, "file")}`,
    ...leftOut.map(({ path, why }) => `    not committed: ${printableLine(path)} (${printableLine(why)})`),
  ],
  "work.kept": ({ ref, why }) => [`  Saved as ${ref}: ${printableLine(why)}`],
  "hook.started": (event, { verbose, width }) => (verbose ? [hookStartText(event, width)] : []),
  "hook.finished": (event, { current }) => hookLines(event, current?.iteration),
  "iteration.finished": (event) => [`  ${resultText(event)}${isSaid(event) ? "" : whyText(event)}`],
};

/** `It was silent for too long (limits.inactivity: 15m)`. */
function stopText({ why, limit, limitMs }: EventOf<"session.stopped">): string {
  const about = limit === undefined ? "" : ` (${limit}${limitMs === undefined ? "" : `: ${formatDuration(limitMs)}`})`;
  return printableLine(`${why}${about}`);
}

const WAITS = {
  limit: "Waiting for the usage limit to end",
  outage: "Waiting before the next attempt, because the model's server failed",
  pause: "Paused",
} as const;

/** A pause that was taken back goes without saying: the run continues. */
function askedLines({ stop, pause, from }: EventOf<"run.asked">, hasLanes: boolean): string[] {
  if (!stop && !pause) return [];
  const where = from === undefined ? "" : ` ${printableLine(from)}`;
  return [`Will ${stop ? "stop" : "pause"} after ${underWay(hasLanes)}, as you asked${where}`];
}

function waitText(event: EventOf<"run.waiting">, { clock, atMs }: View): string {
  const text = lookup(WAITS, event.for) ?? "Waiting";
  if (event.untilMs === undefined) return event.for === "pause" ? `${text}; to continue: ralphctl resume` : text;
  const until = clock(event.untilMs);
  const isToday = until.slice(0, 10) === clock(atMs).slice(0, 10);
  return `${text}, until ${isToday ? until.slice(11) : until}`;
}

const CHECKS: Readonly<Record<CheckKind, string>> = {
  baseline: "Checking the gates before work starts",
  own: "Checking the gates of the task before its first session",
  final: "Checking all gates once more before finishing",
  extra: "Checking once more with the old configuration and tests",
};

function checkText({ check, red }: EventOf<"check.finished">): string {
  const names = listSome(red, 10);
  if (check === "extra") return red.length === 0 ? "  They pass, too" : `  Failing with them: ${names}`;
  if (red.length === 0) return "All gates pass";
  if (check === "own") return `Failing before the first session of the task: ${names}`;
  return check === "final"
    ? `Failing at the end: ${names}`
    : `Failing before work starts: ${names}; tasks still need them to pass`;
}

function iterationText(event: IterationStarted): string {
  const { task, attempts, attemptLimit } = event;
  return [
    `Iteration ${iterationNumber(event)}`,
    task === undefined ? event.mode : taskText(task),
    ...(event.scope === undefined ? [] : [printableLine(event.scope.replace("/", " "))]),
    agentText(event.harness, event.model, event.override),
    ...(task === undefined ? [] : [`attempt ${attempts + 1} of ${attemptLimit}`]),
  ].join(" · ");
}

const VERDICTS = {
  accepted: "Accepted",
  rejected: "Rejected",
  parked: "A person must decide",
  undecided: "Undecided",
  deferred: "Too early to end the run",
} as const;

function verdictText(event: EventOf<"verdict.reached">): string {
  const text = lookup(VERDICTS, event.verdict) ?? event.verdict;
  const [first, ...more] = event.reasons.map((reason) => printableLine(reason));
  if (first === undefined) return text;
  return more.length === 0
    ? `${text}: ${first}`
    : `${text}:\n${[first, ...more].map((one) => `    - ${one}`).join("\n")}`;
}

function resultText(event: EventOf<"iteration.finished">): string {
  const { outcome, status, durationMs } = event;
  const facts = [
    `Outcome: ${outcomeText(event)}`,
    ...(status === "failed" ? ["the task has failed"] : []),
    ...(outcome === "unfinished" && status === "pending"
      ? ["the work is kept; the next attempt continues from it"]
      : []),
    durationText(durationMs),
    ...spentTexts(event),
  ];
  return facts.join(" · ");
}

/** Whether the lines above give the reason: a verdict, the end of the session, or the agent's last words. */
const isSaid = ({ outcome, task }: EventOf<"iteration.finished">): boolean =>
  SESSION_FAILURES.has(outcome) || (task !== undefined && !["parked", "stopped", "lost"].includes(outcome));

/** The end of the session has said why. */
const SESSION_FAILURES: ReadonlySet<string> = new Set([
  "crashed",
  "timed-out",
  "limited",
  "outage",
  "overflow",
  "login",
  "model",
]);

function whyText({ question, reason }: EventOf<"iteration.finished">): string {
  const why = question ?? reason;
  return why === undefined ? "" : `\n    ${printableLine(why)}`;
}
