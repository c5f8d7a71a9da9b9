import { findLog, followLog, type LogLine, logState, readLog } from "../../app/logs.ts";
import { RalphError } from "../../domain/error.ts";
import { closestMatch } from "../../domain/closest-match.ts";
import { createRedactor, redactEvent, type Redactor } from "../../domain/redact.ts";
import { createEventFilter, eventTypes, type EventQuery } from "../../domain/run/event-filter.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { addEvent, emptySummary } from "../../domain/run/summary.ts";
import { runFlag } from "../../domain/scope-name.ts";
import { EVENT_DOCS } from "../../domain/run/event-docs.ts";
import { type Input, listOption, textOption } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { caller, countOption, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { localTime } from "../../format/run-text.ts";
import { createRunLines, type RunLinesOptions } from "../../format/run-lines.ts";
import { runSummary } from "../../format/run-summary.ts";
import { printNoRunsYet } from "../run-messages.ts";
import { widthOf } from "../run-output.ts";
import { pageWriter } from "../page.ts";
import { isJson } from "../json.ts";

/** The events of a run, as lines; with --follow until it ends. */
export async function run(input: Input, io: Io): Promise<number> {
  const wishes = queryOf(input);
  const scope = scopeChoice(input);
  const log = await findLog({ run: input.args[0], scope }, caller(input, io));
  if (log === undefined) return printNoRunsYet(scope, io);
  const isFollowing = input.options["follow"] === true;
  const printer = await createPrinter(input, io, wishes);
  let isFinished = false;
  let key: string | undefined;
  for await (const { lines, isCaughtUp } of isFollowing ? followLog(log) : readLog(log)) {
    for (const line of lines) {
      printer.add(line);
      isFinished ||= line.event.type === "run.finished";
      if (line.event.type === "run.started") key = line.event.scope;
    }
    if (isCaughtUp || isFinished) printer.caughtUp();
    await io.drained();
    if (isFinished) break;
  }
  if (!isFinished) io.err(ENDS[await logState(log)](log.run, key));
  else if (printer.count() === 0) io.err(nothingText(input, log.run));
  return EXIT_CODES.complete.code;
}

/** How a run without an end went on. */
export const ENDS = {
  running: (run: string) => `Run ${run} is still running. Watch it: ralphctl watch ${run}\n`,
  ended: (run: string, scope: string | undefined) =>
    `Run ${run} crashed or was killed. Continue: ralphctl run${runFlag(scope)}\n`,
  deleted: (run: string) => `The record of run ${run} was deleted, and the run is no longer alive\n`,
} as const;

const nothingText = (input: Input, run: string): string =>
  listOption(input, "type") === undefined
    ? `No matching events. List all: ralphctl logs ${run}\n`
    : "No matching events, or none that have a text line: --json shows them all\n";

function queryOf(input: Input): EventQuery {
  const types = listOption(input, "type");
  const known = eventTypes(Object.keys(EVENT_DOCS));
  const unknown = types?.find((type) => !known.includes(type));
  if (unknown !== undefined) {
    const meant = closestMatch(unknown, known);
    const families = known.filter((type) => !type.includes("."));
    throw new RalphError("usage", `Unknown event type ${JSON.stringify(unknown)}`, {
      hint: meant === undefined ? `Choose one of: ${families.join(", ")}` : `Did you mean ${meant}?`,
    });
  }
  return {
    task: textOption(input, "task"),
    iteration: countOption(input, "iteration"),
    lane: laneOption(input),
    types,
  };
}

/** Lane 0 is the working tree itself. */
const laneOption = (input: Input): number | undefined =>
  textOption(input, "lane") === "0" ? 0 : countOption(input, "lane");

async function createPrinter(input: Input, io: Io, wishes: EventQuery) {
  const print = isJson(input) ? io.out : await pageWriter(io, "log");
  const shown = linesOf(input, io, wishes);
  const tail = countOption(input, "tail");
  let kept: string[] | undefined = tail === undefined ? undefined : [];
  let count = 0;
  return {
    add: (line: LogLine): void => {
      const lines = shown(line);
      count += lines.length;
      if (kept === undefined) print(lines.map((text) => `${text}\n`).join(""));
      else kept.push(...lines);
      // Trim now and then: a log may have a million lines.
      if (kept !== undefined && kept.length > 2 * tail! + 1000) kept = kept.slice(-tail!);
    },
    /** Prints the lines that `--tail` held back. */
    caughtUp: (): void => {
      print((kept?.slice(-tail!) ?? []).map((text) => `${text}\n`).join(""));
      kept = undefined;
    },
    count: (): number => count,
  };
}

/** With `--json` the recorded lines; otherwise the text that `run` printed. */
function linesOf(input: Input, io: Io, wishes: EventQuery): (line: LogLine) => readonly string[] {
  const redact = createRedactor(io.env);
  if (isJson(input)) {
    const isWanted = createEventFilter(wishes);
    return ({ event, text }) => (isWanted(event) ? [redact(text)] : []);
  }
  const text = createLogText({
    wishes,
    redact,
    verbose: input.options["verbose"] === true,
    quiet: input.options["quiet"] === true,
    width: widthOf(io.env["COLUMNS"]),
    clock: localTime,
  });
  return ({ event, atMs }) => text(event, atMs);
}

export interface LogTextOptions extends Omit<RunLinesOptions, "time"> {
  readonly wishes: EventQuery;
  readonly redact: Redactor;
}

/** The lines that `run` printed for an event, with times, dates and the summary. */
export type LogText = (event: RunEvent, atMs: number) => readonly string[];

export function createLogText(options: LogTextOptions): LogText {
  const { wishes, redact, clock } = options;
  // A type that was asked for is shown even if it is verbose.
  const lines = createRunLines({ ...options, time: true, verbose: options.verbose || wishes.types !== undefined });
  const isWanted = createEventFilter(wishes);
  let summary = emptySummary;
  let day = "";
  const withDay = (shown: readonly string[], atMs: number): readonly string[] => {
    const today = clock(atMs).slice(0, 10);
    if (shown.length === 0 || today === day) return shown;
    day = today;
    return [today, ...shown];
  };
  return (event, atMs) => {
    const safe = redactEvent(event, redact);
    summary = addEvent(summary, safe);
    if (!isWanted(event)) return withDay(between(lines, safe, atMs), atMs);
    const shown = withDay(lines(safe, atMs), atMs);
    return safe.type === "run.finished" ? [...shown, "", ...runSummary(safe, summary).trimEnd().split("\n")] : shown;
  };
}

/**
 * The lines that a filtered event still causes: the end of a text that came in parts. The starts of the run
 * and of iterations are tracked too, because later lines name them and their lanes.
 */
function between(lines: ReturnType<typeof createRunLines>, event: RunEvent, atMs: number): readonly string[] {
  if (event.type === "agent.ended") return lines({ ...event, outcome: { kind: "done" } }, atMs);
  if (event.type === "run.started" || event.type === "iteration.started") lines(event, atMs);
  return [];
}
