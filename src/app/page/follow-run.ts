import { readEventLine } from "../../domain/run/event-line.ts";
import { createRunRecorder, type RunRecord } from "../../domain/run/run-record.ts";
import { followFile } from "../../system/follow-file.ts";
import { createLineSplitter } from "../../system/line-splitter.ts";
import { fileFacts } from "../../system/store-file.ts";
import { isRunning, type RunLog } from "../run/run-logs.ts";

/** A line of a run's log. `seq` counts all lines of the log from 1. */
export interface FollowedLine {
  readonly seq: number;
  readonly text: string;
}

/** What readers of a run are told. */
export interface RunListener {
  readonly onLines: (lines: readonly FollowedLine[]) => void;
  /** Its process is gone, and nothing more will come. */
  readonly onEnd: () => void;
}

/** A run whose log is read once for all who look at it. */
export interface FollowedRun {
  readonly run: string;
  /** Resolves when all that the log had is read. */
  readonly caughtUp: Promise<void>;
  readonly record: RunRecord;
  readonly seq: () => number;
  readonly isRunning: () => boolean;
  /** The lines after one; undefined if some of them are not kept any more, or it is none of this log. */
  readonly since: (seq: number) => readonly FollowedLine[] | undefined;
  readonly listen: (listener: RunListener) => () => void;
  readonly stop: () => void;
}

const KEPT_BYTES = 4 * 1024 * 1024;
const LONGEST_LINE = 4 * 1024 * 1024;
/** On some systems another program must be started to know whether a process lives. */
const LIFE_MS = 1000;

/** U-07: one fold for all readers, and the last lines for those who come back. */
export function followRun(log: RunLog): FollowedRun {
  const { run: record, add } = createRunRecorder("open");
  const kept = createKept();
  const listeners = new Set<RunListener>();
  let isStopped = false;
  let isOver = false;
  let fresh: FollowedLine[] = [];
  // What would be dropped again before anybody can ask for it is only counted.
  const keptFrom = (fileFacts(log.file)?.size ?? 0) - KEPT_BYTES;
  let position = 0;
  const take = (text: string): void => {
    if (position < keptFrom) kept.pass();
    else fresh.push(kept.add(text));
    const line = readEventLine(text);
    if (line !== undefined) add(line.event, line.atMs, line.run);
  };
  const splitter = createLineSplitter({ limitBytes: LONGEST_LINE, onLine: take, onLongLine: () => take("") });
  const isGone = createLifeCheck(log);
  const hand = (): void => {
    const lines = fresh;
    fresh = [];
    if (lines.length > 0) for (const { onLines } of listeners) onLines(lines);
  };
  let tellCaughtUp = (): void => undefined;
  const caughtUp = new Promise<void>((resolve) => (tellCaughtUp = resolve));
  const follow = async (): Promise<void> => {
    for await (const bytes of followFile(log.file, () => isStopped || isGone())) {
      position += bytes.length;
      splitter.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      hand();
      if (bytes.length === 0) tellCaughtUp();
      // A long log must not keep others waiting.
      else await new Promise((resolve) => setImmediate(resolve));
      if (isStopped) return;
    }
    splitter.end();
    hand();
  };
  const end = (): void => {
    isOver = true;
    tellCaughtUp();
    for (const { onEnd } of listeners) onEnd();
  };
  // A log that cannot be read any more has ended, too.
  void follow().then(end, end);
  return {
    run: log.run,
    caughtUp,
    record,
    seq: kept.last,
    isRunning: () => !isOver && record.summary.finished === undefined,
    since: kept.since,
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => (isStopped = true),
  };
}

/** Whether the process of a run is gone; between two looks it is not. */
function createLifeCheck(log: RunLog): () => boolean {
  let lookedAt = -Infinity;
  return () => {
    if (performance.now() - lookedAt < LIFE_MS) return false;
    lookedAt = performance.now();
    return !isRunning(log);
  };
}

/** The last lines of a log, up to a few megabytes. */
function createKept() {
  let lines: FollowedLine[] = [];
  let first = 0;
  let bytes = 0;
  let seq = 0;
  return {
    add: (text: string): FollowedLine => {
      const line = { seq: (seq += 1), text };
      lines.push(line);
      bytes += text.length;
      while (bytes > KEPT_BYTES && first < lines.length - 1) {
        bytes -= lines[first]!.text.length;
        first += 1;
      }
      // Given back now and then: to move all of them for each line would be slow.
      if (first > 1000 && first * 2 > lines.length) {
        lines = lines.slice(first);
        first = 0;
      }
      return line;
    },
    pass: () => void (seq += 1),
    last: () => seq,
    since: (after: number): readonly FollowedLine[] | undefined => {
      const missing = seq - after;
      if (missing < 0 || missing > lines.length - first) return undefined;
      return lines.slice(lines.length - missing);
    },
  };
}
