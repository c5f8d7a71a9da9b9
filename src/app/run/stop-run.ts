import { RalphError } from "../../domain/error.ts";
import { formatDuration } from "../../domain/duration.ts";
import { treeMarker } from "../../system/process/marker.ts";
import { isAlive, signalOwner } from "../../system/process/process-identity.ts";
import { sweep } from "../../system/process/sweep.ts";
import { isOfFleet } from "../task-store.ts";
import type { Surroundings } from "../workspace.ts";
import { findRun, type FoundRun } from "./find-run.ts";

export interface StopRequest extends Pick<Surroundings, "cwd" | "env"> {
  /** Told once the signal is on its way; without a process if the run is one of a fleet. */
  readonly onSignalled: (found: Pick<FoundRun, "run"> & Partial<FoundRun>) => void;
  /** How long to wait for the end of the run. */
  readonly waitMs?: number;
}

export type StopResult =
  | { readonly kind: "nothing" }
  | { readonly kind: "stopped"; readonly run: string }
  /** The run had crashed; its remaining processes were ended. */
  | { readonly kind: "swept"; readonly run: string; readonly pids: readonly number[] };

const WAIT_MS = 30_000;
const LOOK_MS = 50;

/** P-40: stops the run of this working tree, as Ctrl-C in its own terminal would, and waits for its end. */
export async function stopRun({ cwd, env, onSignalled, waitMs = WAIT_MS }: StopRequest): Promise<StopResult> {
  if (isOfFleet(env)) {
    const { stopFleetRun } = await import("../fleet/fleet-request.ts");
    const run = await stopFleetRun({ cwd, env }, (asked) => onSignalled({ run: asked }));
    return run === undefined ? { kind: "nothing" } : { kind: "stopped", run };
  }
  const found = findRun(cwd);
  if (found === undefined) return { kind: "nothing" };
  if (!found.isAlive) return await endLeftovers(found);
  signal(found);
  onSignalled(found);
  const start = performance.now();
  while (isStillThere(cwd, found)) {
    if (performance.now() - start > waitMs) throw lateError(found, waitMs);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return { kind: "stopped", run: found.run };
}

/** Stops this run without waiting for its end. A second call stops it at once. */
export function signalRun(cwd: string, run: string): void {
  const found = findRun(cwd);
  if (!found?.isAlive || found.run !== run) {
    throw endedError();
  }
  signal(found);
}

export const endedError = (): RalphError => new RalphError("busy", "The run has ended", { hint: "Start another" });

/** A loop that was killed cannot end its agent; left alone, that would go on working. */
async function endLeftovers({ run, left, gitFolder }: FoundRun): Promise<StopResult> {
  const pids = [];
  for (const each of [...left, run]) pids.push(...(await sweep(treeMarker(each, gitFolder))));
  return pids.length === 0 ? { kind: "nothing" } : { kind: "swept", run, pids };
}

function signal({ run, owner }: FoundRun): void {
  const who = `Run ${run} (process ${owner.pid})`;
  if (isAlive(owner) === undefined) {
    throw new RalphError("busy", `${who} is on another machine: ${owner.host}`, {
      hint: "Run ralphctl stop there, or ralphctl stop --after here",
    });
  }
  if (signalOwner(owner, "SIGTERM") === "refused") {
    throw new RalphError("busy", `${who} belongs to another user`, { hint: "Stop it as that user" });
  }
}

/** Its process may have ended without giving the tree back: that is an end too. */
function isStillThere(cwd: string, { run }: FoundRun): boolean {
  const now = findRun(cwd);
  return now?.run === run && now.isAlive;
}

const lateError = ({ run, owner }: FoundRun, waitMs: number): RalphError =>
  new RalphError("busy", `Run ${run} (process ${owner.pid}) has not ended after ${formatDuration(waitMs)}`, {
    hint: "It finishes a proof that is under way. Run ralphctl stop again to stop it at once",
  });
