import { RalphError } from "../domain/error.ts";
import type { RunFinished } from "../domain/run/event.ts";
import { nothingKnown } from "../domain/run/run-finished.ts";
import type { End } from "./decide.ts";
import { finish } from "./finish.ts";
import { endHooks, withHooks } from "./hooks.ts";
import { elapsedMs, type LaneState } from "./run-state.ts";

/** Plays a run. One that began says its end (L-42), whatever error breaks it off. No hook outlives it. */
export async function withEnd(lane: LaneState, action: () => Promise<RunFinished>): Promise<RunFinished> {
  return await withHooks(lane, async () => {
    try {
      return await action();
    } catch (error) {
      if (lane.run.hasStarted) await finishBroken(lane, error).catch(() => undefined); // the log may be what is broken
      throw error;
    }
  });
}

async function finishBroken(lane: LaneState, error: unknown): Promise<void> {
  const end = endBy(error);
  lane.run.broken.abort();
  try {
    await lane.seat.sit(async () => await finish(lane, { brokeOff: "failure", ...end }));
  } catch {
    // The tasks or git may be what is broken.
    const { run, deps } = lane;
    await endHooks(lane); // nothing happens after the last event
    const taken = { iterations: run.tally.started, durationMs: elapsedMs(run) };
    deps.emit({ ...nothingKnown, ...taken, ...end, ending: "failure", mode: run.mode });
  }
}

function endBy(error: unknown): Pick<End, "reason" | "help"> & Required<Pick<End, "error">> {
  if (!(error instanceof RalphError)) return { error: "bug", reason: `A bug in ralphctl: ${String(error)}` };
  const { kind, message, hint } = error;
  return { error: kind, reason: message, ...(hint !== undefined && { help: [hint] }) };
}
