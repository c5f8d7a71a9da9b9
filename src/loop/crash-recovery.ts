import type { FileChange } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import type { Repository } from "../system/git/repository.ts";
import { changedAtMs, changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { statesBefore, saveAndRestore, type SavedTree } from "./take-back.ts";
import type { WorkRecord } from "./work-record.ts";

/** A run that was killed while gates or hooks ran. */
export interface CrashRequest {
  readonly record: WorkRecord;
  readonly now: Snapshot;
  /** Patterns of files that others may write at any time: the plan, and ralphctl's own files. */
  readonly except: readonly string[];
  /** A time at which all processes of that run had ended; undefined if unknown. */
  readonly crashedBeforeMs: number | undefined;
  /** The run under whose name the reverted changes are saved. */
  readonly run: string;
}

/** The tree after the changes of gates and hooks were reverted. */
export interface CrashRecovery {
  readonly now: Snapshot;
  /** Paths that they changed, or may have changed, and that still differ. */
  readonly theirs: ReadonlySet<string>;
  readonly restored: readonly string[];
  /** The reverted changes: an edit by a person right after the kill would look like a hook's. */
  readonly kept: SavedTree | undefined;
}

/**
 * A run reverts the changes of gates and hooks when they end. If it was killed before that, the next run has to do it:
 * otherwise it would commit them as the agent's work.
 */
export async function revertGateChangesAfterCrash(
  repository: Repository,
  request: CrashRequest,
): Promise<CrashRecovery> {
  const { record, now, except, crashedBeforeMs, run } = request;
  const { left } = record;
  if (!record.isChecked || left === undefined) return { now, ...NOTHING };
  const changes = await changesBetween(repository, left, now);
  if (crashedBeforeMs === undefined || left.head !== now.head) return { now, ...NOTHING, theirs: pathsOf(changes) };
  const isLater = laterThan(now, crashedBeforeMs);
  const mine = changes.filter(({ path }) => !isLater(path));
  const wrong = mine.filter(
    ({ path, before }) => before !== undefined && !matchesAny(except, path) && !record.userPaths.includes(path),
  );
  if (wrong.length === 0) return { now, ...NOTHING, theirs: pathsOf(mine) };
  const { restored, saved } = await saveAndRestore(
    repository,
    { base: left, now },
    { run, name: "checks", subject: "Changes of gates or hooks before the run was killed", files: statesBefore(wrong) },
  );
  const back = new Set(restored);
  return {
    now: restored.length > 0 ? await snapshot(repository, now) : now,
    theirs: pathsOf(mine.filter(({ path }) => !back.has(path))),
    restored,
    kept: saved,
  };
}

const NOTHING: Omit<CrashRecovery, "now"> = { theirs: new Set(), restored: [], kept: undefined };

const pathsOf = (changes: readonly FileChange[]): ReadonlySet<string> => new Set(changes.map(({ path }) => path));

/** Whether a file was written after that time. False for a deleted file, whose time is unknown. */
function laterThan({ changed }: Snapshot, ms: number): (path: string) => boolean {
  const later = new Set(changed.filter((state) => (changedAtMs(state) ?? 0) > ms).map(({ path }) => path));
  return (path) => later.has(path);
}
