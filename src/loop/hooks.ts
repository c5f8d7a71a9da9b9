import { type HookEvent, hookPointsOf } from "../domain/run/hook-moment.ts";
import { currentHead } from "../system/git-commit.ts";
import { keepContents } from "../system/git-restore.ts";
import { changesBetween, type Snapshot } from "../system/git-snapshot.ts";
import { putStagedBack, stagedStates } from "../system/git-staged.ts";
import type { DueHook } from "./due-hook.ts";
import { runHook } from "./run-hook.ts";
import { type Running, warn } from "./running.ts";
import { tellUsersIndex } from "./users-index.ts";
import { putGateChangesBack } from "./verify.ts";
import { beginChecks, leaveWork, lookAgain, lookIfOld } from "./work-tree.ts";

/**
 * Step 10: what runs beside the loop when this has happened. Those that are waited for run in their order, then the
 * others are started together. A run that was told to stop starts none.
 */
export async function runHooks(running: Running, event: HookEvent): Promise<void> {
  await sayParked(running);
  await runAt(running, event);
}

/** The hooks for tasks that were parked on the way. */
export async function sayParked(running: Running): Promise<void> {
  for (const event of running.hooks.unsaid.splice(0)) await runAt(running, event);
}

async function runAt(running: Running, event: HookEvent): Promise<void> {
  const due = dueAt(running, event);
  if (due.length === 0) return;
  const waited = due.filter(({ hook }) => !hook.parallel);
  const isCommand = ({ hook }: DueHook): boolean => hook.work.kind === "command";
  await (waited.some(isCommand) ? keepTree : withoutTree)(running, async () => {
    for (const each of waited) if (!running.parts.stop.aborted) await runHook(running, each);
  });
  for (const each of due.filter(({ hook }) => hook.parallel)) await startBeside(running, each);
}

function dueAt({ parts, work }: Running, event: HookEvent): DueHook[] {
  const points = hookPointsOf(event);
  return parts.hooks.hooks.flatMap((hook) => {
    const point = points.find((each) => hook.on.includes(each));
    return point === undefined ? [] : [{ hook, point, event, head: work.last.head }];
  });
}

const withoutTree = async (_: Running, action: () => Promise<void>): Promise<void> => await action();

/**
 * The files are those of the run: what commands change in them would be in the next commit, or under the next gates,
 * and nobody would have proven it. So it is put back, as what gates change is, and so is what they stage: it would be in
 * a person's next commit, and keep the next run from beginning. A commit of theirs is somebody else's.
 */
async function keepTree(running: Running, action: () => Promise<void>): Promise<void> {
  const { work } = running;
  if (running.parts.stop.aborted) return;
  await tellUsersIndex(running);
  await lookIfOld(work);
  const before = work.last;
  await keepUnproven(running, before);
  // What a planning session left before the run was cut off stays on record as that, until it was looked at.
  if (!work.isPlanCut) beginChecks(work, before);
  const staged = await stagedStates(work.repository);
  await action();
  if ((await currentHead(work.repository)) === before.head) {
    work.last = await putGateChangesBack(running, before, "hooks");
    const unstaged = await putStagedBack(work.repository, staged);
    if (unstaged.length > 0) warn(running, `The hooks staged these files; that was taken back: ${unstaged.join(", ")}`);
  } else {
    await lookAgain(work);
  }
  if (!work.isPlanCut) leaveWork(work);
}

/** What a session left that no gate has looked at is in its files alone: git shall have it, so that it can be put back. */
async function keepUnproven({ work }: Running, now: Snapshot): Promise<void> {
  const own = new Set((await changesBetween(work.repository, work.base, now)).map(({ path }) => path));
  // Reports that somebody writes anew each time are not to be put back: nobody may have them.
  await keepContents(work.repository, { changed: now.changed.filter(({ path }) => own.has(path)) });
}

/** Only one of each at a time: a hook that is slower than the iterations slows them down, and does not pile up. */
async function startBeside(running: Running, due: DueHook): Promise<void> {
  const { beside } = running.hooks;
  await beside.get(due.hook.id);
  if (!running.parts.stop.aborted) beside.set(due.hook.id, runHook(running, due));
}

/** Resolves when those that nobody waited for are through, each within its time. */
export async function awaitHooks({ hooks }: Running): Promise<void> {
  await Promise.all(hooks.beside.values());
}

/** Does something, after which no hook is left running, however it ended. */
export async function withHooks<Result>(running: Running, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } finally {
    running.hooks.end.abort();
    await awaitHooks(running);
  }
}
