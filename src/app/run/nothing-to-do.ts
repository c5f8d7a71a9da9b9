import type { RunFinished } from "../../domain/run/event.ts";
import type { RunDeps } from "../../loop/run-deps.ts";
import type { NothingToDo } from "./choose-work.ts";

/** The end of a run that never began (P-05). */
export function nothingToDo({ emit }: Pick<RunDeps, "emit">, { message, help, elsewhere }: NothingToDo): RunFinished {
  const finished: RunFinished = {
    type: "run.finished",
    ending: "nothing",
    mode: "build",
    reason: message,
    help,
    ...(elsewhere !== undefined && { elsewhere }),
    left: { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 0 },
    waiting: [],
    failed: [],
    blocked: [],
    iterations: 0,
    verified: 0,
    unverified: 0,
    dropped: 0,
    droppedTasks: [],
    commits: 0,
    costUsd: undefined,
    tokens: 0,
    durationMs: 0,
  };
  emit(finished);
  return finished;
}
