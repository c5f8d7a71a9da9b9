import { timerMs } from "../system/sleep.ts";
import { join } from "node:path";
import { fileName } from "../domain/file-name.ts";
import { describeValue } from "../domain/describe-value.ts";
import {
  type Gate,
  type GateAnswer,
  type GateCheck,
  type GateEnd,
  type GateResult,
  type GateRun,
  inOrder,
} from "../domain/gate.ts";
import { recordOutput } from "../system/output-file.ts";
import type { Box } from "../system/process/box.ts";
import type { Marker } from "../system/process/marker.ts";
import { runShell } from "../system/process/shell-command.ts";

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
  /** What stands around it. */
  readonly box?: Box | undefined;
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
  const { folder, env, marker, signal, kill, box } = place;
  const outputFile = join(place.outputFolder, `${fileName(id)}.log`);
  return check === undefined
    ? await runShell({ command: run, folder, env, marker, timeoutMs, outputFile, signal, kill, box })
    : await runCheck(check, { folder, env, timeoutMs, signal }, outputFile);
}

/** Calls a gate that is a function. It cannot be stopped: after its timeout we stop waiting. */
async function runCheck(check: GateCheck, call: CheckCall, outputFile: string): Promise<GateRun> {
  const start = performance.now();
  const { end, output } = await answerOf(check, call);
  const durationMs = Math.round(performance.now() - start);
  return { end, durationMs, swept: 0, output: await recordOutput(outputFile, output) };
}

interface CheckCall extends Pick<GatePlace, "folder" | "env" | "signal"> {
  readonly timeoutMs: number;
}

interface Ended {
  readonly end: GateEnd;
  readonly output: string;
}

async function answerOf(check: GateCheck, { folder, env, timeoutMs, signal }: CheckCall): Promise<Ended> {
  if (signal.aborted) return { end: { kind: "stopped" }, output: "" };
  const over = new AbortController();
  const ended = new Promise<Ended>((resolve) => {
    const timeOut = (): void => resolve({ end: { kind: "timeout", afterMs: timeoutMs }, output: "" });
    const timer = setTimeout(timeOut, timerMs(timeoutMs));
    const onStop = (): void => resolve({ end: { kind: "stopped" }, output: "" });
    signal.addEventListener("abort", onStop, { signal: over.signal });
    over.signal.addEventListener("abort", () => clearTimeout(timer));
  });
  try {
    return await Promise.race([ended, called(check, { folder, env, signal: over.signal })]);
  } finally {
    over.abort();
  }
}

async function called(check: GateCheck, place: Parameters<GateCheck>[0]): Promise<Ended> {
  try {
    const { passed, output = "" } = worded(await check(place));
    return { end: { kind: "exit", code: passed ? 0 : 1 }, output };
  } catch (error) {
    const output = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { end: { kind: "exit", code: 1 }, output };
  }
}

/** Only exactly true counts as passed, whatever an untyped program returns. */
function worded(answer: GateAnswer): { readonly passed: boolean; readonly output?: string } {
  const told: unknown = answer;
  if (typeof told === "boolean") return { passed: told };
  const { passed, output: said } = (told ?? {}) as { readonly passed?: unknown; readonly output?: unknown };
  if (typeof passed !== "boolean") {
    const output = `The check returned ${describeValue(told)} instead of true, false or { passed, output }`;
    return { passed: false, output };
  }
  return { passed, ...(said !== undefined && { output: typeof said === "string" ? said : JSON.stringify(said) }) };
}
