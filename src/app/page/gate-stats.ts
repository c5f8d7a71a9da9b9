import { groupBy } from "../../domain/group.ts";
import { readEventLine, typeOfLine } from "../../domain/run/event-line.ts";
import type { EventOf } from "../../domain/run/event.ts";
import { readFlaky } from "../../loop/flaky-gates.ts";
import { eachLine } from "../../system/file-lines.ts";
import { allRunLogs, isRunning } from "../run/run-logs.ts";
import { type Caller, reading } from "../task/caller.ts";

/** What a gate took in the kept runs. */
export interface GateStats {
  readonly gate: string;
  /** How often it was run. */
  readonly runs: number;
  readonly failed: number;
  /** How often it failed and passed on the same files. */
  readonly flaky: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

type Result = Pick<EventOf<"gate.finished">, "gate" | "passed" | "durationMs">;

/** By duration, the slowest first. The log of a run that has ended is read once. Read-only (W-06). */
export function createGateStats() {
  const ended = new Map<string, readonly Result[]>();
  return async (caller: Caller): Promise<GateStats[]> =>
    await reading(caller, async ({ store, place: { root } }) => {
      const results: Result[] = [];
      for (const log of await allRunLogs(root)) {
        const lasts = isRunning(log);
        const found = ended.get(log.file) ?? resultsIn(log.file);
        if (!lasts) ended.set(log.file, found);
        results.push(...found);
      }
      const flaky = new Map((await readFlaky(store)).map(({ id, times }) => [id, times]));
      const gates = groupBy(results, ({ gate }) => gate);
      return Array.from(gates, ([gate, all]) => statsOf(gate, all, flaky.get(gate) ?? 0)).toSorted(
        (one, other) => other.medianMs - one.medianMs,
      );
    });
}

function resultsIn(file: string): Result[] {
  const found: Result[] = [];
  const onLine = (text: string): void => {
    const event = readEventLine(text)?.event;
    if (event?.type !== "gate.finished") return;
    const { gate, passed, durationMs } = event;
    found.push({ gate, passed, durationMs });
  };
  eachLine(file, { isWanted: (head) => typeOfLine(head) === "gate.finished", onLine });
  return found;
}

function statsOf(gate: string, results: readonly Result[], flaky: number): GateStats {
  const times = results.map(({ durationMs }) => durationMs).toSorted((one, other) => one - other);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const failed = results.filter(({ passed }) => !passed).length;
  return { gate, runs: results.length, failed, flaky, medianMs: at(0.5), p95Ms: at(0.95) };
}
