import { commitMessage } from "../domain/commit-message.ts";
import { formatShelvedWork } from "../domain/run/shelved-work.ts";
import type { Task, TaskId } from "../domain/task.ts";
import { saveAsRef, savedRef, rollbackTo } from "../system/git/rollback.ts";
import { restoreFiles } from "../system/git/restore.ts";
import { changesBetween, snapshot } from "../system/git/snapshot.ts";
import type { RunDeps } from "./run-deps.ts";
import { type LaneState, warn } from "./run-state.ts";
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
  /** Whether the run must end when nothing can be put back (P-33). */
  readonly isRequired: boolean;
}

/**
 * P-33: work that is not proven is kept under a name that git knows, and the tree returns to the last verified state.
 * Returns why that was not possible, for a person; then nothing was put back.
 */
export async function shelve(lane: LaneState, request: ShelveRequest): Promise<string | undefined> {
  const { deps, work } = lane;
  const { task, why, isRequired } = request;
  await syncUserIndex(work);
  const now = await snapshot(work.repository, work.last);
  const span = { base: work.base, now };
  const changes = await changesBetween(work.repository, work.base, now);
  if (changes.length === 0 && now.head === work.base.head) {
    acceptWork(work, now);
    return undefined;
  }
  if (!deps.rules.commits) {
    return isRequired ? `The work of ${task.id} stays in the tree: with --no-commit nothing is put back` : undefined;
  }
  const ref = savedRef(deps.runId, task.id);
  const message = commitMessage({
    subject: `Unproven work: ${task.title}`,
    trailers: { "Ralph-Task": task.id, "Ralph-Run": deps.runId },
  });
  const commit = await saveAsRef(work.repository, span, { ref, message });
  if (commit !== undefined) {
    await deps.store.note(task.id, { by: "loop", kind: "kept", text: formatShelvedWork({ ref, commit }) });
    deps.emit({ type: "work.kept", task: task.id, ref, commit, why });
  }
  const revert = commitMessage({
    subject: `Revert unproven work: ${task.title}`,
    trailers: { "Ralph-Run": deps.runId },
  });
  beginRollback(work, now.head);
  const result = await rollbackTo(work.repository, span, { userPaths: work.userPaths, message: revert });
  noteIndexSynced(work);
  if (result.kind !== "returned") leaveWork(work);
  if (result.kind === "refused") {
    return `The work of ${task.id} touched files with changes of yours, so nothing was put back: ${result.paths.join(", ")}`;
  }
  if (result.kind === "moved") return "HEAD moved while work was put aside; look at it with git log";
  if (result.branch === "reverted") warn(lane, "What was committed is published, so one commit reverts it");
  if (result.left.length > 0) warn(lane, `These files stay as the session left them: ${result.left.join(", ")}`);
  // What was written into the plan is a task by now: taken out again, it would be dropped.
  const plan = changes.filter(({ path }) => deps.plans.files.includes(path));
  if (plan.length > 0) {
    await restoreFiles(
      work.repository,
      plan.map(({ path, after }) => ({ path, state: after })),
    );
  }
  acceptWork(work, await snapshot(work.repository));
  return undefined;
}

/** Before a session: the unproven work of another task must not become part of this one. */
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

/** With `--allow-dirty`: an agent may undo what is not committed, and then nobody else would have it. */
export async function backUpUserChanges(deps: RunDeps, { repository, last, userPaths }: WorkTree): Promise<void> {
  const isTheirs = new Set(userPaths);
  const base = { ...last, changed: last.changed.filter(({ path }) => !isTheirs.has(path)) };
  const ref = savedRef(deps.runId, "yours");
  const message = commitMessage({ subject: "Your changes as the run began", trailers: { "Ralph-Run": deps.runId } });
  const commit = await saveAsRef(repository, { base, now: last }, { ref, message });
  if (commit === undefined) return;
  deps.emit({ type: "work.kept", ref, commit, why: "your changes are not committed, and an agent could undo them" });
}
