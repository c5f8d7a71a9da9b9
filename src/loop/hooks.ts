import { type HookEvent, hookPointsOf } from "../domain/run/hook-event.ts";
import { currentHead } from "../system/git/commit.ts";
import { keepContents } from "../system/git/restore.ts";
import { changesBetween, type Snapshot } from "../system/git/snapshot.ts";
import { restoreStaged, stagedStates } from "../system/git/staged.ts";
import { type DueHook, runHook } from "./run-hook.ts";
import { type LaneState, warn } from "./run-state.ts";
import { revertAndReport } from "./verify.ts";
import { beginChecks, leaveWork, noteLook, refresh, refreshIfStale, syncUserIndex } from "./work-tree.ts";

/**
 * Step 10: what runs beside the loop when this has happened. Those that are waited for run in their order, then the
 * others are started together. A run that was told to stop starts none.
 */
export async function runHooks(lane: LaneState, event: HookEvent): Promise<void> {
  await runParkedHooks(lane);
  await runAt(lane, event);
}

/** The hooks for tasks that were parked on the way. */
export async function runParkedHooks(lane: LaneState): Promise<void> {
  for (const event of lane.run.hooks.parked.splice(0)) await runAt(lane, event);
}

async function runAt(lane: LaneState, event: HookEvent): Promise<void> {
  const due = dueAt(lane, event);
  if (due.length === 0) return;
  const waited = due.filter(({ hook }) => !hook.parallel);
  const isCommand = ({ hook }: DueHook): boolean => hook.work.kind === "command";
  await (waited.some(isCommand) ? keepTree : withoutTree)(lane, async () => {
    for (const each of waited) if (!lane.deps.stop.aborted) await runHook(lane, each);
  });
  for (const each of due.filter(({ hook }) => hook.parallel)) await startInBackground(lane, each);
}

function dueAt({ deps, work }: LaneState, event: HookEvent): DueHook[] {
  const points = hookPointsOf(event);
  return deps.hooks.hooks.flatMap((hook) => {
    const point = points.find((each) => hook.on.includes(each));
    return point === undefined ? [] : [{ hook, point, event, head: work.last.head }];
  });
}

const withoutTree = async (_: LaneState, action: () => Promise<void>): Promise<void> => await action();

/**
 * The files are those of the run: what commands change in them would be in the next commit, or under the next gates,
 * and nobody would have proven it. So it is put back, as what gates change is, and so is what they stage: it would be in
 * a person's next commit, and keep the next run from beginning. A commit of theirs is somebody else's.
 */
async function keepTree(lane: LaneState, action: () => Promise<void>): Promise<void> {
  const { work } = lane;
  if (lane.deps.stop.aborted) return;
  await syncUserIndex(work);
  await refreshIfStale(work);
  const before = work.last;
  await keepUnproven(lane, before);
  // What a planning session left before the run was cut off stays on record as that, until it was looked at.
  if (!work.planInterrupted) beginChecks(work, before);
  const staged = await stagedStates(work.repository);
  await action();
  if ((await currentHead(work.repository)) === before.head) {
    noteLook(work, await revertAndReport(lane, before, "hooks"));
    const unstaged = await restoreStaged(work.repository, staged);
    if (unstaged.length > 0)
      warn(lane, `The hooks staged these files, and ralphctl unstaged them: ${unstaged.join(", ")}`);
  } else {
    await refresh(work);
  }
  if (!work.planInterrupted) leaveWork(work);
}

/** What a session left that no gate has looked at is in its files alone: git shall have it, so that it can be put back. */
async function keepUnproven({ work }: LaneState, now: Snapshot): Promise<void> {
  const own = new Set((await changesBetween(work.repository, work.base, now)).map(({ path }) => path));
  // Reports that somebody writes anew each time are not to be put back: nobody may have them.
  await keepContents(work.repository, { changed: now.changed.filter(({ path }) => own.has(path)) });
}

/** Only one of each at a time: a hook that is slower than the iterations slows them down, and does not pile up. */
async function startInBackground(lane: LaneState, due: DueHook): Promise<void> {
  const { background } = lane.run.hooks;
  await background.get(due.hook.id);
  if (!lane.deps.stop.aborted) background.set(due.hook.id, runHook(lane, due));
}

/** Resolves when those that nobody waited for are through, each within its time. */
export async function awaitHooks({ run: { hooks } }: LaneState): Promise<void> {
  await Promise.all(hooks.background.values());
}

/** Does something, after which no hook is left running, however it ended. */
export async function withHooks<Result>(lane: LaneState, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } finally {
    lane.run.hooks.end.abort();
    await awaitHooks(lane);
  }
}
