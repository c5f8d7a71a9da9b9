import { kindOf } from "../system/folder.ts";
import { followFile } from "../system/follow-file.ts";
import { filePieces } from "../system/lines.ts";
import { createEventReader, type LogLine } from "./run/run-events.ts";
import { findRunLog, isRunning, newestRunLog, type RunLog } from "./run/run-logs.ts";
import { type Caller, scopeOf } from "./task/caller.ts";
import { findStore } from "./task-store.ts";
import type { ScopeChoice } from "./workspace.ts";

export type { LogLine } from "./run/run-events.ts";

export interface LogRequest {
  /** Its id or a prefix. Undefined: the active run here, or else the newest. */
  readonly run: string | undefined;
  readonly scope: ScopeChoice;
}

/** Finds the log of a run. Undefined when there was no run yet. The configuration is not read: it may be what is wrong. */
export async function findLog({ run, scope }: LogRequest, caller: Caller): Promise<RunLog | undefined> {
  const { root } = await findStore(caller.cwd);
  if (run !== undefined) return await findRunLog(run, root);
  return await newestRunLog(root, await scopeOf(scope, caller, root));
}

export interface LogBatch {
  readonly lines: readonly LogLine[];
  /** There is nothing more at the moment. */
  readonly isCaughtUp: boolean;
}

/** The current content of a log. */
export async function* readLog({ file }: RunLog): AsyncIterable<LogBatch> {
  const reader = createEventReader();
  if ((await kindOf(file)) === "file") {
    for (const bytes of filePieces(file)) yield { lines: reader.push(bytes), isCaughtUp: false };
  }
  yield { lines: reader.end(), isCaughtUp: true };
}

/** On some systems another program must be started to know whether a process lives. */
const LIFE_MS = 1000;

/** Reads a log and follows it until the run's process is gone. The caller may stop earlier. */
export async function* followLog(log: RunLog): AsyncIterable<LogBatch> {
  const reader = createEventReader();
  let lookedAt = -Infinity;
  const isOver = (): boolean => {
    if (performance.now() - lookedAt < LIFE_MS) return false;
    lookedAt = performance.now();
    return !isRunning(log);
  };
  for await (const bytes of followFile(log.file, isOver)) {
    yield { lines: reader.push(bytes), isCaughtUp: bytes.length === 0 };
  }
  yield { lines: reader.end(), isCaughtUp: true };
}

/** The state of a run whose log has no `run.finished`. */
export async function logState(log: RunLog): Promise<"running" | "ended" | "deleted"> {
  if (isRunning(log)) return "running";
  return (await kindOf(log.file)) === undefined ? "deleted" : "ended";
}
