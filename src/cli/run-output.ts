import { createRedactor, redactEvent } from "../domain/redact.ts";
import type { RunFinished } from "../domain/run/event.ts";
import type { RecordedEvent } from "../domain/run/event-line.ts";
import { addEvent, freshSummary } from "../domain/run/summary.ts";
import type { Input } from "./command.ts";
import { OUTPUT_ENDED } from "./interrupts.ts";
import type { Io } from "./io.ts";
import { localTime } from "./local-time.ts";
import { createRunLines } from "./run-lines.ts";
import { runSummary } from "./run-summary.ts";

export interface RunOutput {
  readonly emit: (recorded: RecordedEvent) => void;
  /** Says how it ended. */
  readonly end: (finished: RunFinished) => void;
}

/** Prints a run as it goes on: lines for a person, or with `--json` every event on a line of its own and no more. */
export function createRunOutput(input: Input, io: Io): RunOutput {
  const isJson = input.options["json"] === true;
  const isQuiet = input.options["quiet"] === true;
  const redact = createRedactor(io.env);
  // Where nobody watches it is a log.
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
  let summary = freshSummary;
  let hasPrinted = false;
  const print = (line: string): void => {
    hasPrinted = true;
    io.out(`${line}\n`);
  };
  const sayStopping = (): void => {
    if (stop.reason === OUTPUT_ENDED || (isJson && isQuiet)) return;
    const text = stoppingText(io);
    if (isJson) io.err(`${text}\n`);
    else print(time ? `${localTime(Date.now()).slice(11)}  ${text}` : `\n${text}`);
  };
  return {
    emit: ({ event, atMs, line }) => {
      if (event.type === "run.started") {
        if (stop.aborted) sayStopping();
        else stop.addEventListener("abort", sayStopping, { once: true });
      }
      if (event.type === "run.finished") stop.removeEventListener("abort", sayStopping);
      summary = addEvent(summary, event);
      if (isJson) io.out(`${line}\n`);
      else for (const text of lines(event, atMs)) print(text);
    },
    end: (finished) => {
      const safe = redactEvent(finished, redact);
      const text = runSummary(safe, addEvent(summary, safe));
      if (!isJson) io.out(hasPrinted ? `\n${text}` : text);
      else if (!isQuiet) io.err(text);
    },
  };
}

/** Said once, when it is told to stop; it is all that is said of that before the end. */
const stoppingText = ({ isInteractive }: Io): string =>
  [
    "Stopping: what runs is told to end, and an unfinished task is given back",
    ...(isInteractive ? ["press Ctrl-C again to end it at once"] : []),
  ].join("; ");

const USUAL_WIDTH = 120;

/** How wide the terminal says that it is. */
export function widthOf(columns: string | undefined): number {
  const width = Number(columns);
  return Number.isInteger(width) && width >= 20 ? width : USUAL_WIDTH;
}
