import { formatDuration } from "../domain/duration.ts";
import type { EventOf, RunFinished } from "../domain/run/event.ts";
import { type Limit, reachedLimit, type RunEnd } from "../domain/run/policy.ts";
import type { FollowRefusal } from "../system/git/follow-refusal.ts";
import { sleep } from "../system/sleep.ts";
import { runHooks } from "./hooks.ts";
import { elapsedMs, type LaneState, type RunState } from "./run-state.ts";
import { reportFollowed } from "./session-effects.ts";
import { OVER, readShared } from "./shared-run.ts";

/** Why a run ends. */
export interface End {
  readonly interrupted?: true;
  readonly brokeOff?: RunEnd["brokeOff"];
  readonly limit?: Limit | "wait";
  readonly isPlanned?: true;
  /** The kind of the error that broke it off. */
  readonly error?: NonNullable<RunFinished["error"]>;
  /** A sentence for people. */
  readonly reason: string;
  /** How to fix it. */
  readonly help?: readonly string[];
  /** Why the branch does not follow, if that is the reason. */
  readonly refusal?: FollowRefusal;
}

export const STOPPED: End = { interrupted: true, reason: "Stopped by you" };

const STOPPED_AFTER = {
  one: "Stopped by you after the iteration",
  many: "Stopped by you after the iterations under way",
} as const;

/** Step 1: decides whether the run ends before another iteration. */
export async function decide(lane: LaneState): Promise<End | undefined> {
  const { deps, run } = lane;
  const { rules } = deps;
  await waitWhilePaused(lane);
  if (deps.stop.aborted) return STOPPED;
  if (deps.requests.stopAfter()) return { interrupted: true, reason: STOPPED_AFTER[run.lanes > 1 ? "many" : "one"] };
  const row = deps.fleet && (await readShared(lane));
  if (deps.fleet !== undefined && row === undefined) return OVER;
  if (row !== undefined) run.tally = { ...run.tally, costUsd: row.costUsd, tokens: row.tokens };
  const { tally } = run;
  const limits = { ...rules, iterations: row === undefined ? run.iterations : (row.limits.iterations ?? 0) };
  const limit = reachedLimit({ ...tally, iterations: row?.counted ?? run.counted }, limits, elapsedMs(run));
  if (limit === undefined) return undefined;
  if (limit === "errors") {
    const times = tally.errorsInARow === 1 ? "" : ` ${tally.errorsInARow} times in a row`;
    const words = lastWords(run);
    return { brokeOff: "errors", reason: `The harness failed${times}${words === undefined ? "" : `: ${words}`}` };
  }
  return { limit, reason: LIMITS[limit](run) };
}

/** In the words of the end of the run: sessions that were under way when a lane reached a limit have spent more since. */
export const endNow = (run: RunState, end: End): End =>
  end.limit === "cost" || end.limit === "tokens" ? { ...end, reason: LIMITS[end.limit](run) } : end;

/** Of the agent that failed last. */
const lastWords = ({ cooldowns }: RunState): string | undefined =>
  cooldowns.toSorted((one, other) => (other?.sinceMs ?? 0) - (one?.sinceMs ?? 0))[0]?.message;

const LIMITS: Readonly<Record<Exclude<Limit, "errors">, (run: RunState) => string>> = {
  iterations: ({ iterations }) => `Reached the limit of ${iterations} iteration${iterations === 1 ? "" : "s"}`,
  time: ({ deps }) => `Reached the limit of ${formatDuration(deps.rules.timeMs ?? 0)}`,
  cost: ({ deps, tally, taken }) =>
    `Reached the limit of $${deps.rules.costUsd}: ${taken.isCostPartial ? "at least " : ""}$${tally.costUsd.toFixed(2)} spent`,
  tokens: ({ deps, tally }) => `Reached the limit of ${deps.rules.tokens} tokens: ${tally.tokens} used`,
};

const POLL_MS = 250;

async function waitWhilePaused(lane: LaneState): Promise<void> {
  const { deps } = lane;
  if (!deps.requests.isPaused() || deps.stop.aborted) return;
  await waitUntil(lane, { type: "run.waiting", for: "pause" }, () => (deps.requests.isPaused() ? POLL_MS : 0));
}

/**
 * Waits until no time is left, a person resumes the run or it is to end. Lanes that wait at the same time say so once, and
 * the first that goes on says that, too.
 */
async function waitUntil(lane: LaneState, waiting: EventOf<"run.waiting">, leftMs: () => number): Promise<void> {
  const { deps, run } = lane;
  if (!run.isWaiting) {
    run.isWaiting = true;
    deps.requests.takeResume(); // discard a request that was meant for an earlier wait
    deps.emit(waiting);
    if (waiting.for !== "pause") await runHooks(lane, waiting);
  }
  const { resumes } = run;
  // Another lane may end the run meanwhile. A pause has no iteration to finish before a stop.
  const isStopped = (): boolean => waiting.for === "pause" && deps.requests.stopAfter();
  const isOver = (): boolean => deps.stop.aborted || run.end !== undefined || isStopped();
  while (leftMs() > 0 && run.resumes === resumes && !isOver()) {
    if (deps.requests.takeResume()) run.resumes += 1;
    else await lane.seat.aside(async () => await sleep(Math.min(POLL_MS, leftMs()), deps.stop));
  }
  if (!run.isWaiting) return;
  run.isWaiting = false;
  await resume(lane);
}

/** A person may have changed the plan during the wait (P-50). */
async function resume(lane: LaneState): Promise<void> {
  const { deps, run } = lane;
  deps.emit({ type: "run.resumed" });
  if (deps.stop.aborted) return;
  for (const scope of run.scopes) reportFollowed(lane, await scope.deps.plans.follow({ editor: "person" }));
}

/**
 * Measures the wait with a monotonic clock, since the system clock may change. `ralphctl resume` or the end of the run
 * ends it early. A usage limit also ends at its time of day, so that a machine that slept does not wait longer.
 */
export async function waitFor(lane: LaneState, waitMs: number, why: "limit" | "outage"): Promise<void> {
  if (waitMs <= 0) return;
  const untilMs = Date.now() + waitMs;
  const endAt = performance.now() + waitMs;
  const leftMs = (): number => Math.min(why === "limit" ? untilMs - Date.now() : Infinity, endAt - performance.now());
  await waitUntil(lane, { type: "run.waiting", for: why, untilMs }, leftMs);
}
