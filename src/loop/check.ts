import { relative } from "node:path";
import type { Environment } from "../domain/environment.ts";
import { type Gate, type GateResult, inOrder } from "../domain/gate.ts";
import { runGate } from "../gate/gate.ts";
import { MARKER } from "../system/process/marker.ts";
import { stepAside } from "./desk.ts";
import type { RunDeps } from "./run-deps.ts";

export interface CheckPlace {
  /** Undefined outside an iteration. */
  readonly iteration?: number;
  readonly cwd: string;
  readonly outputFolder: string;
  /** Variables that describe the task (W-05). */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Part of the marker of the gates' processes. */
  readonly name: string;
}

/** The parts of a run that a check needs: `ralphctl verify` and `task done` have no run. */
export type CheckDeps = Pick<
  RunDeps,
  "runId" | "root" | "env" | "emit" | "stop" | "kill" | "boxes" | "aside" | "inRoom" | "asLander"
>;

/** Runs all gates even if one fails, so that the next attempt learns about every failure. */
export async function runChecks(deps: CheckDeps, gates: readonly Gate[], place: CheckPlace): Promise<GateResult[]> {
  const about = place.iteration === undefined ? {} : { iteration: place.iteration };
  const results: GateResult[] = [];
  for (const [index, gate] of inOrder(gates).entries()) {
    const { id, kind, run: command } = gate;
    deps.emit({ type: "gate.started", ...about, gate: id, kind, command });
    const env = { ...deps.env, ...place.env };
    const running = {
      folder: place.cwd,
      env,
      box: gate.check === undefined ? await deps.boxes?.gates({ cwd: place.cwd, env }) : undefined,
      marker: { name: MARKER, value: `${deps.runId}.${place.name}.${index + 1}` },
      outputFolder: place.outputFolder,
      signal: deps.stop,
      kill: deps.kill,
    };
    const result = await stepAside(deps, async () => await runGate(gate, running));
    results.push(result);
    deps.emit({ type: "gate.finished", ...about, ...resultFields(deps, result) });
    if (deps.stop.aborted) break;
  }
  return results;
}

/** Whether gates were stopped before they could say anything. */
export const wasStopped = (results: readonly GateResult[], { stop }: Pick<RunDeps, "stop">): boolean =>
  stop.aborted || results.some(({ runs }) => runs.at(-1)?.end.kind === "stopped");

/** The names of the variables that are set, in order. */
export const namesIn = (env: Environment): string[] =>
  Object.keys(env)
    .filter((name) => env[name] !== undefined)
    .sort();

/** The most characters of a gate's output in an event. */
const LONGEST_OUTPUT = 4096;

/** The fields of `gate.finished`. */
export function resultFields({ root }: Pick<RunDeps, "root">, { gate, passed, runs }: GateResult) {
  const last = runs.at(-1);
  const swept = runs.reduce((sum, run) => sum + run.swept, 0);
  return {
    gate: gate.id,
    passed,
    runs: runs.length,
    durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0),
    end: last?.end ?? ({ kind: "stopped" } as const),
    ...(swept > 0 && { swept }),
    output: last === undefined ? "" : (last.output.tail || last.output.head).slice(-LONGEST_OUTPUT),
    file: last === undefined ? "" : relative(root, last.output.file),
  };
}
