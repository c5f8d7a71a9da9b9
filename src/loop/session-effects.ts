import type { FileChange } from "../domain/change.ts";
import type { TaskId } from "../domain/task.ts";
import { clearTidying } from "../system/git/locks.ts";
import { hasUnfinishedOperation } from "../system/git/unfinished-operation.ts";
import { hasDamage, repairDamage, type Repaired } from "../system/git/repo-damage.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { readStatus, type Status } from "../system/git/status.ts";
import type { TaskSnapshot } from "../store/store.ts";
import { takeBack } from "../system/own-folder.ts";
import { type CommandClaim, readCommandClaim } from "./command-claims.ts";
import { revertTampering } from "./tamper-check.ts";
import { iterationFolder } from "./iteration.ts";
import { parkBeyondLimit } from "./new-tasks.ts";
import { userChanges } from "./user-changes.ts";
import type { Followed } from "./run-deps.ts";
import { askAboutRemoved, removedNote } from "./removed-entries.ts";
import { type RunState, warn } from "./run-state.ts";

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

/** A session that is over. */
export interface EndedSession {
  /** What the tasks were before it. */
  readonly held: TaskSnapshot;
  /** What it was at, and by which name its commands call that; undefined in plan mode. */
  readonly assigned: { readonly task: TaskId; readonly attempt: string } | undefined;
  /** A look at the files that has begun already. */
  readonly look: Promise<Status> | undefined;
}

/**
 * Begun when nobody of the session lives, and while its last words are still read. `earlier`: one that is no longer
 * true, and may still go on.
 */
export function readStatusEarly({ work, background }: RunState, earlier: Promise<Status> | undefined): Promise<Status> {
  // One after the other: both may write our index.
  const look = Promise.all([background, earlier?.catch(() => undefined)]).then(() => readStatus(work.repository));
  look.catch(() => undefined); // whoever takes effects is told; when it does not come to that, nobody
  return look;
}

/** After each session: the store is whole, the states are ours, the repository is where it was, the plan is followed. */
export async function collectEffects(state: RunState, ended: EndedSession): Promise<SessionEffects> {
  const { work } = state;
  const taskId = ended.assigned?.task;
  const foreign = lookAfterFolders(state);
  // In the time that git takes there is some for the next session, for the store and for the plan.
  state.deps.starter.prepare();
  const [{ now, repaired }, { undone, command, early }] = await Promise.all([
    lookAfter(state, foreign.length === 0 ? ended.look : readStatusEarly(state, ended.look)),
    lookAfterTasks(state, ended),
  ]);
  const followed = early ?? (await followAfter(state, taskId));
  const before = work.last;
  const settled = mayHaveWritten(followed) ? await snapshot(work.repository, now) : now;
  const changes = await changesBetween(work.repository, work.base, settled);
  work.last = settled;
  if (settled.tree !== before.tree || settled.head !== before.head) sayChanged(state, changes);
  const others = taskId === undefined ? [] : userChanges(state, { before, now: settled, changes });
  for (const what of others) warn(state, `The session ${what}`);
  return {
    now: settled,
    changes,
    hasChanged: settled.tree !== before.tree || settled.head !== before.head,
    followed,
    command,
    notes: [
      ...foreign.map((path) => `What stood in the place of ${path} led elsewhere or was no folder: it was removed`),
      ...undone.map(({ what }) => what),
      ...repaired.map(describeRepair),
      ...planNotes(followed),
      ...others.map((what) => `You ${what}. Leave alone what is not yours, and commit only what you changed.`),
    ],
    damage: repaired.flatMap((one) => (one.done === undefined ? [describeRepair(one)] : []))[0],
  };
}

/** We write the plan file when marks are put back: also before it turns out that it cannot be followed. */
const mayHaveWritten = ({ hasWritten = false, revertedMarks, claims, problems }: Followed): boolean =>
  hasWritten || revertedMarks.length + claims.length + problems.length > 0;

const MOST_PATHS = 20;

function sayChanged({ deps, tally }: RunState, changes: readonly FileChange[]): void {
  const paths = changes.slice(0, MOST_PATHS).map(({ path }) => path);
  deps.emit({ type: "session.changed", iteration: tally.started + 1, files: changes.length, paths });
}

/** W-05: nothing of what we write about this iteration, and about the next, leaves the workspace. */
function lookAfterFolders(state: RunState): string[] {
  const { root } = state.deps;
  const { started } = state.tally;
  return takeBack(
    root,
    [started + 1, started + 2].map((iteration) => iterationFolder(state, iteration)),
  );
}

async function lookAfterTasks(state: RunState, { held, assigned }: EndedSession) {
  const { store } = state.deps;
  // Asked before anything is put right: to abort what is half done changes files, the plan among them.
  const mayFollow = !hasUnfinishedOperation(state.work.repository);
  await guardStore(state);
  const { undone } = await revertTampering(store, held);
  const command = assigned && (await readCommandClaim(store, assigned.task, assigned.attempt));
  return { undone, command, early: mayFollow ? await followAfter(state, assigned?.task) : undefined };
}

/** W-03: what was deleted or damaged meanwhile is written back. */
export async function guardStore(state: RunState): Promise<void> {
  const report = await state.deps.store.guard();
  if (report.kind === "intact") return;
  const from = report.from === "handle" ? "what was open" : "its copy";
  warn(state, `The database of the tasks was ${report.why} during the session; it was written back from ${from}`);
}

/** P-34: what was done to the repository itself is put right where that is safe. */
async function lookAfter(
  { work, background }: RunState,
  look: Promise<Status> | undefined,
): Promise<{ now: Snapshot; repaired: readonly Repaired[] }> {
  const { repository, last } = work;
  await background; // a lock that we hold ourselves is nothing that a session left
  const now = await snapshot(repository, last, look);
  await clearTidying(repository);
  if (!(await hasDamage(repository, last, now))) return { now, repaired: [] };
  const repaired = await repairDamage(repository, last);
  return { now: await snapshot(repository, now), repaired };
}

function describeRepair({ damage, done, why }: Repaired): string {
  const what = {
    lock: () => `The session left the lock ${"file" in damage ? damage.file : ""} in the repository`,
    "half done": () => `The session left a half-done ${"what" in damage ? damage.what : ""}`,
    "branch switched": () => "The session switched to another branch",
    "history rewritten": () => "The session rewrote the history of the branch",
  }[damage.kind]();
  if (why !== undefined) return why; // nobody knows whether the session had anything to do with it
  return done === undefined ? `${what}, and that could not be put right safely` : `${what}. ${done}`;
}

/** P-50: what is in the plan now. The agent may have written it, so nothing in it is believed that is a claim. */
export async function followAfter(state: RunState, assigned: TaskId | undefined): Promise<Followed> {
  const { deps } = state;
  const read = await deps.plans.follow({ editor: "agent", ...(assigned !== undefined && { assigned }) });
  const removed = await askAboutRemoved(state, read.dropped);
  const isAsked = new Set(removed.map(({ id }) => id));
  const dropped = read.dropped.filter(({ id }) => !isAsked.has(id));
  const followed = { ...read, dropped, problems: [...read.problems, ...removed.map(removedNote)] };
  tellFollowed(state, { ...followed, problems: read.problems });
  // Planning is what adds tasks; no limit is meant for that.
  if (state.mode === "plan" || followed.added.length === 0) return followed;
  const added = await Promise.all(followed.added.map(({ id }) => deps.store.get(id)));
  // A heading is no work.
  const ids = added.filter((task) => task !== undefined && !task.isParent).map((task) => task!.id);
  const parked = await parkBeyondLimit(deps.store, { run: deps.run, ids, limit: deps.rules.newTasks });
  if (parked.length > 0) {
    const tasks = followed.added.filter(({ id }) => parked.includes(id));
    deps.emit({ type: "tasks.changed", change: "parked", tasks });
  }
  return followed;
}

/** Says what following the plan files changed. */
export function tellFollowed({ deps }: Pick<RunState, "deps">, followed: Followed): void {
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
    ({ id, title }) => `Your mark on ${id} "${title}" in the plan was put back: only the assigned task can be claimed.`,
  ),
  ...problems,
];
