import type { Change } from "../domain/change.ts";
import type { TaskId } from "../domain/task.ts";
import { clearTidying } from "../system/git-locks.ts";
import { isHalfDone } from "../system/git-half-done.ts";
import { hasTrouble, mendTroubles, type Mended } from "../system/git-trouble.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git-snapshot.ts";
import { readStatus, type Status } from "../system/git-status.ts";
import type { HeldTasks } from "../store/store.ts";
import { takeBack } from "../system/own-folder.ts";
import { type DoorClaim, readDoorClaim } from "./door-claims.ts";
import { compareState } from "./held-state.ts";
import { iterationFolder } from "./iteration.ts";
import { parkBeyondLimit } from "./new-tasks.ts";
import { othersWork } from "./others-work.ts";
import type { Followed } from "./parts.ts";
import { askAboutRemoved, removedNote } from "./removed-entries.ts";
import { type Running, warn } from "./running.ts";

/** What a session did beside what it said. */
export interface Stock {
  /** The files as the session left them. */
  readonly now: Snapshot;
  /** All that was changed since the last verified state. */
  readonly changes: readonly Change[];
  /** Whether this very session changed a file. */
  readonly hasChanged: boolean;
  readonly followed: Followed;
  /** What it said of its task through a command. */
  readonly command: DoorClaim | undefined;
  /** What it did that it may not do, in sentences for the next prompt. */
  readonly notes: readonly string[];
  /** Something in the repository that only a person can put right. */
  readonly trouble: string | undefined;
}

/** A session that is over. */
export interface EndedSession {
  /** What the tasks were before it. */
  readonly held: HeldTasks;
  /** What it was at, and by which name its commands call that; undefined in plan mode. */
  readonly assigned: { readonly task: TaskId; readonly attempt: string } | undefined;
  /** A look at the files that has begun already. */
  readonly look: Promise<Status> | undefined;
}

/**
 * Begun when nobody of the session lives, and while its last words are still read. `earlier`: one that is no longer
 * true, and may still go on.
 */
export function lookEarly({ work, beside }: Running, earlier: Promise<Status> | undefined): Promise<Status> {
  // One after the other: both may write our index.
  const look = Promise.all([beside, earlier?.catch(() => undefined)]).then(() => readStatus(work.repository));
  look.catch(() => undefined); // whoever takes stock is told; when it does not come to that, nobody
  return look;
}

/** After each session: the store is whole, the states are ours, the repository is where it was, the plan is followed. */
export async function takeStock(running: Running, ended: EndedSession): Promise<Stock> {
  const { work } = running;
  const taskId = ended.assigned?.task;
  const foreign = lookAfterFolders(running);
  // In the time that git takes there is some for the next session, for the store and for the plan.
  running.parts.starter.prepare();
  const [{ now, mended }, { undone, command, early }] = await Promise.all([
    lookAfter(running, foreign.length === 0 ? ended.look : lookEarly(running, ended.look)),
    lookAfterTasks(running, ended),
  ]);
  const followed = early ?? (await followAfter(running, taskId));
  const before = work.last;
  const settled = mayHaveWritten(followed) ? await snapshot(work.repository, now) : now;
  const changes = await changesBetween(work.repository, work.base, settled);
  work.last = settled;
  if (settled.tree !== before.tree || settled.head !== before.head) sayChanged(running, changes);
  const others = taskId === undefined ? [] : othersWork(running, { before, now: settled, changes });
  for (const what of others) warn(running, `The session ${what}`);
  return {
    now: settled,
    changes,
    hasChanged: settled.tree !== before.tree || settled.head !== before.head,
    followed,
    command,
    notes: [
      ...foreign.map((path) => `What stood in the place of ${path} led elsewhere or was no folder: it was removed`),
      ...undone.map(({ what }) => what),
      ...mended.map(describeMended),
      ...planNotes(followed),
      ...others.map((what) => `You ${what}. Leave alone what is not yours, and commit only what you changed.`),
    ],
    trouble: mended.flatMap((one) => (one.done === undefined ? [describeMended(one)] : []))[0],
  };
}

/** We write the plan file when marks are put back: also before it turns out that it cannot be followed. */
const mayHaveWritten = ({ hasWritten = false, putBack, claims, problems }: Followed): boolean =>
  hasWritten || putBack.length + claims.length + problems.length > 0;

const MOST_PATHS = 20;

function sayChanged({ parts, tally }: Running, changes: readonly Change[]): void {
  const paths = changes.slice(0, MOST_PATHS).map(({ path }) => path);
  parts.emit({ type: "session.changed", iteration: tally.started + 1, files: changes.length, paths });
}

/** W-05: nothing of what we write about this iteration, and about the next, leaves the workspace. */
function lookAfterFolders(running: Running): string[] {
  const { root } = running.parts;
  const { started } = running.tally;
  return takeBack(
    root,
    [started + 1, started + 2].map((iteration) => iterationFolder(running, iteration)),
  );
}

async function lookAfterTasks(running: Running, { held, assigned }: EndedSession) {
  const { store } = running.parts;
  // Asked before anything is put right: to abort what is half done changes files, the plan among them.
  const mayFollow = !isHalfDone(running.work.repository);
  await guardStore(running);
  const { undone } = await compareState(store, held);
  const command = assigned && (await readDoorClaim(store, assigned.task, assigned.attempt));
  return { undone, command, early: mayFollow ? await followAfter(running, assigned?.task) : undefined };
}

/** W-03: what was deleted or damaged meanwhile is written back. */
export async function guardStore(running: Running): Promise<void> {
  const report = await running.parts.store.guard();
  if (report.kind === "intact") return;
  const from = report.from === "handle" ? "what was open" : "its copy";
  warn(running, `The database of the tasks was ${report.why} during the session; it was written back from ${from}`);
}

/** P-34: what was done to the repository itself is put right where that is safe. */
async function lookAfter(
  { work, beside }: Running,
  look: Promise<Status> | undefined,
): Promise<{ now: Snapshot; mended: readonly Mended[] }> {
  const { repository, last } = work;
  await beside; // a lock that we hold ourselves is nothing that a session left
  const now = await snapshot(repository, last, look);
  await clearTidying(repository);
  if (!(await hasTrouble(repository, last, now))) return { now, mended: [] };
  const mended = await mendTroubles(repository, last);
  return { now: await snapshot(repository, now), mended };
}

function describeMended({ trouble, done, why }: Mended): string {
  const what = {
    lock: () => `The session left the lock ${"file" in trouble ? trouble.file : ""} in the repository`,
    "half done": () => `The session left a half-done ${"what" in trouble ? trouble.what : ""}`,
    "branch switched": () => "The session switched to another branch",
    "history rewritten": () => "The session rewrote the history of the branch",
  }[trouble.kind]();
  if (why !== undefined) return why; // nobody knows whether the session had anything to do with it
  return done === undefined ? `${what}, and that could not be put right safely` : `${what}. ${done}`;
}

/** P-50: what is in the plan now. The agent may have written it, so nothing in it is believed that is a claim. */
export async function followAfter(running: Running, assigned: TaskId | undefined): Promise<Followed> {
  const { parts } = running;
  const read = await parts.plans.follow({ editor: "agent", ...(assigned !== undefined && { assigned }) });
  const removed = await askAboutRemoved(running, read.dropped);
  const isAsked = new Set(removed.map(({ id }) => id));
  const dropped = read.dropped.filter(({ id }) => !isAsked.has(id));
  const followed = { ...read, dropped, problems: [...read.problems, ...removed.map(removedNote)] };
  tellFollowed(running, { ...followed, problems: read.problems });
  // Planning is what adds tasks; no limit is meant for that.
  if (running.mode === "plan" || followed.added.length === 0) return followed;
  const added = await Promise.all(followed.added.map(({ id }) => parts.store.get(id)));
  // A heading is no work.
  const ids = added.filter((task) => task !== undefined && !task.isParent).map((task) => task!.id);
  const parked = await parkBeyondLimit(parts.store, { run: parts.run, ids, limit: parts.rules.newTasks });
  if (parked.length > 0) {
    const tasks = followed.added.filter(({ id }) => parked.includes(id));
    parts.emit({ type: "tasks.changed", change: "parked", tasks });
  }
  return followed;
}

/** Says what following the plan files changed. */
export function tellFollowed({ parts }: Pick<Running, "parts">, followed: Followed): void {
  for (const change of ["added", "updated", "dropped", "revived"] as const) {
    if (followed[change].length > 0) parts.emit({ type: "tasks.changed", change, tasks: followed[change] });
  }
  if (followed.putBack.length > 0) {
    parts.emit({ type: "tasks.changed", change: "put back", tasks: followed.putBack });
  }
  for (const problem of followed.problems) parts.emit({ type: "run.notice", level: "warning", text: problem });
}

const planNotes = ({ putBack, problems }: Followed): string[] => [
  ...putBack.map(
    ({ id, title }) => `Your mark on ${id} "${title}" in the plan was put back: only the assigned task can be claimed.`,
  ),
  ...problems,
];
