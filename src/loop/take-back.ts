import { commitMessage } from "../domain/commit-message.ts";
import type { FileChange } from "../domain/change.ts";
import type { TaskId } from "../domain/task.ts";
import type { SnapshotRange } from "../system/git/commit.ts";
import type { IndexEntry } from "../system/git/index-file.ts";
import type { Repository } from "../system/git/repository.ts";
import { type Restored, restoreFiles } from "../system/git/restore.ts";
import { rollbackTo, type RollbackResult, saveAsRef, savedRef } from "../system/git/rollback.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";

// T-40: only this file restores files of a tree or rolls its branch back, and it saves the tree first. Changes of gates are
// the exception: nobody wants them back.

/** The ref of the saved state is `refs/ralph/<run>/<name>`. */
export interface SaveRequest {
  readonly run: string;
  readonly name: string;
  /** The subject of the saved commit. */
  readonly subject: string;
  readonly task?: TaskId | undefined;
}

export interface SavedTree {
  readonly ref: string;
  readonly commit: string;
}

/** Saves the changes in a range under a ref. Returns undefined if there are none. */
export async function saveTree(
  repository: Repository,
  range: SnapshotRange,
  { run, name, subject, task }: SaveRequest,
): Promise<SavedTree | undefined> {
  const ref = savedRef(run, name);
  const trailers = { ...(task !== undefined && { "Ralph-Task": task }), "Ralph-Run": run };
  const commit = await saveAsRef(repository, range, { ref, message: commitMessage({ subject, trailers }) });
  return commit === undefined ? undefined : { ref, commit };
}

/** Saves the range, and restores some of its files. */
export async function saveAndRestore(
  repository: Repository,
  range: SnapshotRange,
  { files, ...request }: SaveRequest & { readonly files: readonly IndexEntry[] },
): Promise<Restored & { readonly saved: SavedTree | undefined }> {
  const saved = await saveTree(repository, range, request);
  return { saved, ...(await restoreFiles(repository, files)) };
}

export interface RollbackRequest extends SaveRequest {
  readonly userPaths: readonly string[];
  /** The subject of the commit that reverts published ones. */
  readonly revert: string;
  /** Changes to apply again after the rollback. */
  readonly keep: readonly FileChange[];
  /** Called between saving and rolling back. */
  readonly onSaved?: (saved: SavedTree | undefined) => Promise<void>;
}

/** Saves the range, and rolls files and branch back to its base. */
export async function saveAndRollBack(
  repository: Repository,
  range: SnapshotRange,
  request: RollbackRequest,
): Promise<{ readonly result: RollbackResult; readonly saved: SavedTree | undefined }> {
  const { userPaths, revert, keep, run } = request;
  const saved = await saveTree(repository, range, request);
  await request.onSaved?.(saved);
  const message = commitMessage({ subject: revert, trailers: { "Ralph-Run": run } });
  const result = await rollbackTo(repository, range, { userPaths, message });
  // On `moved` the files are restored already.
  if (result.kind !== "refused" && keep.length > 0) await restoreFiles(repository, statesAfter(keep));
  return { result, saved };
}

const statesAfter = (changes: readonly FileChange[]): IndexEntry[] =>
  changes.map(({ path, after }) => ({ path, state: after }));

export const statesBefore = (changes: readonly FileChange[]): IndexEntry[] =>
  changes.map(({ path, before }) => ({ path, state: before }));

/** Changes that gates made to the files. */
export interface GateChanges extends Restored {
  /** The files after the gates, with these changes reverted. */
  readonly after: Snapshot;
  /** New files, such as reports and caches. They stay, but do not count as work. */
  readonly added: readonly string[];
}

/** Reverts changes that gates made to existing files. `isTheirs`: false for files that a person may write meanwhile. */
export async function revertGateChanges(
  repository: Repository,
  proven: Snapshot,
  isTheirs: (path: string) => boolean = () => true,
): Promise<GateChanges> {
  const after = await snapshot(repository, proven);
  const changes = (await changesBetween(repository, proven, after)).filter(({ path }) => isTheirs(path));
  if (changes.length === 0) return { after, added: [], restored: [], left: [] };
  const { restored, left } = await restoreFiles(
    repository,
    statesBefore(changes.filter(({ before }) => before !== undefined)),
  );
  return {
    after: restored.length > 0 ? await snapshot(repository, after) : after,
    added: changes.filter(({ kind }) => kind === "added").map(({ path }) => path),
    restored,
    left,
  };
}

export const gateNotices = ({ restored, left }: Restored, who = "gates"): string[] => [
  ...(restored.length > 0
    ? [`The ${who} changed these files, and ralphctl restored them: ${restored.join(", ")}`]
    : []),
  ...(left.length > 0
    ? [`The ${who} changed these files, and ralphctl could not restore them: ${left.join(", ")}`]
    : []),
];
