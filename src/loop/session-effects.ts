import type { FileChange } from "../domain/change.ts";
import type { TaskId } from "../domain/task.ts";
import { removeMaintenanceLocks } from "../system/git/locks.ts";
import { hasUnfinishedOperation } from "../system/git/unfinished-operation.ts";
import { hasDamage, repairDamage, type Repaired } from "../system/git/repo-damage.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { readStatus, type Status } from "../system/git/status.ts";
import type { TaskSnapshot } from "../store/store.ts";
import { reclaimFolders } from "../system/reclaim-folders.ts";
import { type CommandClaim, readCommandClaim } from "./command-claims.ts";
import { revertTampering } from "./tamper-check.ts";
import { iterationFolder } from "./naming.ts";
import { parkBeyondLimit } from "./new-tasks.ts";
import { userChanges } from "./user-changes.ts";
import type { Followed } from "./run-deps.ts";
import { type LaneState, warn } from "./run-state.ts";
import { noteLook } from "./work-tree.ts";

/** What a session did beside what it said. */
export interface SessionEffects {
  /** The files as the session left them. */
  readonly now: Snapshot;
  /** All that was changed since the last verified state. */
  readonly changes: readonly FileChange[];
  /** Whether this very session changed a file. */
  readonly hasChanged: boolean;
  readonly followed: Followed;
  /** What it said of its task through a command. */
  readonly command: CommandClaim | undefined;
  /** What it did that it may not do, in sentences for the next prompt. */
  readonly notes: readonly string[];
  /** Something in the repository that only a person can put right. */
  readonly damage: string | undefined;
}

/** For a claim whose session was looked at before. */
export const noEffects = (now: Snapshot): SessionEffects => ({
  now,
  changes: [],
  hasChanged: false,
  followed: { added: [], updated: [], dropped: [], revived: [], claims: [], revertedMarks: [], problems: [] },
  command: undefined,
  notes: [],
  damage: undefined,
});

/** A session that is over. */
export interface EndedSession {
  /** The tasks before it. */
  readonly tasks: TaskSnapshot;
  /** What it was at, and by which name its commands call that; undefined in plan mode. */
  readonly assigned: { readonly task: TaskId; readonly attempt: string } | undefined;
  /** A look at the files that has begun already. */
  readonly status: Promise<Status> | undefined;
}

/**
 * Begun when nobody of the session lives, and while its last words are still read. `earlier`: one that is no longer
 * true, and may still go on.
 */
export function readStatusEarly(
  { work, background }: LaneState,
  earlier: Promise<Status> | undefined,
): Promise<Status> {
  // One after the other: both may write our index.
  const look = Promise.all([background, earlier?.catch(() => undefined)]).then(() => readStatus(work.repository));
  look.catch(() => undefined); // whoever takes effects is told; when it does not come to that, nobody
  return look;
}

/** After each session: the store is whole, the states are ours, the repository is where it was, the plan is followed. */
export async function collectEffects(lane: LaneState, ended: EndedSession): Promise<SessionEffects> {
  const { work } = lane;
  const taskId = ended.assigned?.task;
  const foreign = lookAfterFolders(lane);
  // In the time that git takes there is some for the next session, for the store and for the plan.
  lane.deps.starter.prepare();
  const [{ now, repaired }, { undone, command, early }] = await Promise.all([
    lookAfter(lane, foreign.length === 0 ? ended.status : readStatusEarly(lane, ended.status)),
    lookAfterTasks(lane, ended),
  ]);
  const followed = early ?? (await followAfter(lane, taskId));
  const before = work.last;
  const settled = mayHaveWritten(followed) ? await snapshot(work.repository, now) : now;
  const changes = await changesBetween(work.repository, work.base, settled);
  noteLook(work, settled);
  if (settled.tree !== before.tree || settled.head !== before.head) reportChanged(lane, changes);
  const others = taskId === undefined ? [] : userChanges(lane, { before, now: settled, changes });
  for (const what of others) warn(lane, `The session ${what}`);
  return {
    now: settled,
    changes,
    hasChanged: settled.tree !== before.tree || settled.head !== before.head,
    followed,
    command,
    notes: [
      ...foreign.map((path) => `${path} was no folder of ours, so ralphctl removed it`),
      ...undone,
      ...repaired.map(describeRepair),
      ...planNotes(followed),
      ...others.map((what) => `You ${what}. Commit only your own changes, and leave other people's alone.`),
    ],
    damage: repaired.flatMap((one) => (one.done === undefined ? [describeRepair(one)] : []))[0],
  };
}

/** We write the plan file when marks are put back: also before it turns out that it cannot be followed. */
const mayHaveWritten = ({ hasWritten = false, revertedMarks, claims, problems }: Followed): boolean =>
  hasWritten || revertedMarks.length + claims.length + problems.length > 0;

const MOST_PATHS = 20;

function reportChanged({ deps, run: { tally } }: LaneState, changes: readonly FileChange[]): void {
  const paths = changes.slice(0, MOST_PATHS).map(({ path }) => path);
  deps.emit({ type: "session.changed", iteration: tally.started + 1, files: changes.length, paths });
}

/** W-05: nothing of what we write about this iteration, and about the next, leaves the workspace. */
function lookAfterFolders(lane: LaneState): string[] {
  const { root } = lane.deps;
  const { started } = lane.run.tally;
  return reclaimFolders(
    root,
    [started + 1, started + 2].map((iteration) => iterationFolder(lane.deps, iteration)),
  );
}

async function lookAfterTasks(lane: LaneState, { tasks, assigned }: EndedSession) {
  const { store, storeFile } = lane.deps;
  // Asked before anything is put right: to abort what is half done changes files, the plan among them.
  const mayFollow = !hasUnfinishedOperation(lane.work.repository);
  await guardStore(lane);
  const undone = await revertTampering(storeFile, tasks);
  const command = assigned && (await readCommandClaim(store, assigned.task, assigned.attempt));
  return { undone, command, early: mayFollow ? await followAfter(lane, assigned?.task) : undefined };
}

/** W-03: what was deleted or damaged meanwhile is written back. */
export async function guardStore(lane: LaneState): Promise<void> {
  const report = await lane.deps.storeFile.guard();
  if (report.kind === "intact") return;
  const from = report.from === "handle" ? "what was open" : "its copy";
  warn(lane, `The database of the tasks was ${report.why} during the session; it was written back from ${from}`);
}

/** P-34: what was done to the repository itself is put right where that is safe. */
async function lookAfter(
  { work, background }: LaneState,
  look: Promise<Status> | undefined,
): Promise<{ now: Snapshot; repaired: readonly Repaired[] }> {
  const { repository, last } = work;
  await background; // a lock that we hold ourselves is nothing that a session left
  const now = await snapshot(repository, last, look);
  await removeMaintenanceLocks(repository);
  if (!(await hasDamage(repository, last, now))) return { now, repaired: [] };
  const repaired = await repairDamage(repository, last);
  return { now: await snapshot(repository, now), repaired };
}

function describeRepair({ damage, done, why }: Repaired): string {
  const what = {
    lock: () => `The session left the lock ${"file" in damage ? damage.file : ""} in the repository`,
    "half done": () => `The session left an unfinished ${"what" in damage ? damage.what : ""}`,
    "branch switched": () => "The session switched to another branch",
    "history rewritten": () => "The session rewrote the history of the branch",
  }[damage.kind]();
  if (why !== undefined) return why; // nobody knows whether the session had anything to do with it
  return done === undefined ? `${what}, and ralphctl could not repair that safely` : `${what}. ${done}`;
}

/** P-50: what is in the plan now. The agent may have written it, so nothing in it is believed that is a claim. */
export async function followAfter(lane: LaneState, assigned: TaskId | undefined): Promise<Followed> {
  const { deps } = lane;
  const read = await deps.plans.follow({ editor: "agent", ...(assigned !== undefined && { assigned }) });
  const removed = await askAboutRemoved(lane, read.dropped);
  const isAsked = new Set(removed.map(({ id }) => id));
  const dropped = read.dropped.filter(({ id }) => !isAsked.has(id));
  const followed = { ...read, dropped, problems: [...read.problems, ...removed.map(removedNote)] };
  tellFollowed(lane, { ...followed, problems: read.problems });
  // Planning is what adds tasks; no limit is meant for that.
  if (lane.run.mode === "plan" || followed.added.length === 0) return followed;
  const added = await Promise.all(followed.added.map(({ id }) => deps.store.get(id)));
  // A heading is no work.
  const ids = added.filter((task) => task !== undefined && !task.isParent).map((task) => task!.id);
  const parked = await parkBeyondLimit(deps.store, { run: deps.runId, ids, limit: deps.rules.newTasks });
  if (parked.length > 0) {
    const tasks = followed.added.filter(({ id }) => parked.includes(id));
    deps.emit({ type: "tasks.changed", change: "parked", tasks });
  }
  return followed;
}

/** Says what following the plan files changed. */
export function tellFollowed({ deps }: Pick<LaneState, "deps">, followed: Followed): void {
  for (const change of ["added", "updated", "dropped", "revived"] as const) {
    if (followed[change].length > 0) deps.emit({ type: "tasks.changed", change, tasks: followed[change] });
  }
  if (followed.revertedMarks.length > 0) {
    deps.emit({ type: "tasks.changed", change: "put back", tasks: followed.revertedMarks });
  }
  for (const problem of followed.problems) deps.emit({ type: "run.notice", level: "warning", text: problem });
}

const planNotes = ({ revertedMarks, problems }: Followed): string[] => [
  ...revertedMarks.map(
    ({ id, title }) =>
      `Your mark on ${id} "${title}" in the plan does not count and was reverted: you can claim only the assigned task.`,
  ),
  ...problems,
];

/**
 * A task whose entry is gone from the plan is dropped (P-51). A session that builds could make its work disappear that
 * way, and dropping is not an agent's to decide: a person is asked. Returns those that were parked.
 */
async function askAboutRemoved(lane: LaneState, dropped: Followed["dropped"]): Promise<Followed["dropped"]> {
  const { deps } = lane;
  if (lane.run.mode === "plan") return [];
  const asked: { readonly id: string; readonly title: string }[] = [];
  for (const { id, title } of dropped) {
    const task = await deps.store.get(id);
    if (task?.status !== "dropped" || task.isParent) continue;
    const file = task.source?.file ?? "the plan";
    const question = `A session removed it from ${file}. If it is still needed, restore the entry before you answer; if not, answer and then drop the task`;
    await deps.store.change(id, { kind: "reset", reason: `A session removed its entry from ${file}` }, "plan");
    await deps.store.change(id, { kind: "park", question }, "loop");
    asked.push({ id, title });
  }
  if (asked.length > 0) deps.emit({ type: "tasks.changed", change: "parked", tasks: asked });
  return asked;
}

/** What the agent is told of it. */
const removedNote = ({ id, title }: { readonly id: string; readonly title: string }): string =>
  `You removed ${id} "${title}" from the plan: ralphctl asks a person whether it is still needed. Leave entries of other tasks alone.`;
