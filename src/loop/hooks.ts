import { type HookEvent, hookPointsOf } from "../domain/run/hook-event.ts";
import { currentHead } from "../system/git/commit.ts";
import { keepContents } from "../system/git/restore.ts";
import { changesBetween, type Snapshot } from "../system/git/snapshot.ts";
import { restoreStaged, stagedStates } from "../system/git/staged.ts";
import { type DueHook, runHook } from "./run-hook.ts";
import { type LaneState, warn } from "./run-state.ts";
import { revertAndReport } from "./verify.ts";
import { beginChecks, leaveWork, noteSnapshot, refresh, refreshIfStale, syncUserIndex } from "./work-tree.ts";

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
  for (const event of lane.run.hooks.parked.splice(0)) await runAt(lane, event);
}

async function runAt(lane: LaneState, event: HookEvent): Promise<void> {
  const due = dueAt(lane, event);
  if (due.length === 0) return;
  const blocking = due.filter(({ hook }) => !hook.parallel);
  const runBlocking = async (): Promise<void> => {
    for (const each of blocking) if (!lane.deps.stop.aborted) await runHook(lane, each);
  };
  await (blocking.some(({ hook }) => hook.work.kind === "command") ? keepTree(lane, runBlocking) : runBlocking());
  for (const each of due.filter(({ hook }) => hook.parallel)) await startInBackground(lane, each);
}

function dueAt({ deps, work }: LaneState, event: HookEvent): DueHook[] {
  const points = hookPointsOf(event);
  return deps.hooks.hooks.flatMap((hook) => {
    const point = points.find((each) => hook.on.includes(each));
    return point === undefined ? [] : [{ hook, point, event, head: work.last.head }];
  });
}

/**
 * Reverts changes that hook commands make to files, as it does for gates: otherwise the next commit would contain them
 * without proof. Also unstages files that they stage: those would end up in a person's next commit, and would keep the
 * next run from starting. If a hook commits, its commit stays.
 */
async function keepTree(lane: LaneState, action: () => Promise<void>): Promise<void> {
  const { work } = lane;
  if (lane.deps.stop.aborted) return;
  await syncUserIndex(work);
  await refreshIfStale(work);
  const before = work.last;
  await storeUnprovenContents(lane, before);
  // The record of an interrupted planning session must survive until `finishPlanning` has handled it.
  if (!work.planInterrupted) beginChecks(work, before);
  const staged = await stagedStates(work.repository);
  await action();
  if ((await currentHead(work.repository)) === before.head) {
    noteSnapshot(work, await revertAndReport(lane, before, "hooks"));
    const unstaged = await restoreStaged(work.repository, staged);
    if (unstaged.length > 0)
      warn(lane, `The hooks staged these files, and ralphctl unstaged them: ${unstaged.join(", ")}`);
  } else {
    await refresh(work);
  }
  if (!work.planInterrupted) leaveWork(work);
}

/** Unproven work exists only in files. Git needs a copy of it to restore a file that a hook changes. */
async function storeUnprovenContents({ work }: LaneState, now: Snapshot): Promise<void> {
  const own = new Set((await changesBetween(work.repository, work.base, now)).map(({ path }) => path));
  // Files that tools rewrite all the time, such as reports, must not be restored, so git gets no copy of them.
  await keepContents(work.repository, { changed: now.changed.filter(({ path }) => own.has(path)) });
}

/** Runs each hook once at a time: one that is slower than the iterations delays them instead of piling up. */
async function startInBackground(lane: LaneState, due: DueHook): Promise<void> {
  const { background } = lane.run.hooks;
  await background.get(due.hook.id);
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
    lane.run.hooks.end.abort();
    await awaitHooks(lane);
  }
}
