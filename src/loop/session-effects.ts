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
import { noteSnapshot } from "./work-tree.ts";

/** Everything that a session changed. */
export interface SessionEffects {
  /** The tree after the session. */
  readonly now: Snapshot;
  /** All changes since the last verified state. */
  readonly changes: readonly FileChange[];
  /** Whether this session changed files or made commits. */
  readonly hasChanged: boolean;
  readonly followed: Followed;
  /** The claim that it made with a command. */
  readonly command: CommandClaim | undefined;
  /** Violations of the protocol, as sentences for the next prompt. */
  readonly notes: readonly string[];
  /** Damage to the repository that only a person can repair. */
  readonly damage: string | undefined;
}

/** For a claim whose session's effects were collected before. */
export const noEffects = (now: Snapshot): SessionEffects => ({
  now,
  changes: [],
  hasChanged: false,
  followed: { added: [], updated: [], dropped: [], revived: [], claims: [], revertedMarks: [], problems: [] },
  command: undefined,
  notes: [],
  damage: undefined,
});

export interface EndedSession {
  readonly iteration: number;
  /** The tasks before the session. */
  readonly tasks: TaskSnapshot;
  /** Undefined in plan mode. */
  readonly assigned: { readonly task: TaskId; readonly attempt: string } | undefined;
  /** A read of the git status that has already begun. */
  readonly status: Promise<Status> | undefined;
}

/**
 * Starts to read the git status when all processes of the session have ended, while its last output is still being read.
 * `earlier` is an outdated read that may not have finished.
 */
export function readStatusEarly(
  { work, background }: LaneState,
  earlier: Promise<Status> | undefined,
): Promise<Status> {
  // Sequential, because both may write our index.
  const status = Promise.all([background, earlier?.catch(() => undefined)]).then(() => readStatus(work.repository));
  status.catch(() => undefined); // `collectEffects` handles the error, unless the session fails first
  return status;
}

/** Step 7: repairs the store, the tasks and the repository after a session, then follows the plan. */
export async function collectEffects(lane: LaneState, ended: EndedSession): Promise<SessionEffects> {
  const { work } = lane;
  const taskId = ended.assigned?.task;
  const foreign = removeForeignFolders(lane, ended);
  // While git reads the files, prepare the next session and check the store and the plan.
  lane.deps.starter.prepare();
  const [{ now, repaired }, { undone, command, early }] = await Promise.all([
    checkRepository(lane, foreign.length === 0 ? ended.status : readStatusEarly(lane, ended.status)),
    checkTasks(lane, ended),
  ]);
  const followed = early ?? (await followAfter(lane, taskId));
  const before = work.last;
  const final = mayHaveWritten(followed) ? await snapshot(work.repository, now) : now;
  const changes = await changesBetween(work.repository, work.base, final);
  noteSnapshot(work, final);
  const hasChanged = final.tree !== before.tree || final.head !== before.head;
  if (hasChanged) reportChanged(lane, ended, changes);
  const violations = taskId === undefined ? [] : userChanges(lane, { before, now: final, changes });
  for (const violation of violations) warn(lane, `The session ${violation.replace("somebody else's", "your")}`);
  return {
    now: final,
    changes,
    hasChanged,
    followed,
    command,
    notes: [
      ...foreign.map((path) => `ralphctl removed ${path}, which is not one of its own folders`),
      ...undone,
      ...repaired.map(describeRepair),
      ...planNotes(followed),
      ...violations.map(
        (violation) => `You ${violation}. Commit only your own changes, and leave other people's alone.`,
      ),
    ],
    damage: repaired.flatMap((one) => (one.done === undefined ? [describeRepair(one)] : []))[0],
  };
}

/** `follow` reverts marks in the plan file, even if it then fails to follow the rest. */
const mayHaveWritten = ({ hasWritten = false, revertedMarks, claims, problems }: Followed): boolean =>
  hasWritten || revertedMarks.length + claims.length + problems.length > 0;

const MOST_PATHS = 20;

function reportChanged({ deps }: LaneState, { iteration }: EndedSession, changes: readonly FileChange[]): void {
  const paths = changes.slice(0, MOST_PATHS).map(({ path }) => path);
  deps.emit({ type: "session.changed", iteration, files: changes.length, paths });
}

/** W-05: a session may replace our folders with links, so that records of an iteration would leave the workspace. */
function removeForeignFolders({ deps }: LaneState, { iteration }: EndedSession): string[] {
  return reclaimFolders(
    deps.root,
    [iteration, iteration + 1].map((each) => iterationFolder(deps, each)),
  );
}

async function checkTasks(lane: LaneState, { tasks, assigned }: EndedSession) {
  const { store, storeFile } = lane.deps;
  // Before any repair: aborting an unfinished operation changes files, possibly the plan.
  const mayFollow = !hasUnfinishedOperation(lane.work.repository);
  await guardStore(lane);
  const undone = await revertTampering(storeFile, tasks);
  const command = assigned && (await readCommandClaim(store, assigned.task, assigned.attempt));
  return { undone, command, early: mayFollow ? await followAfter(lane, assigned?.task) : undefined };
}

/** W-03: restores the task database if somebody deleted or damaged it. */
export async function guardStore(lane: LaneState): Promise<void> {
  const report = await lane.deps.storeFile.guard();
  if (report.kind === "intact") return;
  const from = report.from === "handle" ? "the open file" : "its backup";
  warn(lane, `The task database was ${report.why} during the session; ralphctl restored it from ${from}`);
}

/** P-34: repairs damage to the repository itself, if that is safe. */
async function checkRepository(
  { work, background }: LaneState,
  status: Promise<Status> | undefined,
): Promise<{ now: Snapshot; repaired: readonly Repaired[] }> {
  const { repository, last } = work;
  await background; // otherwise our own lock would look like one that the session left
  const now = await snapshot(repository, last, status);
  await removeMaintenanceLocks(repository);
  if (!(await hasDamage(repository, last, now))) return { now, repaired: [] };
  const repaired = await repairDamage(repository, last);
  return { now: await snapshot(repository, now), repaired };
}

function describeRepair({ damage, done, why }: Repaired): string {
  const what = {
    lock: () => `The session left the lock ${"file" in damage ? damage.file : ""} in the repository`,
    unfinished: () => `The session left an unfinished ${"what" in damage ? damage.what : ""}`,
    "branch switched": () => "The session switched to another branch",
    "history rewritten": () => "The session rewrote the history of the branch",
  }[damage.kind]();
  if (why !== undefined) return why; // the session may have nothing to do with it
  return done === undefined ? `${what}, and ralphctl could not repair that safely` : `${what}. ${done}`;
}

/** P-50: updates the tasks from the plan. The agent may have written it, so marks in it are not proof. */
export async function followAfter(lane: LaneState, assigned: TaskId | undefined): Promise<Followed> {
  const { deps } = lane;
  const read = await deps.plans.follow({ editor: "agent", ...(assigned !== undefined && { assigned }) });
  const removed = await askAboutRemoved(lane, read.dropped);
  const removedIds = new Set(removed.map(({ id }) => id));
  const dropped = read.dropped.filter(({ id }) => !removedIds.has(id));
  const followed = { ...read, dropped, problems: [...read.problems, ...removed.map(removedNote)] };
  reportFollowed(lane, { ...followed, problems: read.problems });
  // The limit on new tasks does not apply to planning.
  if (lane.run.mode === "plan" || followed.added.length === 0) return followed;
  const added = await Promise.all(followed.added.map(({ id }) => deps.store.get(id)));
  const ids = added.filter((task) => task !== undefined && !task.isParent).map((task) => task!.id);
  const parked = await parkBeyondLimit(deps.store, { run: deps.runId, ids, limit: deps.rules.newTasks });
  if (parked.length > 0) {
    const tasks = followed.added.filter(({ id }) => parked.includes(id));
    deps.emit({ type: "tasks.changed", change: "parked", tasks });
  }
  return followed;
}

/** Reports the changes that came from the plan files. */
export function reportFollowed({ deps }: Pick<LaneState, "deps">, followed: Followed): void {
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
 * `follow` drops a task whose entry is gone from the plan (P-51). Only a person may decide that, so a task that a build
 * session removed is parked with a question. Returns the parked tasks.
 */
async function askAboutRemoved(lane: LaneState, dropped: Followed["dropped"]): Promise<Followed["dropped"]> {
  const { deps } = lane;
  if (lane.run.mode === "plan") return [];
  const parked: { readonly id: string; readonly title: string }[] = [];
  for (const { id, title } of dropped) {
    const task = await deps.store.get(id);
    if (task?.status !== "dropped" || task.isParent) continue;
    const file = task.source?.file ?? "the plan";
    const question = `A session removed it from ${file}. If it is still needed, restore the entry before you answer; if not, answer and then drop the task`;
    await deps.store.change(id, { kind: "reset", reason: `A session removed its entry from ${file}` }, "plan");
    await deps.store.change(id, { kind: "park", question }, "loop");
    parked.push({ id, title });
  }
  if (parked.length > 0) deps.emit({ type: "tasks.changed", change: "parked", tasks: parked });
  return parked;
}

const removedNote = ({ id, title }: { readonly id: string; readonly title: string }): string =>
  `You removed ${id} "${title}" from the plan: ralphctl asks a person whether it is still needed. Leave entries of other tasks alone.`;
