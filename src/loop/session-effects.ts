import type { FileChange } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import type { TaskId } from "../domain/task.ts";
import type { Left } from "../lane/lane.ts";
import { changesBetween, type Snapshot } from "../system/git/snapshot.ts";
import { isOwnFolder } from "../system/git/place-files.ts";
import { readStatus, type Status } from "../system/git/status.ts";
import type { Watch } from "../system/git/stray.ts";
import type { TaskSnapshot } from "../store/store.ts";
import { reclaimFolders } from "../system/reclaim-folders.ts";
import { type CommandClaim, readCommandClaim } from "./command-claims.ts";
import { revertTampering } from "./tamper-check.ts";
import { iterationFolder } from "./naming.ts";
import { parkBeyondLimit } from "./new-tasks.ts";
import { stampedFiles } from "./own-files.ts";
import { asOwnWrite } from "./plan-texts.ts";
import type { Followed, RunDeps } from "./run-deps.ts";
import { type LaneState, warn } from "./run-state.ts";
import { handleStrayed } from "./strayed.ts";

/** Everything that a session changed. */
export interface SessionEffects {
  /** The tree after the session. */
  readonly now: Left;
  /** All changes on top of the landing, except to files that build sessions only read (L-03). */
  readonly changes: readonly FileChange[];
  /** Whether this session changed files or made commits. Edits that were dropped or reverted are none. */
  readonly hasChanged: boolean;
  /** Specs and prompts that it changed: these edits do not count. */
  readonly dropped: readonly string[];
  readonly followed: Followed;
  /** The claim that it made with a command. */
  readonly command: CommandClaim | undefined;
  /** Violations of the protocol, as sentences for the next prompt. */
  readonly notes: readonly string[];
}

/** For a claim whose session's effects were collected before. */
export const noEffects = (now: Snapshot): SessionEffects => ({
  now,
  changes: [],
  hasChanged: false,
  dropped: [],
  followed: { added: [], updated: [], dropped: [], revived: [], claims: [], revertedMarks: [], problems: [] },
  command: undefined,
  notes: [],
});

export interface EndedSession {
  readonly iteration: number;
  /** The tasks before the session. */
  readonly tasks: TaskSnapshot;
  /** Undefined in plan mode. */
  readonly assigned: { readonly task: TaskId; readonly attempt: string } | undefined;
  /** A read of the git status that has already begun. */
  readonly status: Promise<Status> | undefined;
  /** The person's repository when the session began. */
  readonly watch: Watch;
}

/**
 * Starts to read the git status when all processes of the session have ended, while its last output is still being read.
 * `earlier` is an outdated read that may not have finished.
 */
export function readStatusEarly(
  { place, background }: LaneState,
  earlier: Promise<Status> | undefined,
): Promise<Status> {
  // Sequential, because both may write our index.
  const status = Promise.all([background, earlier?.catch(() => undefined)]).then(() => {
    // A link in its place could lead git through the whole disk.
    if (place.number > 0 && !isOwnFolder(place.repository)) throw new Error(`${place.folder} is not the lane`);
    return readStatus(place.repository, { withIgnored: true });
  });
  status.catch(() => undefined); // `collectEffects` handles the error, unless the session fails first
  return status;
}

/** Step 7: repairs the store and the tasks after a session, reads its files, and follows its plan. */
export async function collectEffects(lane: LaneState, ended: EndedSession): Promise<SessionEffects> {
  const { deps, place, last } = lane;
  const foreign = removeForeignFolders(lane, ended);
  // Git reads the files meanwhile.
  const [now, { undone, command }] = await Promise.all([place.collect(ended.status), checkTasks(lane, ended)]);
  if (now.theirs !== undefined) lane.base = { ...lane.base, head: now.theirs };
  const strayed = await handleStrayed(lane, ended);
  const { base } = lane;
  // In the person's own tree, the session edited the person's plan files themselves.
  const before = place.root === deps.root ? lane.laidPlans : undefined;
  const bring = async (): Promise<readonly string[]> => await deps.plans.bringHome(place.root, lane.laidPlans);
  const plansBefore = before ?? (await deps.plans.texts());
  const refused = await asOwnWrite(lane, bring, before);
  const followed = await followAfter(lane, ended.assigned?.task);
  const isBuild = ended.assigned !== undefined;
  const isInput = ({ path }: FileChange): boolean => matchesAny(deps.rules.inputs, path);
  // A planning session begins without work, and the person's plans and specs are laid over its lane.
  const found = await changesBetween(place.repository, isBuild ? base : last, now);
  const stamped = await stampedFiles(lane, ended.assigned?.task, found);
  const isWork = ({ path }: FileChange): boolean => !stamped.includes(path);
  const all = found.filter(isWork);
  const own = isBuild ? (await changesBetween(place.repository, last, now)).filter(isWork) : all;
  const isPersons = ({ path }: FileChange): boolean =>
    place.isPersons?.(path) === true && !own.some((change) => change.path === path);
  const changes = isBuild ? all.filter((change) => !isInput(change) && !isPersons(change)) : all;
  const touched = isBuild ? own.filter(isInput) : [];
  const dropped = touched.map(({ path }) => path).filter((path) => !deps.plans.files.includes(path));
  const hasChanged =
    now.head !== last.head || own.length > touched.length || !areSame(plansBefore, await deps.plans.texts());
  lane.last = now;
  if (hasChanged) reportChanged(lane, ended, changes);
  return {
    now,
    changes,
    hasChanged,
    dropped,
    followed,
    command,
    notes: [
      ...strayed,
      ...foreign.map((path) => `ralphctl removed ${path}, which is not one of its own folders`),
      ...undone,
      ...refused,
      ...followed.problems,
      ...readOnlyNotes(dropped),
    ],
  };
}

const areSame = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): boolean =>
  before.size === after.size && [...before].every(([path, text]) => after.get(path) === text);

/** L-03: edits of plan files count as plan edits; those of specs and prompts are dropped. */
const readOnlyNotes = (paths: readonly string[]): string[] =>
  paths.length === 0
    ? []
    : [`Specs and prompt files are read-only, so these changes were dropped: ${paths.slice(0, 10).join(", ")}`];

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
  await guardStore(lane);
  const undone = await revertTampering(storeFile, tasks);
  const command = assigned && (await readCommandClaim(store, assigned.task, assigned.attempt));
  return { undone, command };
}

/** W-03: restores the task database if somebody deleted or damaged it. */
export async function guardStore(lane: LaneState): Promise<void> {
  const report = await lane.deps.storeFile.guard();
  if (report.kind === "intact") return;
  const from = report.from === "handle" ? "the open file" : "its backup";
  warn(lane, `The task database was ${report.why} during the session; ralphctl restored it from ${from}`);
}

/** P-50: updates the tasks from the plan. The agent may have written it, so marks in it are not proof. */
export async function followAfter(lane: LaneState, assigned: TaskId | undefined): Promise<Followed> {
  const { deps } = lane;
  const read = await asOwnWrite(
    lane,
    async () => await deps.plans.follow({ editor: "agent", ...(assigned !== undefined && { assigned }) }),
  );
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
export function reportFollowed({ deps }: { readonly deps: Pick<RunDeps, "emit"> }, followed: Followed): void {
  for (const change of ["added", "updated", "dropped", "revived"] as const) {
    if (followed[change].length > 0) deps.emit({ type: "tasks.changed", change, tasks: followed[change] });
  }
  if (followed.revertedMarks.length > 0) {
    deps.emit({ type: "tasks.changed", change: "put back", tasks: followed.revertedMarks });
  }
  for (const problem of followed.problems) deps.emit({ type: "run.notice", level: "warning", text: problem });
}

/** P-52: what a session is told about marks that do not count. */
export const markNotes = ({ revertedMarks }: Followed): string[] =>
  revertedMarks.map(
    ({ id, title }) =>
      `Your mark on ${id} "${title}" in the plan does not count and was reverted: you can claim only the assigned task.`,
  );

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
