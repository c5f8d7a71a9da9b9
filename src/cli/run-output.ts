import type { RunHost } from "../app/run/run.ts";
import { otherTasks } from "../app/run/other-tasks.ts";
import { createAlerts } from "./alerts.ts";
import type { Input } from "./command.ts";
import { loopSurroundings } from "./flags.ts";
import { localTime, wrapped } from "../format/run-text.ts";
import { createRunLines } from "../format/run-lines.ts";
import { runSummary } from "../format/run-summary.ts";
import { OUTPUT_ENDED } from "./interrupts.ts";
import type { Io, Terminal } from "./io.ts";
import { pageWriter } from "./page.ts";
import { createRunControls } from "./run-controls.ts";
import { createRedactor, redactEvent } from "../domain/redact.ts";
import type { RunEvent, RunFinished, RunStarted, TaskName } from "../domain/run/event.ts";
import { addEvent, emptySummary } from "../domain/run/summary.ts";
import { version } from "../domain/version.ts";

export interface RunOutput {
  /** Prints what the run emits. */
  readonly host: RunHost;
  /** Removes everything drawn, so that others can print. */
  readonly close: () => void;
  /** Prints the summary. */
  readonly end: (finished: RunFinished) => void;
  /** Prints the summary of a run that an error broke off, if sessions had begun. */
  readonly endBroken: () => void;
}

/**
 * Prints a run as it goes on: a live view at a terminal, otherwise lines; with `--json` one event per line.
 * `isAttended`: the terminal belongs to an agent, so draw nothing.
 */
export async function openRunOutput(input: Input, io: Io, isAttended = false): Promise<RunOutput> {
  const isJson = input.options["json"] === true;
  const isQuiet = input.options["quiet"] === true;
  const isPlain = isJson || isQuiet || isAttended || input.options["plain"] === true;
  const terminal = isPlain ? undefined : await io.terminal?.();
  const show = terminal === undefined ? printer(input, io) : await viewOn(terminal, input, io);
  // A run goes on when its terminal is closed: `watch` shows it in another. An agent at the terminal ends with it.
  if (!isAttended) io.interrupts().outliveTerminal?.()?.addEventListener("abort", show.close, { once: true });
  const redact = createRedactor(io.env);
  const alerts = createAlerts(isJson || isAttended ? undefined : io.paper?.("out"), input, io);
  let summary = emptySummary;
  io.saveMemory();
  const print = isJson || input.options["plain"] === true ? io.out : await pageWriter(io);
  const end = (finished: RunFinished): void => {
    show.close();
    const safe = summary.finished ?? redactEvent(finished, redact);
    const text = runSummary(safe, addEvent(summary, safe));
    if (!isJson) print(show.hasPrinted() ? `\n${text}` : text);
    else if (!isQuiet) io.err(text);
  };
  return {
    host: {
      ...loopSurroundings(input, io),
      // The person was asked before the view took the terminal.
      trust: { isGiven: input.options["trust"] === true },
      emit: (recorded) => {
        summary = addEvent(summary, recorded.event);
        show.emit(recorded);
        alerts.hear(recorded.event, recorded.atMs);
      },
      caughtUp: io.drained,
      interrupts: io.interrupts(),
      self: io.self,
      isRoot: io.isRoot,
      version,
      answer: async (command) => await (await import("./answer-session.ts")).answerSession(command, io),
    },
    close: show.close,
    end,
    endBroken: () => {
      if (summary.finished !== undefined && summary.finished.iterations > 0) end(summary.finished);
    },
  };
}

interface Show extends Pick<RunHost, "emit">, Pick<RunOutput, "close"> {
  readonly hasPrinted: () => boolean;
}

async function viewOn(terminal: Terminal, input: Input, io: Io): Promise<Show> {
  const { openRunView } = await import("./view/run-view.ts");
  const controls = createRunControls(input, io, (started) => placeOf(started, io));
  const view = openRunView({
    terminal,
    env: io.env,
    verbose: input.options["verbose"] === true,
    stop: io.interrupts().stop,
    controls,
    tasks: async (started) => await otherTasks(placeOf(started, io), started),
  });
  const tellStop = whenStopped(io, (text) => view.print(["", ...wrapped(text, terminal.size().columns - 1)]));
  let hasPrinted = false;
  return {
    emit: ({ event, atMs }) => {
      hasPrinted = true;
      controls.hear(event);
      tellStop(event);
      view.emit(event, atMs);
    },
    close: view.close,
    hasPrinted: () => hasPrinted,
  };
}

function printer(input: Input, io: Io): Show {
  const isJson = input.options["json"] === true;
  const isQuiet = input.options["quiet"] === true;
  // Without a terminal, the output is a log.
  const time = input.options["plain"] === true || !io.isInteractive;
  const { stop } = io.interrupts();
  const lines = createRunLines({
    verbose: input.options["verbose"] === true,
    quiet: isQuiet,
    time,
    width: widthOf(io.env["COLUMNS"]),
    isStopping: () => stop.aborted,
    clock: localTime,
  });
  let hasPrinted = false;
  const print = (texts: readonly string[]): void => {
    if (texts.length === 0) return;
    hasPrinted = true;
    io.out(texts.map((text) => `${text}\n`).join(""));
  };
  const tellStop = whenStopped(io, (text) => {
    // At a terminal the line may begin with ^C.
    if (!isJson)
      print(time ? [...(io.hasTerminal ? [""] : []), `${localTime(Date.now()).slice(11)}  ${text}`] : ["", text]);
    else if (!isQuiet) io.err(`${text}\n`);
  });
  return {
    emit: ({ event, atMs, line }) => {
      tellStop(event);
      print(isJson ? [line] : lines(event, atMs));
    },
    close: () => undefined,
    hasPrinted: () => hasPrinted,
  };
}

/** Announces a stop once, between the start and the end of the run, unless the output is closed. */
function whenStopped(io: Io, say: (text: string) => void): (event: RunEvent) => void {
  const { stop } = io.interrupts();
  const tasks = new Map<number, TaskName | undefined>();
  const proving = new Set<number>();
  const tell = (): void => {
    // Claims are proven one after the other (L-10); those behind the first are left for the next run.
    const [first] = proving;
    if (stop.reason !== OUTPUT_ENDED) say(stoppingText(io, first === undefined ? undefined : tasks.get(first)));
  };
  return (event) => {
    const { type } = event;
    if (type === "iteration.started") tasks.set(event.iteration, event.task);
    if (type === "claim.made" && event.claim === "done") proving.add(event.iteration);
    else if (type === "claim.made" || type === "verdict.reached") proving.delete(event.iteration);
    if (type === "iteration.finished") {
      proving.delete(event.iteration);
      tasks.delete(event.iteration);
    }
    if (type === "run.started" && stop.aborted) tell();
    else if (type === "run.started") stop.addEventListener("abort", tell, { once: true });
    if (type === "run.finished") stop.removeEventListener("abort", tell);
  };
}

/** The only line about a stop before the summary. `proven`: the task whose claim is being proven, which is finished (L-40). */
const stoppingText = ({ isInteractive }: Io, proven: TaskName | undefined): string =>
  [
    ...(proven === undefined
      ? ["Stopping: waiting for running processes to exit; an unfinished task is released"]
      : [`Stopping: waiting for the proof of ${proven.id} to end; the work lands if it holds`]),
    ...(isInteractive ? [`press Ctrl-C again to ${proven === undefined ? "kill them" : "stop it at once"}`] : []),
  ].join("; ");

const USUAL_WIDTH = 120;

/** The terminal width from COLUMNS. */
export function widthOf(columns: string | undefined): number {
  const width = Number(columns);
  return Number.isInteger(width) && width >= 20 ? width : USUAL_WIDTH;
}

/** A workspace may be below the top of its working tree; a demo runs in a folder of its own. */
const placeOf = ({ folder }: RunStarted, { cwd }: Io): string => (`${cwd}/`.startsWith(`${folder}/`) ? cwd : folder);
