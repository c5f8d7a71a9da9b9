import { findLog, followLog, logState, readLog } from "../../app/logs.ts";
import { otherTasks } from "../../app/run/other-tasks.ts";
import type { RunLog } from "../../app/run/run-logs.ts";
import { stopNow as stopRunNow } from "../../app/run/send-request.ts";
import { createRedactor, redactEvent } from "../../domain/redact.ts";
import type { RunEvent, RunFinished } from "../../domain/run/event.ts";
import { addEvent, emptySummary } from "../../domain/run/summary.ts";
import type { Input } from "../command.ts";
import { codeAfterLog, EXIT_CODES } from "../exit-code.ts";
import { caller } from "../flags.ts";
import { localTime } from "../../format/run-text.ts";
import { runSummary } from "../../format/run-summary.ts";
import type { Io, Terminal } from "../io.ts";
import { createRunControls } from "../run-controls.ts";
import { printPage } from "../page.ts";
import { printNoRunsYet } from "../run-messages.ts";
import { widthOf } from "../run-output.ts";
import { openRunView, type RunView } from "../view/run-view.ts";
import { createLogText, ENDS } from "./logs.ts";

/** Shows a run that another process does, until it ends. Returns the exit code of the run. */
export async function run(input: Input, io: Io): Promise<number> {
  const log = await findLog({ run: input.args[0], scope: {} }, caller(input, io));
  if (log === undefined) return printNoRunsYet({}, io);
  const terminal = input.options["plain"] === true ? undefined : await io.terminal?.();
  if (terminal === undefined) return await printLines(log, input, io);
  if ((await logState(log)) !== "running") return await printEnded(log, io);
  return await view(log, terminal, { input, io });
}

/** Like `logs --follow`, but with the exit code of the run. */
async function printLines(log: RunLog, input: Input, io: Io): Promise<number> {
  const text = createLogText({
    wishes: {},
    redact: createRedactor(io.env),
    verbose: input.options["verbose"] === true,
    quiet: false,
    width: widthOf(io.env["COLUMNS"]),
    clock: localTime,
  });
  let scope: string | undefined;
  for await (const { lines } of followLog(log)) {
    for (const { event, atMs } of lines) {
      if (event.type === "run.started") ({ scope } = event);
      io.out(
        text(event, atMs)
          .map((line) => `${line}\n`)
          .join(""),
      );
      if (event.type === "run.finished") return codeAfterLog(event);
    }
    await io.drained();
  }
  return await tellKilled(log, scope, io);
}

/** A run that did not say how it ended. `scope`: undefined if it did not even begin. */
async function tellKilled(log: RunLog, scope: string | undefined, io: Io): Promise<number> {
  if (scope === undefined) {
    io.err(`Run ${log.run} did not start, or was a check such as ralphctl verify, which has no log\n`);
    return EXIT_CODES.nothing.code;
  }
  io.err(ENDS[await logState(log)](log.run, scope));
  return EXIT_CODES.failure.code;
}

async function printEnded(log: RunLog, io: Io): Promise<number> {
  const end = createEnd(io);
  let endedAtMs = 0;
  for await (const { lines } of readLog(log)) {
    for (const { event, atMs } of lines) {
      end.add(event);
      endedAtMs = atMs;
    }
  }
  const finished = end.finished();
  if (finished === undefined) return await tellKilled(log, end.scope(), io);
  await printPage(io, `Run ${log.run} ended at ${localTime(endedAtMs)}\n\n${end.text()}`);
  return codeAfterLog(finished);
}

/** Gathers the summary of a run, without secrets. */
function createEnd({ env }: Io) {
  const redact = createRedactor(env);
  let summary = emptySummary;
  return {
    add: (event: RunEvent): RunEvent => {
      const safe = redactEvent(event, redact);
      summary = addEvent(summary, safe);
      return safe;
    },
    finished: (): RunFinished | undefined => summary.finished,
    scope: (): string | undefined => summary.started?.scope,
    text: (): string => (summary.finished === undefined ? "" : runSummary(summary.finished, summary)),
  };
}

async function view(log: RunLog, terminal: Terminal, { input, io }: { input: Input; io: Io }): Promise<number> {
  const { stop } = io.interrupts();
  const left = new AbortController();
  const stopped = new AbortController();
  const controls = createRunControls(input, io, () => log.root);
  const stopNow = async (): Promise<void> => {
    await stopRunNow({ cwd: log.root, env: io.env }, log.run);
    stopped.abort();
  };
  const shown = openRunView({
    terminal,
    env: io.env,
    verbose: input.options["verbose"] === true,
    stop: stopped.signal,
    controls: { ...controls, watching: { stopNow, leave: () => left.abort() } },
    tasks: async (started) => await otherTasks(log.root, started),
  });
  const end = createEnd(io);
  const isLeft = (): boolean => left.signal.aborted || stop.aborted;
  try {
    await follow(log, shown, {
      add: (event) => {
        controls.hear(event);
        return end.add(event);
      },
      isOver: () => isLeft() || end.finished() !== undefined,
    });
  } finally {
    shown.close();
  }
  const finished = end.finished();
  if (finished !== undefined) {
    await printPage(io, `\n${end.text()}`);
    return codeAfterLog(finished);
  }
  if (!isLeft()) return await tellKilled(log, end.scope(), io);
  io.err(`Run ${log.run} goes on. Watch it again: ralphctl watch\n`);
  return EXIT_CODES.complete.code;
}

interface Following {
  /** Takes an event in, and returns what may be shown of it. */
  readonly add: (event: RunEvent) => RunEvent;
  readonly isOver: () => boolean;
}

/** Of all that happened before, only the last lines are shown. */
async function follow(log: RunLog, shown: RunView, { add, isOver }: Following): Promise<void> {
  let isLive = false;
  for await (const { lines, isCaughtUp } of followLog(log)) {
    for (const { event, atMs } of lines) (isLive ? shown.emit : shown.recall)(add(event), atMs);
    if (!isLive && (isCaughtUp || isOver())) {
      isLive = true;
      shown.caughtUp();
    }
    if (isOver()) return;
  }
}
