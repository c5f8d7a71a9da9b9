import { join } from "node:path";
import { fileName } from "../domain/file-name.ts";
import { inOrder, type Gate, type GateResult, type GateRun } from "../domain/gate.ts";
import type { Marker } from "../system/process/marker.ts";
import { runShell } from "../system/process/shell-command.ts";
import { runCheck } from "./run-check.ts";

/** Where gates run, and what they may know. */
export interface GatePlace {
  readonly folder: string;
  /** Everything that a command may know of the task is in here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By which what a gate leaves behind is found. Its value must never have been used before. */
  readonly marker: Marker;
  /** Where the outputs go: one file for each run of each gate. */
  readonly outputFolder: string;
  readonly signal: AbortSignal;
  /** Ends a gate at once, where the first signal only asks it to. */
  readonly kill?: AbortSignal | undefined;
}

/** P-15: runs all command gates in order, even after a failure: the next attempt must see all results. */
export async function runGates(
  gates: readonly Gate[],
  place: GatePlace,
  onResult: (result: GateResult) => void = () => undefined,
): Promise<GateResult[]> {
  const results: GateResult[] = [];
  for (const gate of inOrder(gates)) {
    const result = await runGate(gate, place);
    results.push(result);
    onResult(result);
    if (place.signal.aborted) break;
  }
  return results;
}

/** One gate, and again after a failure as often as it declares. Every run is recorded; the last decides. */
export async function runGate(gate: Gate, place: GatePlace): Promise<GateResult> {
  const runs: GateRun[] = [];
  for (;;) {
    const run = await runOnce(gate, place);
    runs.push(run);
    const passed = run.end.kind === "exit" && run.end.code === 0;
    if (passed || run.end.kind === "stopped" || runs.length > gate.retries) return { gate, passed, runs };
  }
}

async function runOnce({ id, run, check, timeoutMs }: Gate, place: GatePlace): Promise<GateRun> {
  const { folder, env, marker, signal, kill } = place;
  const outputFile = join(place.outputFolder, `${fileName(id)}.log`);
  return check === undefined
    ? await runShell({ command: run, folder, env, marker, timeoutMs, outputFile, signal, kill })
    : await runCheck({ check, folder, env, timeoutMs, outputFile, signal });
}
