import type { FileChange } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import type { Repository } from "../system/git/repository.ts";
import { changedAtMs, changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { asTheyWere, saveAndRestore, type SavedTree } from "./take-back.ts";
import type { WorkRecord } from "./work-record.ts";

/** A run that was cut off while gates or hooks ran, and the one that looks after it. */
export interface CrashRequest {
  readonly record: WorkRecord;
  readonly now: Snapshot;
  /** Patterns of files that anybody may write at any time: the plan, and what ralphctl keeps. */
  readonly except: readonly string[];
  /** When nothing of that run was there any more, at the latest; undefined: nobody knows. */
  readonly crashedBeforeMs: number | undefined;
  /** The run under whose name is kept what is taken out of the tree. */
  readonly run: string;
}

/** What is there, once what gates and hooks changed was put back. */
export interface CrashRecovery {
  readonly now: Snapshot;
  /** What they changed, or may have changed, and what is there still. */
  readonly theirs: ReadonlySet<string>;
  /** What was put back. */
  readonly restored: readonly string[];
  /** Where it is kept all the same: whoever edits a file right after a kill looks like a hook. */
  readonly kept: SavedTree | undefined;
}

/**
 * What gates and hooks change is nobody's work, and is put back when they are through. Where the run was killed before
 * that, the next one does it: otherwise it would be committed with the next change of the same file, as the agent's.
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
    { run, name: "checks", subject: "Changes of gates or hooks before the run was killed", files: asTheyWere(wrong) },
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

/** Whether a file was written after that. One that is gone tells nothing. */
function laterThan({ changed }: Snapshot, ms: number): (path: string) => boolean {
  const later = new Set(changed.filter((state) => (changedAtMs(state) ?? 0) > ms).map(({ path }) => path));
  return (path) => later.has(path);
}
