import { type HookEvent, hookPointsOf, taskOf } from "../domain/run/hook-event.ts";
import { laneInScopeOf } from "./open-lane.ts";
import { type DueHook, runHook } from "./run-hook.ts";
import type { LaneState } from "./run-state.ts";

/**
 * Step 10: runs the hooks for an event. Runs those that block the loop one after the other, then starts the parallel
 * ones together. A run that is stopping starts none.
 */
export async function runHooks(lane: LaneState, event: HookEvent): Promise<void> {
  await runParkedHooks(lane);
  await runAt(lane, event);
}

/** Runs the hooks for tasks that were parked in the middle of a step. */
export async function runParkedHooks(lane: LaneState): Promise<void> {
  for (const event of lane.run.hooks.parked.splice(0)) await runAt(await laneFor(lane, event), event);
}

/** A lane that works on another change may be the first that has time for them. */
async function laneFor(lane: LaneState, event: HookEvent): Promise<LaneState> {
  const name = taskOf(event);
  const task = name && (await lane.deps.store.get(name.id));
  return task === undefined ? lane : laneInScopeOf(lane, task);
}

async function runAt(lane: LaneState, event: HookEvent): Promise<void> {
  const due = dueAt(lane, event);
  if (due.length === 0) return;
  for (const each of due.filter(({ hook }) => !hook.parallel)) {
    if (!lane.deps.stop.aborted) await lane.seat.aside(async () => await runHook(lane, each));
  }
  for (const each of due.filter(({ hook }) => hook.parallel)) await startInBackground(lane, each);
}

function dueAt({ deps, run }: LaneState, event: HookEvent): DueHook[] {
  const points = hookPointsOf(event);
  return deps.hooks.hooks.flatMap((hook) => {
    const point = points.find((each) => hook.on.includes(each));
    return point === undefined ? [] : [{ hook, point, event, head: run.landing }];
  });
}

/** Runs each hook once at a time: one that is slower than the iterations delays them instead of piling up. */
async function startInBackground(lane: LaneState, due: DueHook): Promise<void> {
  const { background } = lane.run.hooks;
  let earlier: Promise<void> | undefined;
  // Another lane may have waited for the same one.
  do {
    earlier = background.get(due.hook.id);
    await lane.seat.aside(async () => await earlier);
  } while (background.get(due.hook.id) !== earlier);
  if (!lane.deps.stop.aborted) background.set(due.hook.id, runHook(lane, due));
}

/** Waits for the parallel hooks; each has its own time limit. */
export async function awaitHooks({ run: { hooks } }: LaneState): Promise<void> {
  await Promise.all(hooks.background.values());
}

/** Runs `action`, and ends all hooks that are still running after it. */
export async function withHooks<Result>(lane: LaneState, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } finally {
    await endHooks(lane);
  }
}

export async function endHooks(lane: LaneState): Promise<void> {
  lane.run.hooks.end.abort();
  await awaitHooks(lane);
}
