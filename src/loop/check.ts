import { relative } from "node:path";
import type { Environment } from "../domain/environment.ts";
import { type Gate, type GateResult, inOrder } from "../domain/gate.ts";
import { type GatePlace, runGate } from "../gate/gate.ts";
import { createRefusals } from "../domain/sandbox/refusals.ts";
import { partMarker } from "../system/process/marker.ts";
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
  "runId" | "root" | "env" | "emit" | "stop" | "kill" | "boxes" | "told" | "aside" | "inRoom" | "asLander"
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
      marker: partMarker(deps.runId, `${place.name}.${index + 1}`),
      outputFolder: place.outputFolder,
      signal: deps.stop,
      kill: deps.kill,
    };
    const result = await stepAside(deps, async () => await runGate(gate, running));
    results.push(result);
    deps.emit({ type: "gate.finished", ...about, ...resultFields(deps, result) });
    if (!result.passed) tellRefused(deps, result, running);
    if (deps.stop.aborted) break;
  }
  return results;
}

/** Says which paths the sandbox kept from a gate that failed, as far as its output tells; each once. */
function tellRefused(
  { emit, told = new Set() }: Pick<CheckDeps, "emit" | "told">,
  { gate, runs }: GateResult,
  { box, env, folder }: Pick<GatePlace, "box" | "env" | "folder">,
): void {
  const refused = createRefusals(box?.places, { home: env["HOME"], cwd: folder });
  for (const { access, path } of runs.flatMap(({ output }) => refused(`${output.head}\n${output.tail}`))) {
    const text = `The sandbox does not let the gate ${gate.id} ${access} ${path}; sandbox.${access} allows it`;
    if (!told.has(text)) emit({ type: "run.notice", level: "warning", text });
    told.add(text);
  }
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
