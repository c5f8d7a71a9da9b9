import { formatDuration } from "../domain/duration.ts";
import type { EventOf } from "../domain/run/event.ts";
import { type Limit, reachedLimit, type RunEnd } from "../domain/run/policy.ts";
import { rest } from "../system/rest.ts";
import { runHooks } from "./hooks.ts";
import { elapsedMs, type Running } from "./running.ts";
import { tellFollowed } from "./stock.ts";
import { lookAgain } from "./work-tree.ts";

/** Why a run ends. */
export interface End {
  readonly interrupted?: true;
  readonly brokeOff?: RunEnd["brokeOff"];
  readonly limit?: Limit | "wait";
  /** The plan that was asked for is written. */
  readonly isPlanned?: true;
  /** A sentence for people. */
  readonly reason: string;
  /** What to do about it. */
  readonly help?: readonly string[];
}

/** Step 1: whether there is another iteration. */
export async function decide(running: Running): Promise<End | undefined> {
  const { parts, tally } = running;
  const { rules } = parts;
  await waitWhilePaused(running);
  if (parts.stop.aborted) return { interrupted: true, reason: "It was told to stop" };
  if (parts.requests.stopAfter()) return { interrupted: true, reason: "It was told to stop after the iteration" };
  const limits = { ...rules, iterations: running.iterations };
  const limit = reachedLimit(tally, limits, elapsedMs(running));
  if (limit === undefined) return undefined;
  if (limit === "errors") {
    const times = tally.errorsInARow === 1 ? "" : ` ${tally.errorsInARow} times in a row`;
    return { brokeOff: "errors", reason: `The harness failed${times}` };
  }
  return { limit, reason: LIMITS[limit](running) };
}

const LIMITS: Readonly<Record<Exclude<Limit, "errors">, (running: Running) => string>> = {
  iterations: ({ iterations }) => `The limit of ${iterations} iteration${iterations === 1 ? "" : "s"} is reached`,
  time: ({ parts }) => `The limit of ${formatDuration(parts.rules.timeMs ?? 0)} is reached`,
  cost: ({ parts, tally }) =>
    `The limit of $${parts.rules.costUsd} is reached: $${tally.costUsd.toFixed(2)} were spent`,
  tokens: ({ parts, tally }) => `The limit of ${parts.rules.tokens} tokens is reached: ${tally.tokens} were used`,
};

const LOOK_MS = 250;

async function waitWhilePaused(running: Running): Promise<void> {
  const { parts } = running;
  if (!parts.requests.isPaused() || parts.stop.aborted) return;
  parts.requests.takeResume(); // one that was meant for an earlier wait
  parts.emit({ type: "run.waiting", for: "pause" });
  while (parts.requests.isPaused() && !parts.stop.aborted && !parts.requests.takeResume()) {
    await rest(LOOK_MS, parts.stop);
  }
  await goOn(running);
}

/** After a wait: what a person changed meanwhile is theirs (P-31), and what they wrote into the plan counts (P-50). */
async function goOn(running: Running): Promise<void> {
  const { parts, work } = running;
  parts.emit({ type: "run.resumed" });
  if (parts.stop.aborted) return;
  tellFollowed(running, await parts.plans.follow({ editor: "person" }));
  await lookAgain(work);
}

/**
 * Waits so long, whatever is done to the clock on the wall; a person may end it sooner (`ralphctl resume`), or end the
 * run. A usage limit ends at a time of day: a machine that slept through it need not make up for that.
 */
export async function waitFor(running: Running, waitMs: number, why: "limit" | "outage"): Promise<void> {
  const { parts } = running;
  if (waitMs <= 0) return;
  const untilMs = Date.now() + waitMs;
  const endAt = performance.now() + waitMs;
  const leftMs = (): number => Math.min(why === "limit" ? untilMs - Date.now() : Infinity, endAt - performance.now());
  parts.requests.takeResume(); // one that was meant for an earlier wait
  const waiting: EventOf<"run.waiting"> = { type: "run.waiting", for: why, untilMs };
  parts.emit(waiting);
  await runHooks(running, waiting);
  while (leftMs() > 0 && !parts.stop.aborted && !parts.requests.takeResume()) {
    await rest(Math.min(LOOK_MS, leftMs()), parts.stop);
  }
  await goOn(running);
}
