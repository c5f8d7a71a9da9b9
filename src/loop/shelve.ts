import { formatShelvedWork } from "../domain/run/shelved-work.ts";
import type { Task, TaskId } from "../domain/task.ts";
import { changesBetween, snapshot } from "../system/git/snapshot.ts";
import type { RunDeps } from "./run-deps.ts";
import { type LaneState, warn } from "./run-state.ts";
import { saveAndRollBack, saveTree } from "./take-back.ts";
import {
  acceptWork,
  beginRollback,
  leaveWork,
  noteIndexSynced,
  realWork,
  syncUserIndex,
  type WorkTree,
} from "./work-tree.ts";

export interface ShelveRequest {
  readonly task: Pick<Task, "id" | "title">;
  /** The end of "kept, because …". */
  readonly why: string;
  /** Whether the run must end if the work cannot be rolled back (P-33). */
  readonly isRequired: boolean;
}

/**
 * P-33: saves unproven work under a ref, and rolls the tree back to the last verified state. If that is not possible,
 * changes nothing and returns the reason, for a person.
 */
export async function shelve(lane: LaneState, request: ShelveRequest): Promise<string | undefined> {
  const { deps, work } = lane;
  const { task, why, isRequired } = request;
  await syncUserIndex(work);
  const now = await snapshot(work.repository, work.last);
  const range = { base: work.base, now };
  const changes = await changesBetween(work.repository, work.base, now);
  if (changes.length === 0 && now.head === work.base.head) {
    acceptWork(work, now);
    return undefined;
  }
  if (!deps.rules.commits) {
    return isRequired ? `The work of ${task.id} stays in the tree: --no-commit allows no rollback` : undefined;
  }
  const { result } = await saveAndRollBack(work.repository, range, {
    run: deps.runId,
    name: task.id,
    subject: `Unproven work: ${task.title}`,
    task: task.id,
    revert: `Revert unproven work: ${task.title}`,
    userPaths: work.userPaths,
    // New entries in the plan are already tasks. Without its entry, a task would be dropped.
    keep: changes.filter(({ path }) => deps.plans.files.includes(path)),
    onSaved: async (saved) => {
      if (saved !== undefined) {
        await deps.store.note(task.id, { by: "loop", kind: "kept", text: formatShelvedWork(saved) });
        deps.emit({ type: "work.kept", task: task.id, ...saved, why });
      }
      beginRollback(work, now.head);
    },
  });
  noteIndexSynced(work);
  if (result.kind !== "returned") leaveWork(work);
  if (result.kind === "refused") {
    return `The work of ${task.id} touches files that you changed, so nothing was rolled back: ${result.paths.join(", ")}`;
  }
  if (result.kind === "moved") return "HEAD moved while ralphctl shelved work; check git log";
  if (result.branch === "reverted") warn(lane, "The agent's commits are published, so one commit reverts them");
  if (result.left.length > 0) warn(lane, `These files stay as the session left them: ${result.left.join(", ")}`);
  acceptWork(work, await snapshot(work.repository));
  return undefined;
}

/** Before a session: shelves unproven work of another task, so that it does not become part of this one. */
export async function shelveOtherWork(lane: LaneState, taskId: TaskId | undefined): Promise<string | undefined> {
  const { deps, work } = lane;
  if (work.task === undefined || work.task === taskId) return undefined;
  const paths = (await changesBetween(work.repository, work.base, work.last)).map(({ path }) => path);
  if (realWork(paths, deps.rules.notWork).length === 0) return undefined;
  const other = await deps.store.get(work.task);
  const task = { id: work.task, title: other?.title ?? work.task };
  return await shelve(lane, {
    task,
    why: taskId === undefined ? "planning comes first" : "another task comes first",
    isRequired: false,
  });
}

/** With `--allow-dirty`: an agent could undo the user's uncommitted changes, and no copy would exist. */
export async function backUpUserChanges(deps: RunDeps, { repository, last, userPaths }: WorkTree): Promise<void> {
  const isTheirs = new Set(userPaths);
  const base = { ...last, changed: last.changed.filter(({ path }) => !isTheirs.has(path)) };
  const save = { run: deps.runId, name: "yours", subject: "Your changes when the run started" };
  const saved = await saveTree(repository, { base, now: last }, save);
  if (saved === undefined) return;
  deps.emit({ type: "work.kept", ...saved, why: "a backup of your uncommitted changes" });
}
